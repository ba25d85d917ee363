"""Make a conversation from outside into a valid one, and say what was changed."""

from collections.abc import Iterable, Sequence
from dataclasses import field

from gantlet.loop.history import History, calls_of
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
    renamed: dict[str, str] = field(default_factory=dict)

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
        """Add a reply: not empty, not first, not behind another one, its ids its own."""
        blocks = blocks_of(reply)
        if not blocks:
            self.notes.append("an empty reply was dropped")
            return
        self.close()
        if not self.messages:
            self.notes.append("a reply stood first; a user message was put before it")
            self.messages.append(UserMessage(_NOTHING_SAID))
        fresh = tuple(self._own_id(block) for block in blocks)
        last = self.messages[-1]
        if isinstance(last, AssistantMessage):
            self.notes.append("two replies in a row were joined")
            self.messages[-1] = replace(last, content=(*blocks_of(last), *fresh))
        else:
            self.messages.append(reply if fresh == blocks else replace(reply, content=fresh))

    def _own_id(self, block: Block) -> Block:
        """Give a call another id if its own is taken."""
        if not isinstance(block, ToolUse):
            return block
        self.renamed.pop(block.id, None)
        if block.id not in self.ids:
            self.ids.add(block.id)
            return block
        number = 2
        while f"{block.id}_{number}" in self.ids:
            number += 1
        own = f"{block.id}_{number}"
        self.ids.add(own)
        self.renamed[block.id] = own
        self.notes.append(f"the id {block.id!r} was used twice; the second call became {own!r}")
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
            own = self.renamed.get(result.tool_use_id, result.tool_use_id)
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
        return ResultBlock(call.id, LOST_RESULT, is_error=True)

    def close(self) -> None:
        """Answer the calls that nobody answered."""
        if self.open_calls:
            self.messages.append(UserMessage(tuple(self._answers([]))))


def repair(messages: Iterable[Message]) -> tuple[History, tuple[str, ...]]:
    """Return a valid history as close to `messages` as can be, and what was changed."""
    mending = _Repair()
    for message in _gathered(messages, mending.notes):
        kept = _without_empty_text(message)
        if kept is not message:
            mending.notes.append("empty texts were dropped")
        mending.take(kept)
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


def _without_empty_text(message: Message) -> Message:
    """Return a message without empty texts, which the API refuses."""
    blocks = blocks_of(message)
    kept = tuple(block for block in blocks if not (isinstance(block, Text) and not block.text))
    return message if kept == blocks else replace(message, content=kept)
