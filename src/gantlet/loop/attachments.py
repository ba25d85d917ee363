"""What goes into the message that answers a reply: results first, then everything else."""

from collections.abc import Iterable, Sequence

from gantlet.execution import Answer
from gantlet.loop.history import is_blank
from gantlet.messages import (
    Block,
    Document,
    Image,
    Message,
    SearchResult,
    Text,
    Unknown,
    UserMessage,
    blocks_of,
)

INTERRUPTED_SPEAKING = "[The user interrupted while you were speaking.]"
INTERRUPTED_TOOLS = "[The user interrupted while tools ran.]"
OUT_OF_TIME = "[The turn was stopped here, because its time was over.]"
CONTINUE = "Your reply was cut off at the token limit. Go on exactly where you stopped."


#: What a user may say, beside words and the results of calls.
_SHOWN = (Image, Document, SearchResult, Unknown)


def may_be_said(block: Block) -> bool:
    """Return whether a block may stand in a user message behind its results."""
    if isinstance(block, Text):
        return not is_blank(block.text)
    return isinstance(block, _SHOWN)


def said_in(message: Message) -> list[Block]:
    """Return what a message says that the API takes from a user, beside results."""
    return [block for block in blocks_of(message) if may_be_said(block)]


def reminder(text: str) -> Text:
    """Return a text that is not the user's own, marked as such."""
    return Text(f"<system-reminder>\n{text}\n</system-reminder>")


def answer_message(
    answers: Sequence[Answer],
    *,
    reminders: Iterable[str] = (),
    queued: Iterable[UserMessage] = (),
    closing: str = "",
) -> UserMessage | None:
    """Return the user message that follows a reply, or None if there is nothing to say.

    Results come first, in the order of the calls; then what tools and hooks add, reminders, what
    the user sent meanwhile, and a closing line.
    """
    blocks: list[Block] = [answer.block for answer in answers]
    blocks += added_by(answers)
    blocks += [reminder(text) for text in reminders]
    for message in queued:
        blocks += said_in(message)
    if closing:
        blocks.append(Text(closing))
    return UserMessage(tuple(blocks)) if blocks else None


def added_by(answers: Iterable[Answer]) -> list[Block]:
    """Return what calls put beside their results."""
    added: list[Block] = []
    for answer in answers:
        for message in answer.new_messages:
            added += said_in(message)
        if answer.context:
            added.append(reminder("\n".join(answer.context)))
    return added
