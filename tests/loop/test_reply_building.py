"""A reply is put together from its events; a call is handed over when the model has moved on."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.loop.coming_block import INVALID_JSON_KEY
from gantlet.loop.reply import (
    BlockEnded,
    CallReady,
    Reply,
    Spoken,
    Step,
    reply_from,
)
from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockDelta,
    BlockStart,
    BlockStop,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    ReplyEnd,
    ServerToolUse,
    SignatureDelta,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    Usage,
    stream_event_from_wire,
)

START = MessageStart(AssistantMessage((), id="m", model="x", usage=Usage(input_tokens=3)))


def text(index: int, *pieces: str) -> list[StreamEvent]:
    said = [BlockDelta(index, TextDelta(piece)) for piece in pieces]
    return [BlockStart(index, Text("")), *said, BlockStop(index)]


def call(index: int, call_id: str, *pieces: str) -> list[StreamEvent]:
    given = [BlockDelta(index, InputJsonDelta(piece)) for piece in pieces]
    return [BlockStart(index, ToolUse(call_id, "Look", {})), *given, BlockStop(index)]


def end(stop_reason: str | None) -> list[StreamEvent]:
    return [MessageDelta(ReplyEnd(stop_reason), Usage(output_tokens=9)), MessageStop()]


def feed(reply: Reply, events: Iterable[StreamEvent]) -> list[Step]:
    return [step for event in events for step in reply.feed(event)]


def ready(steps: Iterable[Step]) -> list[ToolUse]:
    return [step.call for step in steps if isinstance(step, CallReady)]


def test_a_call_is_handed_over_when_the_next_block_starts_and_not_before() -> None:
    reply = Reply()

    during = feed(reply, [START, *call(0, "a", '{"at":', '"x"}')])
    after = feed(reply, [BlockStart(1, Text(""))])

    handed_over = ToolUse("a", "Look", {"at": "x"})
    assert during == []
    assert after == [CallReady(handed_over)]


@pytest.mark.parametrize("stop_reason", ["tool_use", "end_turn", "stop_sequence", None, "new_kind"])
def test_the_last_call_is_handed_over_whatever_the_stop_reason_says(
    stop_reason: str | None,
) -> None:
    reply = Reply()

    steps = feed(reply, [START, *call(0, "a", "{}"), *end(stop_reason)])

    assert ready(steps) == [ToolUse("a", "Look", {})]


@pytest.mark.parametrize("stop_reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
def test_a_call_that_may_be_cut_off_never_runs_and_leaves_the_reply(stop_reason: str) -> None:
    reply = Reply()
    events = [START, *call(0, "a", "{}"), *call(1, "b", "{}"), *end(stop_reason)]

    steps = feed(reply, events)

    assert ready(steps) == [ToolUse("a", "Look", {})]
    message = reply.message()
    assert message is not None
    assert message.content == (ToolUse("a", "Look", {}),)


@pytest.mark.parametrize("sent", ['{"at":', "[1]", '"text"', "null", "{'a': 1}", "NaN", "[" * 5000])
def test_input_that_is_no_json_object_is_kept_as_it_was_sent(sent: str) -> None:
    reply = Reply()

    steps = feed(reply, [START, *call(0, "a", sent), *end("tool_use")])

    handed = [step for step in steps if isinstance(step, CallReady)]
    assert [step.call.input for step in handed] == [{INVALID_JSON_KEY: sent}]
    assert handed[0].problem.startswith("The input is")


def test_empty_input_means_an_empty_object() -> None:
    steps = feed(Reply(), [START, *call(0, "a", ""), *end("tool_use")])

    assert ready(steps) == [ToolUse("a", "Look", {})]


def test_thinking_goes_back_with_its_signature_and_words_are_passed_on_at_once() -> None:
    reply = Reply()
    thought: list[StreamEvent] = [
        BlockStart(0, Thinking("", "")),
        BlockDelta(0, ThinkingDelta("h")),
        BlockDelta(0, ThinkingDelta("m")),
        BlockDelta(0, SignatureDelta("sig")),
        BlockStop(0),
    ]

    steps = feed(reply, [START, *thought, *text(1, "wo", "rds"), *end("end_turn")])

    assert Spoken("wo") in steps
    assert BlockEnded(Thinking("hm", "sig")) in steps
    assert reply.message() == AssistantMessage(
        (Thinking("hm", "sig"), Text("words")),
        id="m",
        model="x",
        stop_reason="end_turn",
        usage=Usage(input_tokens=3, output_tokens=9),
    )


def test_a_reply_that_is_cut_keeps_words_and_whole_blocks_and_nothing_else() -> None:
    reply = Reply()
    events: list[StreamEvent] = [
        START,
        *call(0, "a", "{}"),
        *call(1, "b", "{}"),
        BlockStart(2, Text("")),
        BlockDelta(2, TextDelta("half a sent")),
        BlockStart(3, ToolUse("c", "Look", {})),
        BlockDelta(3, InputJsonDelta('{"at"')),
    ]

    steps = feed(reply, events)
    reply.cut()

    assert [one.id for one in ready(steps)] == ["a", "b"]
    message = reply.message()
    assert message is not None
    kept: tuple[Block, ...] = (
        ToolUse("a", "Look", {}),
        ToolUse("b", "Look", {}),
        Text("half a sent"),
    )
    assert message.content == kept


def test_a_call_whose_id_is_taken_gets_another() -> None:
    reply = Reply(taken=frozenset({"a"}))

    steps = feed(reply, [START, *call(0, "a", "{}"), *call(1, "", "{}"), *end("tool_use")])

    assert [one.id for one in ready(steps)] == ["a_2", "call_2"]


def test_a_server_tool_is_no_call_of_ours_but_its_input_is_read() -> None:
    reply = Reply()
    events: list[StreamEvent] = [
        START,
        BlockStart(0, ServerToolUse("s", "web_search", {})),
        BlockDelta(0, InputJsonDelta('{"query":"x"}')),
        BlockStop(0),
        *end("pause_turn"),
    ]

    steps = feed(reply, events)

    assert steps == [BlockEnded(ServerToolUse("s", "web_search", {"query": "x"}))]


def test_a_reply_in_one_piece_means_the_same_as_its_stream() -> None:
    events = [START, *text(0, "hi"), *call(1, "a", '{"at":1}'), *end("tool_use")]
    streamed = Reply()
    steps = feed(streamed, events)
    message = streamed.message()
    assert message is not None

    whole, whole_steps = reply_from(message)

    assert (whole.message(), whole_steps) == (message, steps)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
kinds = st.sampled_from(
    [
        "message_start", "content_block_start", "content_block_delta", "content_block_stop",
        "message_delta", "message_stop", "ping", "odd",
    ]
)  # fmt: skip
wild_events = st.fixed_dictionaries(
    {"type": kinds},
    optional={
        "index": st.integers(-1, 3),
        "content_block": json_values
        | st.just({"type": "tool_use", "id": "a", "name": "n", "input": {}})
        | st.just({"type": "text", "text": ""}),
        "delta": json_values
        | st.just({"type": "text_delta", "text": "x"})
        | st.just({"type": "input_json_delta", "partial_json": "{"})
        | st.just({"stop_reason": "max_tokens", "stop_sequence": None}),
        "message": json_values,
    },
)


@given(st.lists(wild_events, max_size=12))
def test_no_stream_however_wild_breaks_a_reply(wild: list[dict[str, object]]) -> None:
    reply = Reply()

    steps = feed(reply, [stream_event_from_wire(one) for one in wild])
    reply.cut()

    message = reply.message()
    handed = {one.id for one in ready(steps)}
    kept = {b.id for b in (message.content if message else ()) if isinstance(b, ToolUse)}
    assert kept == handed
