"""Every way a reply can break, at every moment: one error of a known kind, and what came before."""

import asyncio
import gzip
import socket
from dataclasses import dataclass

import anyio
import pytest

from gantlet.messages import ModelError, ModelErrorKind
from gantlet.models.messages_api import MessagesApi
from gantlet.models.messages_api.direct import DirectTransport
from gantlet.models.messages_api.exchange import LateError
from gantlet.testing import VirtualClock
from models.messages_api_kit import (
    CLOSE,
    DROP,
    EVENTS,
    HOLD,
    LAST_CHUNK,
    PING,
    REPLY,
    START,
    STOP,
    RawServer,
    Repeat,
    Script,
    Step,
    answer,
    chunks,
    endpoint_of,
    fault_of,
    head,
    request,
    sse,
    streamed,
    talk,
    way,
)

pytestmark = pytest.mark.usefixtures("each_transport")

BODY = sse(*REPLY)
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@dataclass(frozen=True)
class Moment:
    """Where a reply is cut, and how many of its events are whole by then."""

    name: str
    at: int
    events: int


MOMENTS = [
    Moment("after the headers", 0, 0),
    Moment("in the first event", 40, 0),
    Moment("after message_start", len(sse(START)), 1),
    Moment("in an event", BODY.index("coûte".encode()), 4),
    Moment("in a character", BODY.index("€".encode()) + 1, 4),
    Moment("in an emoji", BODY.index("😀".encode()) + 2, 4),
    Moment("after the last block", BODY.index(b"event: message_delta"), len(REPLY) - 2),
    Moment("before message_stop", BODY.index(b"event: message_stop"), len(REPLY) - 1),
    Moment("before the last line end", len(BODY) - 1, len(REPLY) - 1),
]
at_each_moment = pytest.mark.parametrize(
    "moment", [pytest.param(moment, id=moment.name) for moment in MOMENTS]
)


def cut(moment: Moment, framing: str) -> bytes:
    """Return the beginning of a response up to a moment."""
    if framing == "chunked":
        return head() + chunks(BODY[: moment.at])
    if framing == "length":
        return head(framing=f"content-length: {len(BODY)}") + BODY[: moment.at]
    return head(framing="connection: close") + BODY[: moment.at]


@at_each_moment
@pytest.mark.parametrize("framing", ["chunked", "length", "until the end"])
@pytest.mark.parametrize("fault", [DROP, CLOSE], ids=["reset", "closed"])
async def test_a_lost_connection_breaks_the_stream(
    moment: Moment, framing: str, fault: Step
) -> None:
    was_heard = anyio.Event()  # a reset may discard what was not read before
    if moment.events == 0:
        was_heard.set()

    async with talk([cut(moment, framing), was_heard.wait, fault]) as conversation:
        heard = await conversation.hear(
            on_count=lambda count: was_heard.set() if count == moment.events else None
        )

    assert fault_of(heard) == ("broken_stream", moment.events > 0)
    assert heard.events == EVENTS[: moment.events]


@at_each_moment
async def test_a_silent_connection_is_given_up(moment: Moment) -> None:
    async with talk([cut(moment, "chunked"), HOLD], idle_seconds=0.3) as conversation:
        heard = await conversation.hear()
        with anyio.fail_after(5):
            await conversation.server.gone.wait()

    assert fault_of(heard) == ("stalled", moment.events > 0)
    assert heard.events == EVENTS[: moment.events]


@at_each_moment
async def test_an_end_that_looks_orderly_is_still_too_early(moment: Moment) -> None:
    async with talk([cut(moment, "chunked") + LAST_CHUNK]) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("broken_stream", moment.events > 0)
    assert heard.events == EVENTS[: moment.events]


@pytest.mark.parametrize("count", range(len(REPLY)))
async def test_an_error_event_breaks_the_reply_off_wherever_it_comes(count: int) -> None:
    script = [head(request_id="req_7") + chunks(sse(*REPLY[:count], ERROR, STOP)) + LAST_CHUNK]

    async with talk(script) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("overloaded", count > 0)
    assert heard.events == EVENTS[:count]
    assert heard.error is not None
    assert heard.error.request_id == "req_7"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("api_error", "server_error"),
        ("authentication_error", "authentication_failed"),
        ("billing_error", "billing_error"),
        ("invalid_request_error", "invalid_request"),
        ("overloaded_error", "overloaded"),
        ("permission_error", "authentication_failed"),
        ("rate_limit_error", "rate_limit"),
        ("timeout_error", "server_error"),
        ("something_new", "unknown"),
    ],
)
async def test_an_error_event_is_of_a_known_kind(kind: str, expected: str) -> None:
    error = {"type": "error", "error": {"type": kind, "message": "no"}}

    async with talk(streamed(START, error)) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == (expected, True)


