"""Make room.

Clear old results first, then let the model sum up, and keep the newest steps whole.
"""

from collections.abc import Sequence

from gantlet.loop.history import Entry, History
from gantlet.messages import (
    AssistantMessage,
    Block,
    Capabilities,
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
_HEADING = "The conversation before this point was summed up to make room. The summary:"


def estimate_tokens(entries: Sequence[Entry]) -> int:
    """Return about how many tokens messages take."""
    return int(sum(len(entry.wire) for entry in entries) / CHARS_PER_TOKEN)


@value
class Plan:
    """A conversation to be compacted: what is summed up, and what is kept whole."""

    head: tuple[Entry, ...]
    tail: tuple[Entry, ...]

    def with_summary(self, summary: str) -> History:
        """Return the new history: the summary, then the newest steps as they were."""
        told = UserMessage((Text(f"{_HEADING}\n\n{summary.strip()}"),))
        return History.of([told, *(entry.message for entry in self.tail)])


def plan(history: History, capabilities: Capabilities) -> Plan:
    """Decide what to keep: up to two newest steps, each a reply with its results."""
    entries = history.entries
    room = capabilities.context_tokens * KEPT_SHARE
    starts = [at for at, entry in enumerate(entries) if isinstance(entry.message, AssistantMessage)]
    cut = len(entries)
    for start in starts[-KEPT_STEPS:]:
        if start > 0 and estimate_tokens(entries[start:]) <= room:
            cut = start
            break
    return Plan(entries[:cut], entries[cut:])


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
