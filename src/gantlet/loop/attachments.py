"""What goes into the message that answers a reply: results first, then everything else."""

from collections.abc import Iterable, Sequence

from gantlet.execution import Answer
from gantlet.messages import Block, ResultBlock, Text, UserMessage, blocks_of

INTERRUPTED_SPEAKING = "[The user interrupted while you were speaking.]"
INTERRUPTED_TOOLS = "[The user interrupted while tools ran.]"
CONTINUE = "Your reply was cut off at the token limit. Go on exactly where you stopped."


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
    for answer in answers:
        if answer.new_messages or answer.context:
            blocks += _added_by(answer)
    blocks += [reminder(text) for text in reminders]
    for message in queued:
        blocks += [block for block in blocks_of(message) if not isinstance(block, ResultBlock)]
    if closing:
        blocks.append(Text(closing))
    return UserMessage(tuple(blocks)) if blocks else None


def _added_by(answer: Answer) -> list[Block]:
    """Return what one call puts beside the results."""
    added: list[Block] = []
    for message in answer.new_messages:
        added += [block for block in blocks_of(message) if not isinstance(block, ResultBlock)]
    if answer.context:
        added.append(reminder("\n".join(answer.context)))
    return added