WORDED = {
    "no details": b'data: {"type": "error"}',
    "a text": b'data: {"type": "error", "error": "the disk is full"}',
    "no type": b'data: {"type": "error", "error": {"message": "the disk is full"}}',
    "another protocol": b'data: {"error": {"message": "the disk is full", "code": 500}}',
    "by its name": b'event: error\ndata: {"message": "the disk is full"}',
    "by its name, with another type": b'event: error\ndata: {"type": "x_error", "message": "full"}',
    "mere words": b"event: error\ndata: the disk is full",
    "nothing": b"event: error\ndata:",
}


@pytest.mark.parametrize("count", [0, 4])
@pytest.mark.parametrize("name", WORDED)
async def test_an_error_is_one_however_it_is_worded(name: str, count: int) -> None:
    body = sse(*REPLY[:count]) + WORDED[name] + b"\n\n" + sse(STOP)

    async with talk([head() + chunks(body) + LAST_CHUNK]) as conversation:
        heard = await conversation.hear()

    expected = "unknown" if name == "by its name, with another type" else "server_error"
    assert fault_of(heard) == (expected, count > 0)
    assert heard.events == EVENTS[:count]
    assert "full" in str(heard.error) or name in {"no details", "nothing"}


async def test_an_error_without_type_may_be_the_whole_answer() -> None:
    script = [answer(200, {"error": {"message": "the disk is full"}})]

    async with talk(script) as conversation:
        with pytest.raises(ModelError) as caught:
            await conversation.model.complete(request())

    assert caught.value.kind is ModelErrorKind.SERVER_ERROR
    assert "the disk is full" in str(caught.value)


async def test_a_fault_after_a_block_that_nothing_began_is_one_of_a_reply_that_had_begun() -> None:
    async with talk(streamed(*REPLY[2:4], ERROR)) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("overloaded", True)


@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param(b"data: {not json}\n\n", id="no JSON"),
        pytest.param(b'data: {"type": "ping", "x": "\xff"}\n\n', id="no UTF-8"),
        pytest.param(b'data: {"type": "ping", "x": NaN}\n\n', id="no number"),
        pytest.param(b"data: [DONE]\n\n", id="another protocol"),
        pytest.param(b"data: " + b"[" * 100_000 + b"\n\n", id="too deep"),
        pytest.param(b"data: " + b"x" * (17 << 20), id="too long a line"),
        pytest.param((b"data: " + b"x" * (1 << 20) + b"\n") * 17, id="too long an event"),
    ],
)
@pytest.mark.parametrize("count", [0, 1, 4])
async def test_what_cannot_be_read_breaks_the_stream(garbage: bytes, count: int) -> None:
    script: Script = [
        head() + chunks(sse(*REPLY[:count]) + garbage + sse(STOP)) + LAST_CHUNK,
        CLOSE,
    ]

    async with talk(script) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("broken_stream", count > 0)
    assert heard.events == EVENTS[:count]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([CLOSE], id="closed"),
        pytest.param([DROP], id="reset"),
        pytest.param([b"HTTP/1.1 200 OK\r\ncontent-ty", CLOSE], id="closed in the headers"),
        pytest.param([b"SSH-2.0-OpenSSH_9.2\r\n\r\n", CLOSE], id="no HTTP"),
        pytest.param([b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000, CLOSE], id="endless header"),
    ],
)
async def test_no_response_is_a_failed_connection(script: Script) -> None:
    async with talk(script, script) as conversation:
        heard = await conversation.hear()
        with pytest.raises(ModelError) as caught:
            await conversation.model.complete(request())

    assert fault_of(heard) == ("connection", False)
    assert caught.value.kind is ModelErrorKind.CONNECTION


