"""Replies of servers that speak the format badly: whatever they send, history stays valid."""

from collections.abc import Iterable
from typing import Any

import pytest

from gantlet.loop import History
from gantlet.loop.reply import BlockEnded, CallReady, Reply, Spoken, Step, reply_from
from gantlet.messages import (
    AssistantMessage,
    Block,
    FrozenList,
    JsonValue,
    ResultBlock,
    Text,
    Thinking,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
    message_from_wire,
    stream_event_from_wire,
)

Wire = dict[str, Any]

START: Wire = {"type": "message_start", "message": {"role": "assistant", "content": []}}
CALL: Wire = {"type": "tool_use", "id": "a", "name": "Put"}
WORDS: Wire = {"type": "text", "text": ""}
STOP: Wire = {"type": "message_stop"}


def start(index: int, block: JsonValue) -> Wire:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **member: object) -> Wire:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **member}}


def said(index: int, text: str) -> Wire:
    return delta(index, "text_delta", text=text)


def sent(index: int, text: str) -> Wire:
    return delta(index, "input_json_delta", partial_json=text)


def stop(index: int) -> Wire:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None) -> Wire:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}}


def call(index: int, own: str, path: str) -> list[Wire]:
    begun = start(index, {**CALL, "id": own, "input": {}})
    return [begun, sent(index, f'{{"path":"{path}"}}'), stop(index)]


def put(own: str, **given: JsonValue) -> ToolUse:
    return ToolUse(own, "Put", given)


def read(events: Iterable[Wire]) -> tuple[tuple[Block, ...], list[Step]]:
    """Return the content of a reply and its steps; its calls can be answered in their order."""
    reply = Reply()
    steps = [step for one in events for step in reply.feed(stream_event_from_wire(one))]
    message = reply.message()
    if message is None:
        return (), steps
    ready = [step.call for step in steps if isinstance(step, CallReady)]
    assert ready == [block for block in blocks_of(message) if isinstance(block, ToolUse)]
    history = History.of([UserMessage("go"), message])
    if ready:
        history.added(UserMessage(tuple(ResultBlock(one.id, "done") for one in ready)))
    return blocks_of(message), steps


def problems(steps: Iterable[Step]) -> list[str]:
    return [step.problem for step in steps if isinstance(step, CallReady)]


