"""Make a conversation from outside into a valid one, and say what was changed."""

from collections.abc import Iterable, Sequence
from dataclasses import field

from gantlet.loop.history import History, calls_of
from gantlet.loop.mending import fit_id, mended
from gantlet.messages import (
    AssistantMessage,
    Block,
    Message,
    ResultBlock,
    ToolUse,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace, slotted

LOST_RESULT = (
    "The result of this call was lost when the program stopped; whether it took effect is not"
    " known. Check before you repeat it."
)
_NOTHING_SAID = "(nothing was said)"


@slotted
class _Repair:
    """A conversation being mended, message by message."""

    messages: list[Message] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    #: The ids that the open calls of each given id have now, in the order of the calls.
    renamed: dict[str, list[str]] = field(default_factory=dict)

    @property
    def open_calls(self) -> tuple[ToolUse, ...]:
        """The calls that wait for their results."""
        return calls_of(self.messages[-1]) if self.messages else ()

    def take(self, message: Message) -> None:
        """Add one message, mended."""
        if isinstance(message, AssistantMessage):
            self._take_reply(message)
        else:
            self._take_user(message)

    def _take_reply(self, reply: AssistantMessage) -> None:
        """Add a reply: not empty, not first, joined to one before it, its ids its own."""
        blocks = blocks_of(reply)
        if not blocks:
            self.notes.append("an empty reply was dropped")
            return
        if not self.messages:
            self.notes.append("a reply stood first; a user message was put before it")
            self.messages.append(UserMessage(_NOTHING_SAID))
        last = self.messages[-1]
        if not isinstance(last, AssistantMessage):
            self.renamed = {}
        fresh = tuple(self._own_id(block) for block in blocks)
        if isinstance(last, AssistantMessage):
            self.notes.append("two replies in a row were joined")
            self.messages[-1] = replace(last, content=(*blocks_of(last), *fresh))
        else:
            self.messages.append(reply if fresh == blocks else replace(reply, content=fresh))

    def _own_id(self, block: Block) -> Block:
        """Give a call another id if its own is taken, or is none."""
        if not isinstance(block, ToolUse):
            return block
        own, number = fit_id(block.id), 1
        while own in self.ids:
            number += 1
            own = f"{fit_id(block.id)}_{number}"
        self.ids.add(own)
        self.renamed.setdefault(block.id, []).append(own)
        if own == block.id:
            return block
        why = "was used twice" if number > 1 else "is not one the API takes"
        self.notes.append(f"the id {block.id!r} {why}; the call became {own!r}")
        return replace(block, id=own)

    def _take_user(self, message: UserMessage) -> None:
        """Add a user message: results first, one for each call, none for others."""
        blocks = blocks_of(message)
        results = [block for block in blocks if isinstance(block, ResultBlock)]
        rest = [block for block in blocks if not isinstance(block, ResultBlock)]
        if blocks[: len(results)] != tuple(results):
            self.notes.append("results were moved before the rest of their message")
        content = (*self._answers(results), *rest)
        if not content:
            self.notes.append("an empty message was dropped")
        else:
            self.messages.append(
                message if content == blocks else replace(message, content=content)
            )

    def _answers(self, results: Sequence[ResultBlock]) -> list[ResultBlock]:
        """Return exactly one result for each open call, in their order."""
        given: dict[str, ResultBlock] = {}
        for result in results:
            named = self.renamed.get(result.tool_use_id) or [result.tool_use_id]
            own = next((one for one in named if one not in given), named[-1])
            if own in given:
                self.notes.append(f"a second result for {own!r} was dropped")
            else:
                given[own] = replace(result, tool_use_id=own)
        answers = [
            given.pop(call.id) if call.id in given else self._lost(call) for call in self.open_calls
        ]
        self.notes.extend(
            f"a result for {own!r}, which nobody asked for, was dropped" for own in given
        )
        return answers

    def _lost(self, call: ToolUse) -> ResultBlock:
        """Return a result for a call that has none."""
        self.notes.append(f"the call {call.id!r} of {call.name} had no result; it got one")
        return lost_result(call)

    def close(self) -> None:
        """Answer the calls that nobody answered."""
        if self.open_calls:
            self.messages.append(UserMessage(tuple(self._answers([]))))


def lost_result(call: ToolUse) -> ResultBlock:
    """Return the result of a call of which nobody knows what it did."""
    return ResultBlock(call.id, LOST_RESULT, is_error=True)


def repair(messages: Iterable[Message]) -> tuple[History, tuple[str, ...]]:
    """Return a valid history as close to `messages` as can be, and what was changed."""
    mending = _Repair()
    for message in _gathered(messages, mending.notes):
        mending.take(mended(message, mending.notes.append))
    mending.close()
    return History.of(mending.messages), tuple(mending.notes)


def _gathered(messages: Iterable[Message], notes: list[str]) -> list[Message]:
    """Put results that came in several messages into one."""
    gathered: list[Message] = []
    for message in messages:
        last = gathered[-1] if gathered else None
        if (
            isinstance(last, UserMessage)
            and isinstance(message, UserMessage)
            and _has_results(message)
        ):
            notes.append("results of one reply were put into one message")
            gathered[-1] = replace(last, content=(*blocks_of(last), *blocks_of(message)))
        else:
            gathered.append(message)
    return gathered


def _has_results(message: UserMessage) -> bool:
    """Return whether a message answers calls."""
    return any(isinstance(block, ResultBlock) for block in blocks_of(message))
