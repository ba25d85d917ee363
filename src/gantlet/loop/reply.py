"""A reply as it comes: from stream events to blocks, and to calls that are ready to run."""

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from gantlet.loop.coming_block import ComingBlock, coming_block
from gantlet.loop.container import CONTAINER
from gantlet.loop.server_calls import without_unanswered
from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    Delta,
    FrozenDict,
    InputJsonDelta,
    JsonValue,
    MessageDelta,
    MessageStart,
    MessageStop,
    ReplyEnd,
    SignatureDelta,
    StopReason,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    Usage,
    blocks_of,
)
from gantlet.messages.value import replace, slotted, value

#: Endings after which the last block may be only a part of what the model meant.
CUT_OFF = frozenset({StopReason.MAX_TOKENS, StopReason.CONTEXT_WINDOW_EXCEEDED, StopReason.REFUSAL})
#: The index of a block that comes in one piece; no block of a stream has it.
_WHOLE = -1
_CUT = "The reply ended before the input of this call had come."

#: What the end of a reply says, and its start only as nulls.
_ENDINGS = frozenset({"stop_reason", "stop_sequence", "stop_details", "usage"})


@value
class Spoken:
    """The model said some words."""

    text: str


@value
class Thought:
    """The model thought some words."""

    text: str


@value
class BlockEnded:
    """A block that is no call is complete, and part of the reply whatever follows."""

    block: Block


@value
class CallReady:
    """A call is complete and the model has moved on; `problem` says why its input is none.

    Like a block that ended, it is now part of the reply.
    """

    call: ToolUse
    problem: str = ""


Step: TypeAlias = Spoken | Thought | BlockEnded | CallReady