ODD: dict[str, tuple[list[Wire], tuple[Block, ...]]] = {
    "two calls of one index": (
        [START, *call(0, "a", "x"), *call(0, "b", "y"), end("tool_use"), STOP],
        (put("a", path="x"), put("b", path="y")),
    ),
    "words and a call of one index": (
        [START, start(0, WORDS), said(0, "hi"), stop(0), *call(0, "a", "x"), end("tool_use"), STOP],
        (Text("hi"), put("a", path="x")),
    ),
    "calls side by side, the later one whole first": (
        [
            START,
            start(0, {**CALL, "input": {}}),
            start(1, {**CALL, "id": "b", "input": {}}),
            sent(1, '{"path":'),
            sent(0, '{"path":"x"}'),
            sent(1, '"y"}'),
            stop(1),
            *call(2, "c", "z"),
            stop(0),
            end("tool_use"),
            STOP,
        ],
        (put("a", path="x"), put("b", path="y"), put("c", path="z")),
    ),
    "words without their end": (
        [START, start(0, WORDS), said(0, "hi"), *call(1, "a", "x"), end("tool_use"), STOP],
        (Text("hi"), put("a", path="x")),
    ),
    "a call without its end": (
        [START, start(0, {**CALL, "input": {}}), sent(0, '{"path":"x"}'), end("tool_use"), STOP],
        (put("a", path="x"),),
    ),
    "a cut off call without its end": (
        [START, start(0, {**CALL, "input": {}}), sent(0, '{"path":"x"}'), end("max_tokens"), STOP],
        (),
    ),
    "cut off words without their end": (
        [START, start(0, WORDS), said(0, "half a"), end("max_tokens"), STOP],
        (Text("half a"),),
    ),
    "a thought without end and signature": (
        [
            START,
            start(0, {"type": "thinking", "thinking": "", "signature": ""}),
            delta(0, "thinking_delta", thinking="hm"),
            end("max_tokens"),
            STOP,
        ],
        (),
    ),
    "a call without input": (
        [START, start(0, CALL), sent(0, '{"path":"x"}'), stop(0), STOP],
        (put("a", path="x"),),
    ),
    "a call whose input is null": (
        [START, start(0, {**CALL, "input": None}), sent(0, '{"path":"x"}'), stop(0), STOP],
        (put("a", path="x"),),
    ),
    "a call whose input is an empty text": (
        [START, start(0, {**CALL, "input": ""}), sent(0, '{"path":"x"}'), stop(0), STOP],
        (put("a", path="x"),),
    ),
    "a call whose input is a text": (
        [START, start(0, {**CALL, "input": '{"path":"x"}'}), stop(0), STOP],
        (put("a", path="x"),),
    ),
    "a call whose input comes at once": (
        [START, start(0, {**CALL, "input": {"path": "x"}}), sent(0, ""), stop(0), STOP],
        (put("a", path="x"),),
    ),
    "a call without id": (
        [START, start(0, {"type": "tool_use", "name": "Put", "input": {}}), stop(0), STOP],
        (put("call_2"),),
    ),
    "a call whose id is a number": (
        [START, start(0, {**CALL, "id": 5, "input": {}}), stop(0), STOP],
        (put("call_2"),),
    ),
    "a call without name": (
        [START, start(0, {"type": "tool_use", "id": "a", "input": {}}), stop(0), STOP],
        (ToolUse("a", "unnamed", {}),),
    ),
    "words that begin with nothing": (
        [START, start(0, {"type": "text"}), said(0, "hi"), stop(0), STOP],
        (Text("hi"),),
    ),
    "words that begin with null": (
        [START, start(0, {"type": "text", "text": None}), said(0, "hi"), stop(0), STOP],
        (Text("hi"),),
    ),
    "a thought that begins with nothing": (
        [
            START,
            start(0, {"type": "thinking"}),
            delta(0, "thinking_delta", thinking="hm"),
            delta(0, "signature_delta", signature="s"),
            stop(0),
            STOP,
        ],
        (Thinking("hm", "s"),),
    ),
    "a message that begins with content": (
        [
            {
                "type": "message_start",
                "message": {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "hi"},
                        {**CALL, "input": {"path": "x"}},
                    ],
                },
            },
            *call(0, "b", "y"),
            STOP,
        ],
        (Text("hi"), put("a", path="x"), put("b", path="y")),
    ),
    "a message that begins twice": (
        [START, *call(0, "a", "x"), START, *call(0, "a", "y"), STOP],
        (put("a", path="x"), put("a_2", path="y")),
    ),
    "no beginning": ([*call(0, "a", "x"), STOP], (put("a", path="x"),)),
    "no end but the last event": ([START, *call(0, "a", "x"), STOP], (put("a", path="x"),)),
    "a block that is no object": (
        [START, start(0, "hello"), stop(0), start(1, WORDS), said(1, "hi"), stop(1), STOP],
        (Text("hi"),),
    ),
    "a block without type": ([START, start(0, {"x": 1}), stop(0), STOP], ()),
    "a result, which is no model's to give": (
        [START, start(0, {"type": "tool_result", "tool_use_id": "a"}), stop(0), STOP],
        (),
    ),
    "a broken result": ([START, start(0, {"type": "tool_result"}), stop(0), STOP], ()),
    "a block of a new type that takes input": (
        [
            START,
            start(0, {"type": "mcp_tool_use", "id": "m", "name": "n", "input": {}}),
            sent(0, '{"q":'),
            sent(0, "1}"),
            stop(0),
            STOP,
        ],
        (Unknown({"type": "mcp_tool_use", "id": "m", "name": "n", "input": {"q": 1}}),),
    ),
    "deltas of another block's kind": (
        [
            START,
            start(0, {**CALL, "input": {}}),
            said(0, "words"),
            sent(0, '{"path":"x"}'),
            stop(0),
            start(1, WORDS),
            sent(1, "{}"),
            said(1, "hi"),
            stop(1),
            STOP,
        ],
        (put("a", path="x"), Text("hi")),
    ),
    "one signature after another": (
        [
            START,
            start(0, {"type": "thinking", "thinking": "hm", "signature": ""}),
            delta(0, "signature_delta", signature="old"),
            delta(0, "signature_delta", signature="new"),
            stop(0),
            STOP,
        ],
        (Thinking("hm", "new"),),
    ),
    "a character that comes in halves": (
        [
            START,
            start(0, WORDS),
            said(0, "\ud83d"),
            said(0, "\ude00 \udead"),
            stop(0),
            start(1, CALL),
            sent(1, '{"path":"\ud83d'),
            sent(1, '\ude00"}'),
            stop(1),
            STOP,
        ],
        (Text("😀 \udead"), put("a", path="😀")),
    ),
    "a block that begins again before its end": (
        [START, start(0, WORDS), said(0, "one"), start(0, WORDS), said(0, "two"), stop(0), STOP],
        (Text("one"), Text("two")),
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_still_makes_a_reply_that_can_be_answered(name: str) -> None:
    events, expected = ODD[name]

    content, _ = read(events)

    assert content == expected


@pytest.mark.parametrize("came", ["", '{"path":'], ids=["nothing", "half an object"])
def test_a_call_without_end_and_without_whole_input_is_answered_but_never_run(came: str) -> None:
    begun = start(0, {**CALL, "input": {}})

    _, steps = read([START, begun, *([sent(0, came)] if came else []), end("end_turn"), STOP])

    assert len(problems(steps)) == 1
    assert all(problems(steps))


def test_words_are_told_once_though_their_end_never_came() -> None:
    _, steps = read([START, start(0, WORDS), said(0, "hi"), end("end_turn"), STOP])

    assert steps == [Spoken("hi"), BlockEnded(Text("hi"))]


def test_citations_are_added_to_those_a_text_begins_with() -> None:
    one: JsonValue = {"cited_text": "one"}
    other: JsonValue = {"cited_text": "other"}
    events = [
        START,
        start(0, {**WORDS, "citations": [one]}),
        said(0, "hi"),
        delta(0, "citations_delta", citation=other),
        stop(0),
        STOP,
    ]

    content, _ = read(events)

    assert content == (Text("hi", citations=FrozenList([one, other])),)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"path":"x"}', {"path": "x"}),
        (None, {}),
        ([1], {"invalid_json": "[1]"}),
        ("no json", {"invalid_json": "no json"}),
    ],
    ids=["its text", "null", "an array", "words"],
)
def test_a_whole_reply_may_be_as_odd_as_a_stream(given: JsonValue, expected: Wire) -> None:
    message = message_from_wire({"role": "assistant", "content": [{**CALL, "input": given}]})
    assert isinstance(message, AssistantMessage)

    reply, steps = reply_from(message)

    kept = reply.message()
    assert kept is not None
    assert kept.content == (put("a", **expected),)
    assert [bool(problem) for problem in problems(steps)] == ["invalid_json" in expected]


def test_a_whole_reply_keeps_how_it_ended() -> None:
    wire = {
        "role": "assistant",
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "stop_sequence",
        "stop_sequence": "END",
    }
    message = message_from_wire(wire)
    assert isinstance(message, AssistantMessage)

    kept = reply_from(message)[0].message()

    assert kept is not None
    assert (kept.stop_reason, kept.stop_sequence) == ("stop_sequence", "END")


@pytest.mark.parametrize("first", [[], [START]], ids=["no beginning", "a beginning"])
def test_a_reply_has_begun_when_a_block_has(first: list[Wire]) -> None:
    reply = Reply()

    for one in [*first, start(0, WORDS)]:
        reply.feed(stream_event_from_wire(one))

    assert reply.has_begun
