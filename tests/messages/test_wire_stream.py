"""What each event of a streamed reply becomes."""

import pytest

from gantlet.messages import (
    AssistantMessage,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    ErrorDetails,
    FrozenDict,
    InputJsonDelta,
    JsonValue,
    MessageDelta,
    MessageStart,
    MessageStop,
    Ping,
    ReplyEnd,
    SignatureDelta,
    StreamError,
    StreamEvent,
    Text,
    TextDelta,
    ThinkingDelta,
    ToolUse,
    Unknown,
    UnknownDelta,
    UnknownEvent,
    Usage,
    stream_event_from_wire,
    stream_event_to_wire,
)

START: dict[str, JsonValue] = {
    "id": "msg_1",
    "role": "assistant",
    "content": [],
    "model": "m",
    "stop_reason": None,
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
CALL: dict[str, JsonValue] = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}


def start_of(block: JsonValue) -> dict[str, JsonValue]:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def delta_of(delta: JsonValue) -> dict[str, JsonValue]:
    return {"type": "content_block_delta", "index": 1, "delta": delta}


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        (
            {"type": "message_start", "message": START},
            MessageStart(
                AssistantMessage(
                    (), "msg_1", "m", usage=Usage(3, 1), extra=FrozenDict(stop_reason=None)
                )
            ),
        ),
        (start_of({"type": "text", "text": ""}), BlockStart(0, Text(""))),
        (start_of(CALL), BlockStart(0, ToolUse("toolu_1", "Read", {}))),
        (start_of({"type": "fallback"}), BlockStart(0, Unknown(FrozenDict(type="fallback")))),
        (delta_of({"type": "text_delta", "text": "a"}), BlockDelta(1, TextDelta("a"))),
        (
            delta_of({"type": "input_json_delta", "partial_json": '{"a'}),
            BlockDelta(1, InputJsonDelta('{"a')),
        ),
        (delta_of({"type": "thinking_delta", "thinking": "b"}), BlockDelta(1, ThinkingDelta("b"))),
        (
            delta_of({"type": "signature_delta", "signature": "c"}),
            BlockDelta(1, SignatureDelta("c")),
        ),
        (
            delta_of({"type": "citations_delta", "citation": {"x": 1}}),
            BlockDelta(1, CitationsDelta(FrozenDict(x=1))),
        ),
        (
            delta_of({"type": "new_delta", "x": 1}),
            BlockDelta(1, UnknownDelta(FrozenDict(type="new_delta", x=1))),
        ),
        (
            delta_of({"type": "text_delta", "text": 5}),
            BlockDelta(1, UnknownDelta(FrozenDict(type="text_delta", text=5))),
        ),
        ({"type": "content_block_stop", "index": 2}, BlockStop(2)),
        (
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
            MessageDelta(ReplyEnd("end_turn"), Usage()),
        ),
        ({"type": "message_stop"}, MessageStop()),
        ({"type": "ping", "x": 1}, Ping(FrozenDict(x=1))),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            StreamError(ErrorDetails("overloaded_error", "Overloaded")),
        ),
    ],
)
def test_an_event_is_read_and_written(wire: dict[str, JsonValue], event: StreamEvent) -> None:
    assert stream_event_from_wire(wire) == event
    assert stream_event_to_wire(event) == wire


@pytest.mark.parametrize(
    "wire",
    [
        None,
        [],
        {"type": 1},
        {"type": "from_the_future"},
        {"type": "message_start"},
        {"type": "message_start", "message": {**START, "role": "user"}},
        {"type": "message_start", "message": {**START, "content": None}},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_delta", "index": "0", "delta": {}},
        {"type": "content_block_stop", "index": -1},
        {"type": "content_block_stop", "index": True},
        {"type": "content_block_stop", "index": 1.0},
        {"type": "message_delta", "delta": None},
        {"type": "error", "error": "overloaded"},
    ],
)
def test_an_event_that_cannot_be_read_is_kept_raw(wire: JsonValue) -> None:
    event = stream_event_from_wire(wire)

    assert event == UnknownEvent(wire)
    assert stream_event_to_wire(event) == wire
