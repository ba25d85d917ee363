"""A reply over a real socket, however the bytes are framed, cut and packed."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable

import anyio
import pytest

from gantlet.messages import (
    AssistantMessage,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    FrozenDict,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    ModelError,
    ModelErrorKind,
    Ping,
    RedactedThinking,
    ReplyEnd,
    ServerToolUse,
    SignatureDelta,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    UnknownEvent,
    Usage,
    stream_event_from_wire,
)
from gantlet.models.messages_api.reply import Reply
from models.messages_api_kit import (
    EVENTS,
    HOLD,
    LAST_CHUNK,
    PING,
    REPLY,
    START,
    STOP,
    Script,
    Slowly,
    answer,
    block,
    call_block,
    chunks,
    end,
    head,
    request,
    sse,
    streamed,
    talk,
    text_block,
)

pytestmark = pytest.mark.usefixtures("each_transport")

BODY = sse(*REPLY)


def zipped_event_by_event() -> bytes:
    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(sse(wire)) + packer.flush(zlib.Z_SYNC_FLUSH) for wire in REPLY]
    return b"".join([*parts, packer.flush()])


def in_members() -> bytes:
    return b"".join(gzip.compress(sse(wire)) for wire in REPLY)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([head() + chunks(BODY) + LAST_CHUNK], id="one chunk"),
        pytest.param([head() + chunks(BODY, 1) + LAST_CHUNK], id="chunks of one byte"),
        pytest.param([head() + chunks(BODY, 7) + LAST_CHUNK], id="chunks of seven bytes"),
        pytest.param([head(), Slowly(chunks(BODY, 50) + LAST_CHUNK)], id="byte by byte"),
        pytest.param([head(framing=f"content-length: {len(BODY)}") + BODY], id="length"),
        pytest.param([Slowly(head(framing=f"content-length: {len(BODY)}") + BODY)], id="slow head"),
        pytest.param([head(framing="connection: close") + BODY], id="until the end"),
        pytest.param([head(content_type="") + chunks(BODY) + LAST_CHUNK], id="no type"),
        pytest.param(
            [head() + chunks(sse(*REPLY, line_end="\r\n")) + LAST_CHUNK], id="carriage returns"
        ),
        pytest.param(
            [head(content_encoding="gzip") + chunks(gzip.compress(BODY)) + LAST_CHUNK], id="gzip"
        ),
        pytest.param(
            [head(content_encoding="gzip") + chunks(in_members(), 100) + LAST_CHUNK],
            id="gzip, a member for each event",
        ),
        pytest.param(
            [head(framing="connection: close", content_encoding="gzip") + in_members()],
            id="gzip in members, until the end",
        ),
        pytest.param(
            [head(content_encoding="deflate") + chunks(zlib.compress(BODY)) + LAST_CHUNK],
            id="deflate",
        ),
        pytest.param(
            [head(content_encoding="deflate") + chunks(zlib.compress(BODY)[2:-4]) + LAST_CHUNK],
            id="deflate without its head",
        ),
        pytest.param(
            [
                head(content_encoding="gzip"),
                Slowly(chunks(zipped_event_by_event(), 11) + LAST_CHUNK),
            ],
            id="gzip, event by event, byte by byte",
        ),
    ],
)
async def test_a_reply_is_the_same_however_it_is_sent(script: Script) -> None:
    async with talk(script) as conversation:
        heard = await conversation.hear()

    assert heard.error is None
    assert heard.events == EVENTS


async def test_each_event_is_given_as_soon_as_it_has_come() -> None:
    heard_so_far = [anyio.Event() for _ in REPLY]
    script: Script = [head()]
    for wire, was_heard in zip(REPLY, heard_so_far, strict=True):
        script = [*script, chunks(sse(wire)), was_heard.wait]

    async with talk(script) as conversation:
        with anyio.fail_after(10):
            async with conversation.model.stream(request()) as events:
                got: list[StreamEvent] = []
                async for event in events:
                    heard_so_far[len(got)].set()
                    got.append(event)

    assert got == EVENTS


async def test_the_stream_ends_after_message_stop_though_the_server_keeps_the_socket_open() -> None:
    async with talk([head() + chunks(BODY), HOLD]) as conversation:
        heard = await conversation.hear()
        with anyio.fail_after(5):
            await conversation.server.gone.wait()

    assert heard.error is None
    assert heard.events == EVENTS


async def test_what_follows_message_stop_is_not_read() -> None:
    async with talk(streamed(*REPLY, PING, START), streamed(*REPLY)) as conversation:
        first = await conversation.hear()
        second = await conversation.hear()

    assert (first.events, second.events) == (EVENTS, EVENTS)


async def test_pings_and_unknown_events_are_passed_on() -> None:
    future = {"type": "from_the_future", "x": 1}
    script: Script = [
        head()
        + chunks(b": hello\n\n" + sse(PING, START, future) + b"event: nothing\n\n" + sse(STOP))
        + LAST_CHUNK
    ]

    async with talk(script) as conversation:
        heard = await conversation.hear()

    assert heard.error is None
    assert heard.events == [
        Ping(),
        stream_event_from_wire(START),
        UnknownEvent(FrozenDict(future)),
        MessageStop(),
    ]


@pytest.mark.parametrize(
    ("told", "event"),
    [
        (b'event: ping\ndata: {"x": 1}\n\n', Ping(FrozenDict(x=1))),
        (b"event: ping\ndata:\n\n", Ping()),
        (b'data: {"type": "ping"}\n\n', Ping()),
        (b"data: 5\n\n", UnknownEvent(5)),
        (b'data: {"type":\ndata: "ping"}\n\n', Ping()),
        (b'id: 7\nretry: 9\nevent: other\ndata: {"type": "ping"}\n\n', Ping()),
    ],
)
async def test_the_type_of_an_event_is_in_its_data_or_else_its_name(
    told: bytes, event: StreamEvent
) -> None:
    async with talk([head() + chunks(told + sse(STOP)) + LAST_CHUNK]) as conversation:
        heard = await conversation.hear()

    assert heard.events == [event, MessageStop()]


MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xx"},
        {"type": "text", "text": "Ça", "citations": [{"cited_text": "ça"}]},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "é"}},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 9},
}


async def test_a_server_that_does_not_stream_is_understood() -> None:
    async with talk([answer(200, MESSAGE)]) as conversation:
        heard = await conversation.hear()

    usage = Usage(3, 9)
    extra = FrozenDict(type="message", stop_sequence=None)
    assert heard.error is None
    assert heard.events == [
        MessageStart(AssistantMessage((), "msg_1", "m", usage=usage, extra=extra)),
        BlockStart(0, Thinking("")),
        BlockDelta(0, ThinkingDelta("hm")),
        BlockDelta(0, SignatureDelta("sig")),
        BlockStop(0),
        BlockStart(1, RedactedThinking("xx")),
        BlockStop(1),
        BlockStart(2, Text("")),
        BlockDelta(2, TextDelta("Ça")),
        BlockDelta(2, CitationsDelta(FrozenDict(cited_text="ça"))),
        BlockStop(2),
        BlockStart(3, ToolUse("toolu_1", "Read", {})),
        BlockDelta(3, InputJsonDelta('{"path":"é"}')),
        BlockStop(3),
        BlockStart(4, ServerToolUse("srvtoolu_1", "web_search", {})),
        BlockDelta(4, InputJsonDelta("{}")),
        BlockStop(4),
        MessageDelta(ReplyEnd("tool_use"), usage),
        MessageStop(),
    ]


async def test_a_whole_reply_is_waited_for() -> None:
    async with talk([answer(200, MESSAGE)]) as conversation:
        message = await conversation.model.complete(request())
        sent = conversation.server.requests[0]

    assert sent.wire["stream"] is False
    assert message.id == "msg_1"
    assert message.stop_reason == "tool_use"
    assert isinstance(message.content, tuple)
    assert message.content[3] == ToolUse("toolu_1", "Read", {"path": "é"})


async def test_connections_are_used_again() -> None:
    async with talk(
        streamed(*REPLY), [answer(200, MESSAGE)], [answer(400, {})], streamed(*REPLY)
    ) as conversation:
        await conversation.hear()
        await conversation.model.complete(request())
        await conversation.hear()
        last = await conversation.hear()

    assert last.events == EVENTS
    assert len(conversation.server.requests) == 4
    assert conversation.server.connections == 1


async def test_a_connection_whose_reply_was_left_early_is_closed() -> None:
    async with talk([head() + chunks(sse(*REPLY[:3])), HOLD], streamed(*REPLY)) as conversation:
        async with conversation.model.stream(request()) as events:
            first = await anext(events)
        with anyio.fail_after(5):
            await conversation.server.gone.wait()
        heard = await conversation.hear()

    assert first == EVENTS[0]
    assert heard.events == EVENTS
    assert conversation.server.connections == 2


async def test_nothing_comes_outside_the_context() -> None:
    async with talk(streamed(*REPLY)) as conversation:
        async with conversation.model.stream(request()) as events:
            await anext(events)

        assert [event async for event in events] == []


async def taken_together(events: AsyncIterator[StreamEvent], got: list[StreamEvent]) -> None:
    """Wait for one event after the other, and take those that have come with it."""
    assert isinstance(events, Reply)
    async for event in events:
        got += [event, *events.ready_events()]
    assert [*events.ready_events()] == []


async def test_events_that_came_together_are_taken_together_and_once() -> None:
    got: list[StreamEvent] = []
    async with talk(streamed(*REPLY, PING, START), streamed(*REPLY)) as conversation:
        async with conversation.model.stream(request()) as events:
            await taken_together(events, got)
        heard = await conversation.hear()

    assert got == heard.events == EVENTS
    assert conversation.server.connections == 1


async def test_nothing_is_ready_outside_the_context() -> None:
    async with talk(streamed(*REPLY)) as conversation:
        async with conversation.model.stream(request()) as events:
            await anext(events)

        assert isinstance(events, Reply)
        assert [*events.ready_events()] == []


OVERLOADED = sse({"type": "error", "error": {"type": "overloaded_error", "message": "no"}})


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (b"event: ping\ndata: {nonsense\n\n", ModelErrorKind.BROKEN_STREAM),
        (OVERLOADED, ModelErrorKind.OVERLOADED),
    ],
    ids=["nonsense", "error"],
)
async def test_events_before_a_fault_are_taken_before_it_is_raised(
    fault: bytes, kind: ModelErrorKind
) -> None:
    got: list[StreamEvent] = []
    body = sse(*REPLY[:4]) + fault + sse(*REPLY[4:])
    async with talk([head() + chunks(body) + LAST_CHUNK]) as conversation:
        with pytest.raises(ModelError) as caught:
            async with conversation.model.stream(request()) as events:
                await taken_together(events, got)

    assert got == EVENTS[:4]
    assert (caught.value.kind, caught.value.has_begun) == (kind, True)


async def test_a_closed_model_opens_new_connections_when_asked() -> None:
    async with talk(streamed(*REPLY), streamed(*REPLY)) as conversation:
        await conversation.hear()
        await conversation.model.aclose()
        await conversation.model.aclose()
        heard = await conversation.hear()

    assert heard.events == EVENTS
    assert conversation.server.connections == 2


async def test_many_replies_stream_side_by_side() -> None:
    count = 20
    replies = {}

    async with talk(*[streamed(*REPLY)] * count) as conversation:

        async def hear(number: int) -> None:
            replies[number] = await conversation.hear()

        async with anyio.create_task_group() as group:
            for number in range(count):
                group.start_soon(hear, number)

    assert all(heard.events == EVENTS for heard in replies.values())


def large_call() -> list[dict[str, object]]:
    return [START, *call_block(0, "Write", *["x" * 50_000] * 40), end("tool_use"), STOP]


def many_blocks() -> list[dict[str, object]]:
    blocks = [event for index in range(200) for event in text_block(index, "a", "b")]
    return [START, *blocks, *block(200, {"type": "fallback"}), end(), STOP]


@pytest.mark.parametrize("events", [large_call, many_blocks])
async def test_a_large_reply_comes_whole(events: Callable[[], list[dict[str, object]]]) -> None:
    wires = events()

    async with talk([head() + chunks(sse(*wires), 4000) + LAST_CHUNK]) as conversation:
        heard = await conversation.hear()

    assert heard.events == [stream_event_from_wire(wire) for wire in wires]