@pytest.mark.parametrize(
    "began",
    [
        pytest.param(
            b"HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n", id="line feeds alone"
        ),
        pytest.param(b"HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n", id="another protocol"),
    ],
)
async def test_our_own_socket_does_not_wait_for_a_head_that_cannot_come(began: bytes) -> None:
    async with RawServer([[began, HOLD]]) as server:
        model = MessagesApi(endpoint_of(server), transport=DirectTransport)
        with anyio.fail_after(10), pytest.raises(ModelError) as caught:
            await model.complete(request())
        await model.aclose()

    assert caught.value.kind is ModelErrorKind.CONNECTION


async def test_nobody_listening_is_a_failed_connection() -> None:
    with socket.socket() as taken:  # so that nobody else can listen there meanwhile
        taken.bind(("127.0.0.1", 0))
        async with talk() as conversation:
            conversation.server.port = taken.getsockname()[1]
            endpoint = endpoint_of(conversation.server)
            conversation.model = MessagesApi(endpoint, transport=way.open)
            heard = await conversation.hear()

    assert fault_of(heard) == ("connection", False)
    assert "127.0.0.1" in str(heard.error)


@pytest.mark.parametrize("prefix", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["nothing", "half a head"])
async def test_a_server_that_never_answers_is_given_up(prefix: bytes) -> None:
    async with talk([prefix, HOLD], timeout_seconds=0.3) as conversation:
        heard = await conversation.hear()
        with anyio.fail_after(5):
            await conversation.server.gone.wait()

    assert fault_of(heard) == ("stalled", False)


async def test_comments_do_not_keep_a_stalled_stream_alive() -> None:
    script: Script = [head() + chunks(sse(START)), Repeat(chunks(b": still here\n\n"))]

    async with talk(script, idle_seconds=0.3) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("stalled", True)
    assert heard.events == EVENTS[:1]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([answer(200, b"{")], id="half an object"),
        pytest.param([answer(200, b"\xff")], id="no UTF-8"),
        pytest.param([answer(200, [])], id="no object"),
        pytest.param([answer(200, {"role": "user", "content": "x"})], id="a user's message"),
        pytest.param([answer(200, {"role": "assistant"})], id="no content"),
        pytest.param([answer(200, b"{}")[:-1], CLOSE], id="cut off"),
    ],
)
async def test_a_whole_reply_that_is_none_is_broken(script: Script) -> None:
    async with talk(script, script) as conversation:
        heard = await conversation.hear()
        with pytest.raises(ModelError) as caught:
            await conversation.model.complete(request())

    assert fault_of(heard) == ("broken_stream", False)
    assert caught.value.kind is ModelErrorKind.BROKEN_STREAM


async def test_an_error_that_comes_with_status_200_is_one() -> None:
    async with talk([answer(200, ERROR)], [answer(200, ERROR)]) as conversation:
        heard = await conversation.hear()
        with pytest.raises(ModelError) as caught:
            await conversation.model.complete(request())

    assert fault_of(heard) == ("overloaded", False)
    assert caught.value.kind is ModelErrorKind.OVERLOADED


async def test_a_web_page_is_no_reply() -> None:
    page = b"<html>Log in to the network</html>"
    script = [head(200, "text/html", f"content-length: {len(page)}") + page]

    async with talk(script, max_retries=5) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("broken_stream", False)
    assert "text/html" in str(heard.error)
    assert len(conversation.server.requests) == 1


async def test_a_broken_encoding_breaks_the_stream() -> None:
    script = [head(content_encoding="gzip") + chunks(b"this is not gzip") + LAST_CHUNK]

    async with talk(script) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("broken_stream", False)


@pytest.mark.parametrize("framing", ["transfer-encoding: chunked", "connection: close"])
async def test_a_compressed_body_that_ends_in_the_middle_breaks_the_stream(framing: str) -> None:
    cut = gzip.compress(sse(*REPLY))[:-30]
    is_chunked = framing.endswith("chunked")
    body = chunks(cut) + LAST_CHUNK if is_chunked else cut
    script: Script = [head(framing=framing, content_encoding="gzip") + body, CLOSE]

    async with talk(script) as conversation:
        heard = await conversation.hear()

    fault = fault_of(heard)
    assert fault is not None
    assert fault[0] == "broken_stream"


