"""Stream events to the wire form of the Messages API and back."""

from collections.abc import Callable

from gantlet.messages.blocks import ToolUse
from gantlet.messages.frozen import FrozenDict, JsonValue
from gantlet.messages.shape import COUNT, OBJECT, TEXT, Family, Field, Shape, nested
from gantlet.messages.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    ErrorDetails,
    InputJsonDelta,
    KnownDelta,
    KnownStreamEvent,
    MessageDelta,
    MessageStart,
    MessageStop,
    Ping,
    ReplyEnd,
    SignatureDelta,
    StreamError,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UnknownDelta,
    UnknownEvent,
)
from gantlet.messages.wire import ASSISTANT, USAGE, block_from_wire, block_to_wire


def stream_event_from_wire(wire: object) -> StreamEvent:
    """Return the event written in `wire`; `UnknownEvent` if its type is new or a field is wrong."""
    if type(wire) is dict and type(kind := wire.get("type")) is str:
        read_plain = _PLAIN_EVENTS.get(kind)
        event = read_plain(wire) if read_plain is not None else None
        if event is not None:
            return event
    return _EVENTS.read(wire)


def stream_event_to_wire(event: StreamEvent) -> JsonValue:
    """Return `event` as it goes on the wire. Do not change it: its parts may be frozen."""
    if type(event) is BlockDelta and not event.extra:
        delta = event.delta
        if type(delta) is TextDelta and not delta.extra:  # a reply has thousands of them
            text: JsonValue = {"type": "text_delta", "text": delta.text}
            return {"type": "content_block_delta", "index": event.index, "delta": text}
    return _EVENTS.write(event)


def _plain_delta(wire: dict[str, object]) -> BlockDelta | None:
    """Return a delta that holds one text and nothing unusual; a reply has thousands of them."""
    index, delta = wire.get("index"), wire.get("delta")
    if type(index) is not int or index < 0 or type(delta) is not dict or len(delta) != 2:
        return None
    try:
        member, make = _PLAIN_DELTAS[delta["type"]]
        text = delta[member]
    except (KeyError, TypeError):  # another kind, or a type that is no text
        return None
    return BlockDelta(index, make(text)) if type(text) is str and len(wire) == 3 else None


def _plain_start(wire: dict[str, object]) -> BlockStart | None:
    """Return the beginning of a call that holds nothing unusual."""
    index = wire.get("index")
    if type(index) is not int or index < 0 or len(wire) != 3:
        return None
    call = _plain_call(wire.get("content_block"))
    return BlockStart(index, call) if call is not None else None


def _plain_stop(wire: dict[str, object]) -> BlockStop | None:
    """Return the end of a block that holds nothing unusual."""
    index = wire.get("index")
    if type(index) is not int or index < 0 or len(wire) != 2:
        return None
    return BlockStop(index)


def _plain_call(block: object) -> ToolUse | None:
    """Return a call whose input is still to come, and that has no member but its own."""
    if type(block) is not dict or len(block) != 4 or block.get("type") != "tool_use":
        return None
    own, name = block.get("id"), block.get("name")
    if type(own) is not str or type(name) is not str or block.get("input") != {}:
        return None
    return ToolUse(own, name, _NO_INPUT)


_NO_INPUT = FrozenDict()
_PLAIN_DELTAS: dict[str, tuple[str, Callable[[str], KnownDelta]]] = {
    "text_delta": ("text", TextDelta),
    "input_json_delta": ("partial_json", InputJsonDelta),
    "thinking_delta": ("thinking", ThinkingDelta),
}
_PLAIN_EVENTS: dict[str, Callable[[dict[str, object]], StreamEvent | None]] = {
    "content_block_delta": _plain_delta,
    "content_block_start": _plain_start,
    "content_block_stop": _plain_stop,
}

_DELTAS: Family[KnownDelta, UnknownDelta] = Family(
    [
        Shape(TextDelta, {"type": "text_delta"}, {"text": TEXT}),
        Shape(InputJsonDelta, {"type": "input_json_delta"}, {"partial_json": TEXT}),
        Shape(ThinkingDelta, {"type": "thinking_delta"}, {"thinking": TEXT}),
        Shape(SignatureDelta, {"type": "signature_delta"}, {"signature": TEXT}),
        Shape(CitationsDelta, {"type": "citations_delta"}, {"citation": OBJECT}),
    ],
    UnknownDelta,
)
_STOP: Shape[ReplyEnd] = Shape(
    ReplyEnd,
    {},
    {},
    {"stop_reason": TEXT, "stop_sequence": TEXT, "stop_details": OBJECT},
    lenient=True,
)
_ERROR: Shape[ErrorDetails] = Shape(ErrorDetails, {}, {"type": TEXT, "message": TEXT})
_BLOCK = Field(block_from_wire, block_to_wire)
_DELTA = Field(_DELTAS.read, _DELTAS.write)

_EVENTS: Family[KnownStreamEvent, UnknownEvent] = Family(
    [
        Shape(MessageStart, {"type": "message_start"}, {"message": nested(ASSISTANT)}),
        Shape(
            BlockStart, {"type": "content_block_start"}, {"index": COUNT, "content_block": _BLOCK}
        ),
        Shape(BlockDelta, {"type": "content_block_delta"}, {"index": COUNT, "delta": _DELTA}),
        Shape(BlockStop, {"type": "content_block_stop"}, {"index": COUNT}),
        Shape(
            MessageDelta,
            {"type": "message_delta"},
            {"delta": nested(_STOP)},
            {"usage": nested(USAGE)},
        ),
        Shape(MessageStop, {"type": "message_stop"}, {}),
        Shape(Ping, {"type": "ping"}, {}),
        Shape(StreamError, {"type": "error"}, {"error": nested(_ERROR)}),
    ],
    UnknownEvent,
)
