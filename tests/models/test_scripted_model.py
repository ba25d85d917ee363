"""The scripted model in this process: its events, their moments, and how it fails."""

from collections.abc import Sequence

import anyio
import pytest

from gantlet.messages import (
    AssistantMessage,
    BlockDelta,
    BlockStart,
    BlockStop,
    Capabilities,
    FrozenDict,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    Model,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    Ping,
    RedactedThinking,
    ReplyEnd,
    SignatureDelta,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    UnknownEvent,
    Usage,
    UserMessage,
    dumps,
    stream_event_from_wire,
    stream_event_to_wire,
    thaw,
)
from gantlet.models.scripted import ScriptedModel, parse_script, script_of
from gantlet.system import Clock
from gantlet.testing import VirtualClock

HELLO = ModelRequest("model-1", 1000, [b'{"role":"user","content":"hello"}'])


class Retries:
    """Notes what it is told about retries."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, float, str, int | None]] = []

    def __call__(
        self,
        *,
        attempt: int,
        max_attempts: int,
        delay_seconds: float,
        reason: str,
        status: int | None,
    ) -> None:
        self.told.append((attempt, max_attempts, delay_seconds, reason, status))


def scripted(*replies: object, clock: Clock | None = None, max_retries: int = 0) -> ScriptedModel:
    """Return a model that gives these replies."""
    return ScriptedModel(script_of(*replies), clock, max_retries=max_retries)


async def heard(model: Model, request: ModelRequest = HELLO) -> list[StreamEvent]:
    """Return all events of a reply."""
    async with model.stream(request) as events:
        return [event async for event in events]


async def heard_until_it_fails(model: Model) -> tuple[list[StreamEvent], ModelError]:
    """Return the events before a failure, and the failure."""
    events: list[StreamEvent] = []
    try:
        async with model.stream(HELLO) as stream:
            async for event in stream:
                events.append(event)
    except ModelError as error:
        return events, error
    pytest.fail("It did not fail.")


def bodies(events: Sequence[StreamEvent]) -> list[StreamEvent]:
    """Return the events between the beginning and the end of a reply, without pings."""
    return [
        event
        for event in events
        if not isinstance(event, MessageStart | MessageDelta | MessageStop | Ping)
    ]


async def test_a_reply_gives_exactly_the_events_that_a_server_sends() -> None:
    model = scripted(
        [
            {"thinking": "Hm.", "signature": "sig"},
            {"text": "Hello", "chunks": 2},
            {"call": "Read", "input": {"file_path": "a"}, "id": "toolu_1"},
        ]
    )

    events = await heard(model)

    usage = Usage(events[0].message.usage.input_tokens, 1, 0, 0)  # type: ignore[union-attr]  # is a start
    assert events == [
        MessageStart(
            AssistantMessage(
                (),
                "msg_1_1",
                "model-1",
                usage=usage,
                extra=FrozenDict(type="message", stop_reason=None, stop_sequence=None),
            )
        ),
        BlockStart(0, Thinking("", "")),
        Ping(),
        BlockDelta(0, ThinkingDelta("Hm.")),
        BlockDelta(0, SignatureDelta("sig")),
        BlockStop(0),
        BlockStart(1, Text("")),
        BlockDelta(1, TextDelta("He")),
        BlockDelta(1, TextDelta("llo")),
        BlockStop(1),
        BlockStart(2, ToolUse("toolu_1", "Read", {})),
        BlockDelta(2, InputJsonDelta("")),
        BlockDelta(2, InputJsonDelta('{"file_path":"a"}')),
        BlockStop(2),
        MessageDelta(
            ReplyEnd("tool_use", extra=FrozenDict(stop_sequence=None)),
            Usage(usage.input_tokens, 7, 0, 0),
        ),
        MessageStop(),
    ]


async def test_the_events_survive_the_way_over_the_wire() -> None:
    events = await heard(scripted([{"thinking": "a"}, "b", {"call": "C", "input": {"d": [1]}}]))

    wires = [thaw(stream_event_to_wire(event)) for event in events]

    assert [stream_event_from_wire(wire) for wire in wires] == events


async def test_a_reply_in_one_piece_is_what_its_events_make_up() -> None:
    model = scripted(
        {
            "say": [
                {"thinking": "Hm.", "signature": "sig"},
                {"text": ["Hel", "lo"]},
                {"call": "Read", "input": {"file_path": "a"}, "chunks": 3},
                {"call": "Ls"},
                {"call": "Bad", "input_json": '{"a": '},
                {"call": "Worse", "input_json": "[1]"},
                {"block": {"type": "redacted_thinking", "data": "x"}},
                {"event": {"type": "news"}},
            ],
            "stop_reason": "stop_sequence",
            "stop_sequence": "END",
            "stop_details": {"type": "none"},
            "usage": {"input_tokens": 5, "output_tokens": 6},
        }
    )

    reply = await model.complete(HELLO)

    assert reply == AssistantMessage(
        content=(
            Thinking("Hm.", "sig"),
            Text("Hello"),
            ToolUse("toolu_1_1_1", "Read", {"file_path": "a"}),
            ToolUse("toolu_1_1_2", "Ls", {}),
            ToolUse("toolu_1_1_3", "Bad", {"INVALID_JSON": '{"a": '}),
            ToolUse("toolu_1_1_4", "Worse", {"INVALID_JSON": "[1]"}),
            RedactedThinking("x"),
        ),
        id="msg_1_1",
        model="model-1",
        stop_reason="stop_sequence",
        stop_sequence="END",
        stop_details=FrozenDict(type="none"),
        usage=Usage(5, 6, 0, 0),
        extra=FrozenDict(type="message"),
    )


@pytest.mark.parametrize(
    ("reply", "stop_reason"),
    [
        ("words", "end_turn"),
        ([{"call": "A"}], "tool_use"),
        ({"say": "words", "stop_sequence": "X"}, "stop_sequence"),
        ({"say": "words", "stop_reason": "pause_turn"}, "pause_turn"),
        ({"say": [{"call": "A"}], "stop_reason": None}, None),
    ],
)
async def test_the_stop_reason_follows_from_the_pieces_unless_it_is_given(
    reply: object, stop_reason: str | None
) -> None:
    message = await scripted(reply).complete(HELLO)

    assert message.stop_reason == stop_reason


async def test_broken_json_is_streamed_as_it_is_written() -> None:
    events = await heard(scripted([{"call": "A", "input_json": '{"a": tru', "chunks": 2}]))

    pieces = [
        event.delta.partial_json
        for event in events
        if isinstance(event, BlockDelta) and isinstance(event.delta, InputJsonDelta)
    ]
    assert pieces == ["", '{"a"', ": tru"]


async def test_events_of_unknown_types_are_passed_on() -> None:
    events = await heard(scripted([{"event": {"type": "news", "n": 1}}, {"ping": True}, "hi"]))

    assert events[1:3] == [UnknownEvent({"type": "news", "n": 1}), Ping()]


async def test_waits_and_pauses_are_kept_on_the_clock() -> None:
    async with VirtualClock() as clock:
        model = scripted(
            [
                {"wait": 2},
                {"text": ["a", "b", "c"], "pause": 0.5},
                {"wait": 10},
                {"call": "T", "input": {"x": 1}, "pause": 1},
            ],
            clock=clock,
        )

        moments = []
        async with model.stream(HELLO) as events:
            entered = clock.now()
            async for event in events:
                moments.append((clock.now(), type(event).__name__))

    assert entered == 2
    assert moments == [
        (2, "MessageStart"),
        (2, "BlockStart"),
        (2, "Ping"),
        (2, "BlockDelta"),
        (2.5, "BlockDelta"),
        (3, "BlockDelta"),
        (3, "BlockStop"),
        (13, "BlockStart"),
        (13, "BlockDelta"),
        (14, "BlockDelta"),
        (14, "BlockStop"),
        (14, "MessageDelta"),
        (14, "MessageStop"),
    ]


async def test_a_whole_reply_takes_as_long_as_a_streamed_one() -> None:
    async with VirtualClock() as clock:
        model = scripted([{"wait": 2}, {"text": ["a", "b"], "pause": 0.5}], clock=clock)

        await model.complete(HELLO)

        assert clock.now() == 2.5


async def test_every_request_is_kept_and_parsed() -> None:
    model = scripted("one", "two")
    request = ModelRequest(
        "model-1",
        7,
        [b'{"role":"user","content":"hello"}'],
        system=b'[{"type":"text","text":"Be"},{"type":"text","text":"kind."}]',
        tools=b'[{"name":"T","input_schema":{"type":"object"}}]',
        extra={"metadata": {"user_id": "u"}},
        betas=("beta-1",),
    )

    await heard(model, request)
    await model.complete(HELLO)

    first, second = model.requests
    assert first.messages == (UserMessage("hello"),)
    assert (first.model, first.max_tokens, first.betas) == ("model-1", 7, ("beta-1",))
    assert first.system == "Be\nkind."
    assert [tool["name"] for tool in first.tools] == ["T"]
    assert first.body["metadata"] == {"user_id": "u"}
    assert (first.wants_stream, second.wants_stream) == (True, False)


async def test_capabilities_are_those_that_were_given() -> None:
    model = ScriptedModel(script_of("x"), capabilities=Capabilities(thinking=True))

    assert model.capabilities("big") == Capabilities("big", thinking=True)
    assert ScriptedModel(script_of("x")).capabilities("small") == Capabilities("small")


@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        ({"error": "overloaded"}, ModelErrorKind.OVERLOADED, 529),
        ({"error": "rate_limit"}, ModelErrorKind.RATE_LIMIT, 429),
        ({"error": "authentication"}, ModelErrorKind.AUTHENTICATION_FAILED, 401),
        ({"error": "billing"}, ModelErrorKind.BILLING_ERROR, 402),
        ({"error": "not_found"}, ModelErrorKind.MODEL_NOT_FOUND, 404),
        ({"error": "prompt_too_long"}, ModelErrorKind.PROMPT_TOO_LONG, 400),
        ({"status": 503}, ModelErrorKind.SERVER_ERROR, 503),
        ({"status": 418}, ModelErrorKind.INVALID_REQUEST, 418),
        ({"drop": True}, ModelErrorKind.CONNECTION, None),
        ({"garble": "not_json"}, ModelErrorKind.BROKEN_STREAM, None),
    ],
)
async def test_a_fault_before_the_reply_is_a_failure_without_events(
    fault: dict[str, object], kind: ModelErrorKind, status: int | None
) -> None:
    events, error = await heard_until_it_fails(scripted({"say": "hi", "fault": fault}))

    assert events == []
    assert (error.kind, error.status, error.has_begun) == (kind, status, False)


REPLY = ["Hello", {"call": "A", "input": {"n": 1}}, {"call": "B"}]
TEXT = [BlockStart(0, Text("")), BlockDelta(0, TextDelta("He"))]
REST = [BlockDelta(0, TextDelta("llo")), BlockStop(0)]
WHOLE_TEXT = [BlockStart(0, Text("")), BlockDelta(0, TextDelta("Hello")), BlockStop(0)]
CALL = [BlockStart(1, ToolUse("toolu_1_1_1", "A", {})), BlockDelta(1, InputJsonDelta(""))]
WHOLE_CALL = [*CALL, BlockDelta(1, InputJsonDelta('{"n":1}')), BlockStop(1)]
OTHER_CALL = [
    BlockStart(2, ToolUse("toolu_1_1_2", "B", {})),
    BlockDelta(2, InputJsonDelta("")),
    BlockStop(2),
]


@pytest.mark.parametrize(
    ("place", "before"),
    [
        ({"at": "start"}, []),
        ({"at": "mid_text"}, TEXT),
        ({"at": "mid_json"}, [*WHOLE_TEXT, *CALL, BlockDelta(1, InputJsonDelta('{"n'))]),
        ({"at": "after_call"}, [*WHOLE_TEXT, *WHOLE_CALL]),
        ({"at": "after_call", "nth": 2}, [*WHOLE_TEXT, *WHOLE_CALL, *OTHER_CALL]),
        ({"at": "end"}, [*WHOLE_TEXT, *WHOLE_CALL, *OTHER_CALL]),
    ],
)
@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ({"error": "overloaded"}, ModelErrorKind.OVERLOADED),
        ({"drop": True}, ModelErrorKind.CONNECTION),
        ({"garble": "half_event"}, ModelErrorKind.BROKEN_STREAM),
    ],
)
async def test_a_fault_within_the_reply_comes_after_the_right_events(
    what: dict[str, object],
    kind: ModelErrorKind,
    place: dict[str, object],
    before: list[StreamEvent],
) -> None:
    fault: dict[str, object] = {**what, **place}
    model = scripted({"say": REPLY, "fault": fault})

    events, error = await heard_until_it_fails(model)

    assert isinstance(events[0], MessageStart)
    assert bodies(events) == before
    assert (error.kind, error.status, error.has_begun) == (kind, None, True)


async def test_a_fault_in_a_thought_breaks_it_off() -> None:
    fault = {"drop": True, "at": "mid_thinking"}

    events, _ = await heard_until_it_fails(scripted({"say": [{"thinking": "Hm"}], "fault": fault}))

    assert bodies(events) == [BlockStart(0, Thinking("", "")), BlockDelta(0, ThinkingDelta("H"))]


async def test_a_fault_happens_once_and_the_same_request_then_gets_the_reply() -> None:
    model = scripted({"say": "hi", "fault": {"drop": True, "at": "end"}})

    await heard_until_it_fails(model)
    reply = await model.complete(HELLO)

    assert reply.content == (Text("hi"),)


async def test_faults_follow_one_another_each_as_often_as_it_says() -> None:
    faults = [{"error": "overloaded", "times": 2}, {"drop": True}]
    model = scripted({"say": "hi", "fault": faults})

    failures = [(await heard_until_it_fails(model))[1].kind for _ in range(3)]

    assert failures == [
        ModelErrorKind.OVERLOADED,
        ModelErrorKind.OVERLOADED,
        ModelErrorKind.CONNECTION,
    ]
    assert (await model.complete(HELLO)).content == (Text("hi"),)


async def test_a_fault_can_happen_always() -> None:
    model = scripted({"say": "hi", "fault": {"error": "overloaded", "times": "always"}})

    for _ in range(5):
        with pytest.raises(ModelError, match="Overloaded"):
            await model.complete(HELLO)


async def test_another_request_meets_the_fault_anew() -> None:
    model = scripted({"say": "hi", "fault": {"drop": True}})
    other = ModelRequest("model-1", 1000, [b'{"role":"user","content":"other"}'])

    for request in (HELLO, other):
        with pytest.raises(ModelError):
            await model.complete(request)
        assert (await model.complete(request)).content == (Text("hi"),)


async def test_a_stall_keeps_silent_and_then_goes_on() -> None:
    async with VirtualClock() as clock:
        fault = {"stall": 30, "at": "mid_text"}
        model = scripted({"say": "Hello", "fault": fault}, clock=clock)

        events = await heard(model)

        assert clock.now() == 30
    assert bodies(events) == [*TEXT, *REST]


@pytest.mark.parametrize("at", ["before", "mid_text", "end"])
async def test_a_stall_for_ever_ends_when_it_is_cancelled(at: str) -> None:
    clock = VirtualClock()
    model = scripted({"say": "Hello", "fault": {"stall": "forever", "at": at}}, clock=clock)

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(heard, model)
            await clock.advance(1_000_000)
            assert not scope.cancel_called
            scope.cancel()

    assert scope.cancelled_caught


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        ({"truncate": "max_tokens", "at": "mid_text"}, [*TEXT, BlockStop(0)]),
        ({"truncate": "max_tokens", "at": "mid_text", "closes": False}, TEXT),
        ({"truncate": "max_tokens", "at": "after_call"}, [*WHOLE_TEXT, *WHOLE_CALL]),
        (
            {"truncate": "max_tokens", "at": "mid_json"},
            [*WHOLE_TEXT, *CALL, BlockDelta(1, InputJsonDelta('{"n')), BlockStop(1)],
        ),
    ],
)
async def test_a_truncated_reply_ends_early_with_its_stop_reason(
    fault: dict[str, object], kept: list[StreamEvent]
) -> None:
    events = await heard(scripted({"say": REPLY, "fault": fault}))

    assert bodies(events) == kept
    assert isinstance(events[-2], MessageDelta)
    assert events[-2].delta.stop_reason == "max_tokens"
    assert events[-1] == MessageStop()


async def test_a_truncated_reply_is_the_same_in_one_piece() -> None:
    fault = {"truncate": "max_tokens", "at": "mid_json", "times": "always"}

    reply = await scripted({"say": REPLY, "fault": fault}).complete(HELLO)

    call = ToolUse("toolu_1_1_1", "A", {"INVALID_JSON": '{"n'})
    assert (reply.content, reply.stop_reason) == ((Text("Hello"), call), "max_tokens")


async def test_a_failure_that_may_pass_is_retried_if_the_model_is_told_to() -> None:
    async with VirtualClock() as clock:
        faults = [{"error": "rate_limit", "retry_after": 7}, {"drop": True}]
        model = scripted({"say": "hi", "fault": faults}, clock=clock, max_retries=3)
        retries = Retries()

        reply = await model.complete(HELLO, retries)

        assert clock.now() == 8
    assert reply.content == (Text("hi"),)
    assert retries.told == [(1, 3, 7.0, "rate_limit", 429), (2, 3, 1.0, "connection", None)]
    assert len(model.requests) == 3


async def test_retries_end_and_what_cannot_pass_is_not_retried() -> None:
    async with VirtualClock() as clock:
        busy = {"say": "hi", "fault": {"error": "overloaded", "times": "always"}}
        refused = {"say": "hi", "fault": {"error": "authentication"}}
        broken = {"say": "hi", "fault": {"drop": True, "at": "mid_text"}}
        counts = []
        for reply in (busy, refused, broken):
            model = scripted(reply, clock=clock, max_retries=2)
            await heard_until_it_fails(model)
            counts.append(len(model.requests))

    assert counts == [3, 1, 1]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ModelRequest("", 10, [b'{"role":"user","content":"x"}']), "model: Field required"),
        (ModelRequest("m", 0, [b'{"role":"user","content":"x"}']), "max_tokens: Input should"),
        (ModelRequest("m", 1, []), "messages: at least one message is required"),
        (ModelRequest("m", 1, [b'{"role":"system","content":"x"}']), "messages.0: The role of"),
        (ModelRequest("m", 1, [b'{"role":"user","content":7}']), "messages.0: The content of"),
        (ModelRequest("m", 1, [b"{"]), "The request body is not valid JSON"),
        (ModelRequest("m", 1, [b'{"role":"user","content":"x"}'], system=b"[1]"), "system: Input"),
        (ModelRequest("m", 1, [b'{"role":"user","content":"x"}'], tools=b"[1]"), "tools: Input"),
        (
            ModelRequest("m", 1, [b'{"role":"user","content":"x"}'], tools=b'[{"name":"a b"}]'),
            "tools.0.custom.name: String should match pattern",
        ),
        (
            ModelRequest("m", 1, [b'{"role":"user","content":"x"}'], tools=b'[{"name":"a"}]'),
            "tools.0.custom.input_schema.type: Input should be 'object'",
        ),
        (
            ModelRequest(
                "m",
                1,
                [b'{"role":"user","content":"x"}'],
                tools=dumps([{"name": "a", "input_schema": {"type": "object"}}] * 2),
            ),
            "tools: Tool names must be unique.",
        ),
        (
            ModelRequest(
                "m",
                1,
                [b'{"role":"user","content":"x"}'],
                system=dumps(
                    [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}] * 5
                ),
            ),
            "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        ),
        (
            ModelRequest("m", 1, [b'{"role":"user","content":' + b"[" * 400 + b"]" * 400 + b"}"]),
            "The request body is not valid JSON: The value nests deeper than 256 levels",
        ),
    ],
)
async def test_a_request_is_refused_as_the_api_would(request_: ModelRequest, said: str) -> None:
    with pytest.raises(ModelError) as raised:
        await scripted("hi").complete(request_)

    assert str(raised.value).startswith(said)
    assert (raised.value.kind, raised.value.status) == (ModelErrorKind.INVALID_REQUEST, 400)


async def test_tools_of_the_api_need_no_schema() -> None:
    tools = dumps([{"type": "web_search_20250305", "name": "web_search"}])
    request = ModelRequest("m", 1, [b'{"role":"user","content":"x"}'], tools=tools)

    assert (await scripted("hi").complete(request)).content == (Text("hi"),)


async def test_closing_does_nothing() -> None:
    model = scripted("hi")

    await model.aclose()

    assert (await model.complete(HELLO)).content == (Text("hi"),)


async def test_it_is_a_model_to_the_type_checker_and_in_fact() -> None:
    model: Model = ScriptedModel(parse_script("- hi"))

    assert len(await heard(model)) == 7
