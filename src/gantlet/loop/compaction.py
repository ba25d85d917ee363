"""Make room.

Clear old results first, then let the model sum up, and keep the newest steps whole.
"""

from collections.abc import Sequence

from gantlet.loop.history import Entry, History
from gantlet.messages import (
    AssistantMessage,
    Block,
    Message,
    ResultBlock,
    Text,
    ToolUse,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace, value

CHARS_PER_TOKEN = 3.5
#: Results longer than this are cleared when they are old.
BIG_RESULT_CHARS = 2_000
#: How many of the newest steps are never touched.
KEPT_STEPS = 2
#: The most of the context that the newest steps may keep.
KEPT_SHARE = 0.25
#: Clearing is enough if it brings the conversation below this share of what is allowed.
ENOUGH = 0.7

CLEARED = "[The result of this call was cleared to make room. Call the tool again if you need it.]"
INSTRUCTIONS = (
    "The conversation so far is about to be replaced by your summary of it, because it has grown"
    " too long. Write that summary now, for yourself: what the user wants, in their words where it"
    " matters; what was decided and why; which files were read or changed and how they stand now;"
    " what failed and what was learnt; what is still to be done, and the very next step. Leave out"
    " what no longer matters. Do not call tools."
)
_LEFT_OUT = "[The oldest part of the conversation is left out here, because it is too long.]"
#: Of a text that is too long even to be summed up, so much of its beginning and of its end is kept.
_KEPT_CHARS = 2_000
_HEADING = "The conversation before this point was summed up to make room. The summary:"


def estimate_tokens(entries: Sequence[Entry]) -> int:
    """Return about how many tokens messages take."""
    return int(sum(entry.chars for entry in entries) / CHARS_PER_TOKEN)


@value
class Plan:
    """A conversation to be compacted: what is summed up, and what is kept whole."""

    head: tuple[Entry, ...]
    tail: tuple[Entry, ...]

    def with_summary(self, summary: str) -> History:
        """Return the new history: the summary, then the newest steps as they were."""
        told = UserMessage((Text(f"{_HEADING}\n\n{summary.strip()}"),))
        return History.of([told, *(entry.message for entry in self.tail)])


def plan(history: History, context_tokens: int) -> Plan:
    """Decide what to keep: up to two newest steps, each a reply with its results.

    Where they are too long, at least the user's last words are kept.
    """
    entries = history.entries
    room = context_tokens * KEPT_SHARE
    starts = [at for at, entry in enumerate(entries) if isinstance(entry.message, AssistantMessage)]
    cuts = starts[-KEPT_STEPS:]
    if entries and not _answers_calls(entries[-1].message):
        cuts.append(len(entries) - 1)
    for cut in cuts:
        if cut > 0 and estimate_tokens(entries[cut:]) <= room:
            return Plan(entries[:cut], entries[cut:])
    return Plan(entries, ())


def _answers_calls(message: Message) -> bool:
    """Return whether a message holds results, which belong to the reply before it."""
    return any(isinstance(block, ResultBlock) for block in blocks_of(message))


def shortened(history: History) -> History | None:
    """Return less of a conversation that is too long to be summed up, or None if nothing helps.

    First its big results are cleared, then its older half is left out, then its texts are cut. A
    call is never separated from its result.
    """
    messages = history.messages
    cleared = [_cleared(message) for message in messages]
    if any(mine is not theirs for mine, theirs in zip(cleared, messages, strict=True)):
        return History.of(cleared)
    half = [
        at
        for at, message in enumerate(messages)
        if at >= max(2, len(messages) // 2) and isinstance(message, AssistantMessage)
    ]
    if half:
        return History.of([UserMessage(_LEFT_OUT), *messages[half[0] :]])
    cut = [_with_short_texts(message) for message in messages]
    changed = any(mine is not theirs for mine, theirs in zip(cut, messages, strict=True))
    return History.of(cut) if changed else None


def _with_short_texts(message: Message) -> Message:
    """Return a message whose long texts have lost their middle."""
    blocks = blocks_of(message)
    short = tuple(_with_short_text(block) for block in blocks)
    return message if short == blocks else replace(message, content=short)


def _with_short_text(block: Block) -> Block:
    """Return a block whose text, if it is a long one, has lost its middle."""
    if not isinstance(block, Text) or len(block.text) <= 3 * _KEPT_CHARS:
        return block
    left_out = len(block.text) - 2 * _KEPT_CHARS
    note = f"\n[{left_out} characters are left out here.]\n"
    return Text(block.text[:_KEPT_CHARS] + note + block.text[-_KEPT_CHARS:])


def clear_old_results(history: History) -> History:
    """Return a history in which big results are cleared, except those of the newest steps."""
    entries = history.entries
    starts = [at for at, entry in enumerate(entries) if isinstance(entry.message, AssistantMessage)]
    if len(starts) <= KEPT_STEPS:
        return history
    newest = starts[-KEPT_STEPS]
    kept = [_cleared(entry.message) for entry in entries[:newest]]
    messages = [*kept, *(entry.message for entry in entries[newest:])]
    if all(mine is entry.message for mine, entry in zip(messages, entries, strict=True)):
        return history
    return History.of(messages)


def _cleared(message: Message) -> Message:
    """Return a message with its big results cleared."""
    if not isinstance(message, UserMessage):
        return message
    blocks = blocks_of(message)
    cleared = tuple(_clear(block) for block in blocks)
    return message if cleared == blocks else replace(message, content=cleared)


def _clear(block: Block) -> Block:
    """Clear one block if it is a big result."""
    if not isinstance(block, ResultBlock) or block.content is None:
        return block
    size = len(Entry.of(UserMessage((block,))).wire)
    return replace(block, content=CLEARED) if size > BIG_RESULT_CHARS else block


def summary_of(reply: AssistantMessage) -> str:
    """Return the words of a summary; calls the model made in spite of everything are left out."""
    blocks = [block for block in blocks_of(reply) if not isinstance(block, ToolUse)]
    return "\n".join(block.text for block in blocks if isinstance(block, Text)).strip()