async def test_a_few_bytes_that_hold_millions_keep_nobody_else_from_going_on() -> None:
    bomb = gzip.compress(bytes(20 * 1024 * 1024))
    script = [head(content_encoding="gzip") + chunks(bomb) + LAST_CHUNK]
    turns: list[str] = []

    async with RawServer([script]) as server:
        transport = way.open(endpoint_of(server))
        response = await transport.post("/", {}, [b"{}"])
        pieces = [await response.read() for _ in range(5)]  # until all of the bytes have come
        for turn in ("one", "two"):
            asyncio.get_running_loop().call_soon(turns.append, turn)
            pieces.append(await response.read())
            assert turns[-1:] == [turn]
        with pytest.raises(LateError):
            await response.read(until=anyio.current_time())
        await response.aclose()
        await transport.aclose()

    assert all(pieces)


async def test_a_whole_reply_whose_compression_ends_in_the_middle_is_none() -> None:
    whole = answer(200, {"role": "assistant", "content": "x"}).split(b"\r\n\r\n", 1)[1]
    cut = gzip.compress(whole + b" " * 40)[:-9]
    script = [head(200, "application/json", content_encoding="gzip") + chunks(cut) + LAST_CHUNK]

    async with talk(script) as conversation:
        with pytest.raises(ModelError, match="ends in the middle"):
            await conversation.model.complete(request())


async def test_an_encoding_that_nobody_asked_for_is_told_and_not_tried_again() -> None:
    script = [head(content_encoding="br") + chunks(b"whatever") + LAST_CHUNK]

    async with talk(script, max_retries=5) as conversation:
        heard = await conversation.hear()

    assert "the content encoding 'br' was not asked for" in str(heard.error)
    assert len(conversation.server.requests) == 1
    assert conversation.server.requests[0].headers["accept-encoding"] == "gzip"


async def test_a_whole_reply_that_does_not_come_in_time_is_given_up() -> None:
    slow: Script = [answer(200, {"role": "assistant"})[:-2], HOLD]

    async with talk(slow, slow, timeout_seconds=0.3) as conversation:
        heard = await conversation.hear()
        with pytest.raises(ModelError) as caught:
            await conversation.model.complete(request())
        with anyio.fail_after(5):
            await conversation.server.gone.wait()

    assert fault_of(heard) == ("stalled", False)
    assert caught.value.kind is ModelErrorKind.STALLED


EARLY_FAULTS = [
    pytest.param([CLOSE], "connection", id="closed"),
    pytest.param([DROP], "connection", id="reset"),
    pytest.param([head(), CLOSE], "broken_stream", id="closed after the headers"),
    pytest.param([head() + LAST_CHUNK], "broken_stream", id="empty"),
    pytest.param([head() + chunks(BODY[:40]), DROP], "broken_stream", id="reset in an event"),
    pytest.param([head(), HOLD], "stalled", id="silent"),
    pytest.param(streamed(ERROR), "overloaded", id="overloaded"),
    pytest.param(streamed(PING, ERROR), "overloaded", id="overloaded after a ping"),
    pytest.param([head() + chunks(sse(PING)), CLOSE], "broken_stream", id="closed after a ping"),
    pytest.param([head() + chunks(sse(PING)), HOLD], "stalled", id="silent after a ping"),
    pytest.param(streamed({"type": "new"}, ERROR), "overloaded", id="overloaded after the unknown"),
]


@pytest.mark.parametrize(("script", "reason"), EARLY_FAULTS)
async def test_a_fault_before_the_first_event_is_tried_again(script: Script, reason: str) -> None:
    told = []

    async with (
        VirtualClock() as clock,
        talk(script, streamed(*REPLY), clock=clock, max_retries=2, idle_seconds=0.3) as talked,
    ):
        with anyio.fail_after(10):
            async with talked.model.stream(request(), lambda **facts: told.append(facts)) as reply:
                events = [event async for event in reply]

    assert events == EVENTS
    assert told == [
        {"attempt": 1, "max_attempts": 2, "delay_seconds": 0.5, "reason": reason, "status": None}
    ]


@pytest.mark.parametrize(
    "moment", [pytest.param(moment, id=moment.name) for moment in MOMENTS if moment.events]
)
async def test_a_fault_after_the_first_event_is_not_tried_again(moment: Moment) -> None:
    async with talk([cut(moment, "chunked"), CLOSE], max_retries=5) as conversation:
        heard = await conversation.hear()

    assert fault_of(heard) == ("broken_stream", True)
    assert len(conversation.server.requests) == 1
