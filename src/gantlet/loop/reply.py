"""A reply as it comes: from stream events to blocks, and to calls that are ready to run."""

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    FrozenDict,
    FrozenList,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    ServerToolUse,
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
    freeze,
    loads,
)
from gantlet.messages.value import replace, slotted, value

#: Endings after which the last block may be only a part of what the model meant.
CUT_OFF = frozenset({StopReason.MAX_TOKENS, StopReason.CONTEXT_WINDOW_EXCEEDED, StopReason.REFUSAL})
MAX_INPUT_DEPTH = 200
#: Where the text of an input that is not JSON is kept, so that the model can see what it sent.
INVALID_JSON_KEY = "invalid_json"


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
    """A block is complete, and part of the reply whatever follows."""

    block: Block


@value
class CallReady:
    """A call is complete and the model has moved on; `problem` says why its input is none."""

    call: ToolUse
    problem: str = ""


Step: TypeAlias = Spoken | Thought | BlockEnded | CallReady


@slotted
class _Open:
    """A block that is still coming."""

    block: Block
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    citations: list[FrozenDict] = field(default_factory=list)


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
    _open: dict[int, _Open] = field(default_factory=dict)
    _blocks: dict[int, Block] = field(default_factory=dict)
    _held: list[CallReady] = field(default_factory=list)

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply has come."""
        return self._start is not None

    def feed(self, event: StreamEvent) -> Sequence[Step]:
        """Take one event; return what it means."""
        match event:
            case BlockDelta(index, delta):
                return self._advance(self._open.get(index), delta)
            case BlockStart(index, block):
                self._open[index] = _Open(block)
                return self._release()
            case BlockStop(index):
                return self._close(index)
            case MessageStart(message):
                self._begin(message)
            case MessageDelta(delta, usage):
                self._end = event
                self.stop_reason = delta.stop_reason or self.stop_reason
                self.usage = self.usage.updated(usage) if usage is not None else self.usage
            case MessageStop():
                return self._finish()
        return ()

    def _begin(self, message: AssistantMessage) -> None:
        """Take note of who speaks."""
        self._start = message
        self.id, self.model = message.id, message.model
        self.usage = message.usage or Usage()
        for block in blocks_of(message):
            self._blocks[len(self._blocks)] = block

    @staticmethod
    def _advance(opened: _Open | None, delta: object) -> Sequence[Step]:
        """Add to a block; what is said or thought is passed on at once."""
        if opened is None:
            return ()
        match delta:
            case InputJsonDelta(partial_json):
                opened.pieces.append(partial_json)
            case TextDelta(text):
                opened.pieces.append(text)
                return (Spoken(text),)
            case ThinkingDelta(thinking):
                opened.pieces.append(thinking)
                return (Thought(thinking),)
            case SignatureDelta(signature):
                opened.signature.append(signature)
            case CitationsDelta(citation):
                opened.citations.append(citation)
        return ()

    def _close(self, index: int) -> Sequence[Step]:
        """End a block; a call is held until the model moves on."""
        opened = self._open.pop(index, None)
        if opened is None:
            return ()
        block, problem = _finished(opened)
        if not isinstance(block, ToolUse):
            self._blocks[index] = block
            return (BlockEnded(block),)
        self._blocks[index] = block = self._with_own_id(block)
        self._held.append(CallReady(block, problem))
        return ()

    def _with_own_id(self, call: ToolUse) -> ToolUse:
        """Return a call whose id no earlier call has."""
        own, number = call.id, 1
        while own in self.taken or own in self._ids or not own:
            number += 1
            own = f"{call.id or 'call'}_{number}"
        self._ids.add(own)
        return call if own == call.id else replace(call, id=own)

    def _release(self) -> Sequence[Step]:
        """Hand over the calls after which the model has gone on."""
        if not self._held:
            return ()
        held, self._held = self._held, []
        return [step for ready in held for step in (BlockEnded(ready.call), ready)]

    def _finish(self) -> Sequence[Step]:
        """End the reply; a call that may be cut off is never handed over, and leaves the reply."""
        self.is_complete = True
        if self.stop_reason in CUT_OFF:
            self._drop_held()
            return ()
        return self._release()

    def _drop_held(self) -> None:
        """Take the calls that were held out of the reply."""
        dropped = {ready.call.id for ready in self._held}
        self._held = []
        self._blocks = {
            index: block
            for index, block in self._blocks.items()
            if not (isinstance(block, ToolUse) and block.id in dropped)
        }

    def cut(self) -> None:
        """End a reply that will not go on: keep what is whole, and words that were said."""
        self._drop_held()
        for index, opened in list(self._open.items()):
            if isinstance(opened.block, Text) and opened.pieces:
                self._blocks[index] = _finished(opened)[0]
        self._open.clear()

    def message(self) -> AssistantMessage | None:
        """Return the reply as far as it has come; None if there is nothing to keep."""
        content = [self._blocks[index] for index in sorted(self._blocks)]
        kept = tuple([block for block in content if not _is_empty(block)])
        if not kept:
            return None
        start = self._start or AssistantMessage(())
        known = {name: item for name, item in start.extra.items() if name not in _ENDINGS}
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


def _finished(opened: _Open) -> tuple[Block, str]:
    """Return a block with all that came for it, and what is wrong with a call's input."""
    whole = "".join(opened.pieces)
    call = opened.block
    if isinstance(call, ToolUse) and whole:
        parsed, problem = _parse_input(whole)
        return ToolUse(call.id, call.name, parsed, call.caller, call.extra), problem
    match opened.block:
        case Text() as text:
            citations = FrozenList(opened.citations) if opened.citations else text.citations
            return replace(text, text=text.text + whole, citations=citations), ""
        case Thinking() as thinking:
            signature = "".join(opened.signature) or thinking.signature
            return replace(thinking, thinking=thinking.thinking + whole, signature=signature), ""
        case ServerToolUse() as server_call if whole:
            parsed, problem = _parse_input(whole)
            return replace(server_call, input=parsed), problem
        case other:
            return other, ""


def _parse_input(text: str) -> tuple[FrozenDict, str]:
    """Return a call's input, or what was sent in its place and why it is none."""
    try:
        parsed = freeze(loads(text), max_depth=MAX_INPUT_DEPTH)
    except (ValueError, RecursionError) as error:
        return FrozenDict({INVALID_JSON_KEY: text}), f"The input is not valid JSON: {error}"
    if isinstance(parsed, FrozenDict):
        return parsed, ""
    return FrozenDict({INVALID_JSON_KEY: text}), "The input is JSON, but not an object."


def reply_from(
    message: AssistantMessage, taken: frozenset[str] = frozenset()
) -> tuple[Reply, list[Step]]:
    """Return a reply that came in one piece, and the same steps a stream would have given."""
    reply = Reply(taken=taken)
    reply._begin(replace(message, content=()))
    reply.stop_reason = message.stop_reason
    steps: list[Step] = []
    for index, block in enumerate(blocks_of(message)):
        steps += reply._release()
        reply._open[index] = _Open(block)
        if isinstance(block, Text) and block.text:
            steps.append(Spoken(block.text))
        if isinstance(block, Thinking) and block.thinking:
            steps.append(Thought(block.thinking))
        steps += reply._close(index)
    steps += reply._finish()
    return reply, steps