@slotted
class Reply:
    """Builds one reply from its events. Input is put together once, when its block ends."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    is_complete: bool = False
    taken: frozenset[str] = frozenset()
    _ids: set[str] = field(default_factory=set)
    _start: AssistantMessage | None = None
    _end: MessageDelta | None = None
    _container: JsonValue = None
    _begun: int = 0
    _open: dict[int, ComingBlock] = field(default_factory=dict)
    _blocks: dict[int, Block] = field(default_factory=dict)
    _held: dict[int, CallReady] = field(default_factory=dict)

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply has come."""
        return self._start is not None or self._begun > 0

    def feed(self, event: StreamEvent) -> Sequence[Step]:
        """Take one event; return what it means."""
        if isinstance(event, BlockDelta):  # no `match`: a reply has thousands of them
            coming = self._open.get(event.index)
            return self._advance(coming, event.delta) if coming is not None else ()
        if isinstance(event, BlockStart):
            return self._begin_block(event.index, event.content_block)
        if isinstance(event, BlockStop):
            return self._close(event.index)
        if isinstance(event, MessageStop):
            return self._finish()
        if isinstance(event, MessageStart):
            return self._begin(event.message)
        if isinstance(event, MessageDelta):
            self._note(event)
        return ()

    def _note(self, event: MessageDelta) -> None:
        """Take note of how the reply ends, and of what it cost."""
        self._end = event
        self.stop_reason = event.delta.stop_reason or self.stop_reason
        if event.usage is not None:
            self.usage = self.usage.updated(event.usage)
        if event.delta.extra:
            self._container = event.delta.extra.get(CONTAINER) or self._container

    def _begin(self, message: AssistantMessage) -> Sequence[Step]:
        """Take note of who speaks, and take what the message already holds."""
        self._start = message
        self.id, self.model = message.id, message.model
        self.usage = message.usage or Usage()
        return self._take_whole(message) if message.content else ()

    def _take_whole(self, message: AssistantMessage) -> list[Step]:
        """Take blocks that come in one piece; the steps are those a stream would have given."""
        steps: list[Step] = []
        for block in blocks_of(message):
            steps += self._begin_block(_WHOLE, block)
            if isinstance(block, Text) and block.text:
                steps.append(Spoken(block.text))
            if isinstance(block, Thinking) and block.thinking:
                steps.append(Thought(block.thinking))
            steps += self._close(_WHOLE)
        return steps

    def _begin_block(self, index: int, block: Block) -> Sequence[Step]:
        """Begin a block: the model has moved on. Two blocks of one index are still two blocks."""
        unclosed = self._close_cut(index) if index in self._open else ()
        coming = coming_block(block, self._begun)
        if coming is None:
            return unclosed
        self._begun += 1
        self._open[index] = coming
        released = self._release()
        return [*unclosed, *released] if unclosed else released

    @staticmethod
    def _advance(coming: ComingBlock, delta: Delta) -> Sequence[Step]:
        """Add to a block; what is said or thought is passed on at once."""
        if type(delta) is coming.grows_by:
            if isinstance(delta, InputJsonDelta):
                coming.pieces.append(delta.partial_json)
            elif isinstance(delta, TextDelta):
                coming.pieces.append(delta.text)
                return (Spoken(delta.text),)
            elif isinstance(delta, ThinkingDelta):
                coming.pieces.append(delta.thinking)
                return (Thought(delta.thinking),)
        elif isinstance(delta, SignatureDelta):
            coming.signature = delta.signature
        elif isinstance(delta, CitationsDelta):
            coming.cite(delta.citation)
        return ()

    def _close(self, index: int) -> Sequence[Step]:
        """End a block; a call is held until the model moves on."""
        coming = self._open.pop(index, None)
        if coming is None:
            return ()
        block, problem = coming.finished()
        if isinstance(block, ToolUse):
            return self._hold(coming.place, block, problem)
        self._blocks[coming.place] = block
        return (BlockEnded(block),)

    def _close_cut(self, index: int) -> Sequence[Step]:
        """End a block whose end never came; a call without whole input is answered, never run."""
        coming = self._open.pop(index)
        if isinstance(coming.block, ToolUse):
            block, problem = coming.finished()
            if isinstance(block, ToolUse) and self.stop_reason not in CUT_OFF:
                return self._hold(coming.place, block, problem or ("" if block.input else _CUT))
            return ()
        kept = coming.cut()
        if kept is None:
            return ()
        self._blocks[coming.place] = kept
        return (BlockEnded(kept),)

    def _hold(self, place: int, call: ToolUse, problem: str) -> Sequence[Step]:
        """Keep a call until the model has moved on."""
        if call.id in self.taken or call.id in self._ids or not call.id:
            call = self._with_own_id(call)
        self._ids.add(call.id)
        self._blocks[place] = call
        self._held[place] = CallReady(call, problem)
        return ()

    def _with_own_id(self, call: ToolUse) -> ToolUse:
        """Return a call with an id that no earlier call has."""
        number, own = 2, f"{call.id or 'call'}_2"
        while own in self.taken or own in self._ids:
            number += 1
            own = f"{call.id or 'call'}_{number}"
        return replace(call, id=own)

    def _release(self) -> Sequence[Step]:
        """Hand over the calls after which the model has gone on, in the order they were asked."""
        if not self._held:
            return ()
        held, self._held = self._held, {}
        if len(self._open) <= 1:
            return [*held.values()]
        # Blocks come side by side: an earlier one may be a call too.
        first = min(coming.place for coming in self._open.values())
        self._held = {place: held[place] for place in held if place > first}
        return [held[place] for place in sorted(held) if place < first]

    def _finish(self) -> Sequence[Step]:
        """End the reply; a call that may be cut off is never handed over, and leaves the reply."""
        self.is_complete = True
        ended = [step for index in list(self._open) for step in self._close_cut(index)]
        if self.stop_reason in CUT_OFF:
            self._drop_unfinished()
            return ended
        self._held = dict(sorted(self._held.items()))
        return [*ended, *self._release()]

    def _drop_unfinished(self) -> None:
        """Take the calls that were held out of the reply, and those the API did not answer."""
        for place in self._held:
            del self._blocks[place]
        self._held = {}
        kept = {id(block) for block in without_unanswered(self._blocks.values())}
        if len(kept) < len(self._blocks):
            self._blocks = {at: block for at, block in self._blocks.items() if id(block) in kept}

    def cut(self) -> None:
        """End a reply that will not go on: keep what is whole, and words that were said."""
        self._drop_unfinished()
        for coming in self._open.values():
            kept = coming.cut()
            if kept is not None:
                self._blocks[coming.place] = kept
        self._open.clear()

    def message(self) -> AssistantMessage | None:
        """Return the reply as far as it has come; None if there is nothing to keep."""
        content = [self._blocks[index] for index in sorted(self._blocks)]
        kept = tuple([block for block in content if not _is_empty(block)])
        if not kept:
            return None
        start = self._start or AssistantMessage(())
        known = {name: item for name, item in start.extra.items() if name not in _ENDINGS}
        if self._container is not None:
            known[CONTAINER] = self._container
        end = self._end.delta if self._end is not None else None
        return replace(
            start,
            extra=FrozenDict(known),
            content=kept,
            stop_reason=self.stop_reason,
            stop_sequence=end.stop_sequence if end is not None else None,
            stop_details=end.stop_details if end is not None else None,
            usage=self.usage,
        )


def _is_empty(block: Block) -> bool:
    """Return whether a block is a text without words, which the API would refuse."""
    return isinstance(block, Text) and not block.text.strip()


def reply_from(
    message: AssistantMessage, taken: frozenset[str] = frozenset()
) -> tuple[Reply, list[Step]]:
    """Return a reply that came in one piece, and the same steps a stream would have given."""
    reply = Reply(taken=taken)
    end = ReplyEnd(message.stop_reason, message.stop_sequence, message.stop_details)
    reply.feed(MessageDelta(end))
    steps = reply._begin(message)
    return reply, [*steps, *reply._finish()]
