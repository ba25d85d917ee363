"""The scripted model over real sockets: HTTP as it should be, and as it goes wrong."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from gantlet.messages import JsonValue
from gantlet.models.scripted import ScriptServer, script_of
from gantlet.models.scripted.http import MAX_BODY_BYTES, MAX_HEAD_BYTES
from gantlet.testing import VirtualClock
from gantlet.tool import UserError

KEY = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
HELLO = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}


@dataclass(frozen=True)
class Answer:
    """An answer as it came; `is_whole` unless the connection ended within it."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_whole: bool = True

    @property
    def json(self) -> Any:
        """The JSON in the body."""
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str]:
        """Status and type of an error."""
        assert self.json["type"] == "error"
        return self.status, self.json["error"]["type"]

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The name and data of each event in the body."""
        blocks = self.body.decode().split("\n\n")[:-1]
        pairs = [block.split("\n") for block in blocks]
        return [(name.removeprefix("event: "), json.loads(data[6:])) for name, data in pairs]


class Client:
    """One connection to a server."""

    def __init__(self, stream: SocketStream) -> None:
        self.stream = stream
        self._buffer = b""

    async def ask(
        self,
        body: object = HELLO,
        *,
        method: str = "POST",
        path: str = "/v1/messages",
        headers: Mapping[str, str] = KEY,
    ) -> Answer:
        """Make a request and return its answer."""
        await self.send(body, method=method, path=path, headers=headers)
        return await self.answer(has_body=method != "HEAD")

    async def send(
        self,
        body: object,
        *,
        method: str = "POST",
        path: str = "/v1/messages",
        headers: Mapping[str, str] = KEY,
    ) -> None:
        """Send a request."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"content-length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self.stream.send("\r\n".join([*lines, "", ""]).encode() + content)

    async def answer(self, *, has_body: bool = True) -> Answer:
        """Return the next answer."""
        with anyio.fail_after(10):
            head = (await self._until(b"\r\n\r\n")).decode()
            first, *lines = head.split("\r\n")
            pairs = (line.split(": ", 1) for line in lines)
            headers = {name.lower(): value for name, value in pairs}
            status = int(first.split(" ")[1])
            if not has_body:
                return Answer(status, headers, b"")
            if headers.get("transfer-encoding") == "chunked":
                body, is_whole = await self._chunks()
            else:
                size = int(headers["content-length"])
                body, is_whole = await self._exactly(size)
            return Answer(status, headers, body, is_whole)

    async def is_closed(self) -> bool:
        """Return whether the other side ends the connection now, with nothing more to say."""
        with anyio.fail_after(10):
            try:
                return await self.stream.receive() == b""
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return True

    async def _more(self) -> bool:
        """Receive more; return whether there was some."""
        try:
            self._buffer += await self.stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return False
        return True

    async def _until(self, end: bytes) -> bytes:
        """Return what comes before a mark."""
        while end not in self._buffer:
            if not await self._more():
                raise EOFError(self._buffer)
        found, _, self._buffer = self._buffer.partition(end)
        return found

    async def _exactly(self, size: int) -> tuple[bytes, bool]:
        """Return so many bytes, or fewer and that it is not all."""
        while len(self._buffer) < size:
            if not await self._more():
                return self._buffer, False
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found, True

    async def _chunks(self) -> tuple[bytes, bool]:
        """Return a body that comes in chunks, and whether it came to its end."""
        body = b""
        while True:
            try:
                size = int(await self._until(b"\r\n"), 16)
            except (EOFError, ValueError):
                return body, False
            content, is_whole = await self._exactly(size + 2)
            body += content[:size]
            if not size or not is_whole:
                return body, is_whole


class Serving:
    """A server with one client."""

    def __init__(self, *replies: object, **options: Any) -> None:
        self._server = ScriptServer(script_of(*replies), **options)

    async def __aenter__(self) -> Client:
        await self._server.__aenter__()
        port = int(self._server.url.rpartition(":")[2])
        self._stream = await anyio.connect_tcp("127.0.0.1", port)
        return Client(self._stream)

    async def __aexit__(self, *details: Any) -> None:
        await self._stream.aclose()
        await self._server.__aexit__(*details)


def streamed(body: Mapping[str, object] = HELLO) -> dict[str, object]:
    """Return the body of a request for a stream."""
    return {**body, "stream": True}


async def test_a_stream_has_the_events_that_the_model_gives_in_process() -> None:
    reply = [{"thinking": "a"}, {"text": "hello", "chunks": 3}, {"call": "T", "input": {"x": 1}}]
    async with Serving(reply) as client:
        answer = await client.ask(streamed())

    names = [name for name, _ in answer.events]
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["request-id"] == "req_1"
    assert names == [data["type"] for _, data in answer.events]
    assert names[0] == "message_start"
    assert names[-2:] == ["message_delta", "message_stop"]
    assert [data["delta"]["text"] for _, data in answer.events if _text(data)] == ["h", "el", "lo"]


def _text(data: Mapping[str, Any]) -> bool:
    """Say whether an event adds to a text."""
    return bool(data.get("delta", {}).get("type") == "text_delta")


async def test_a_reply_can_come_in_one_piece() -> None:
    async with Serving(["hi", {"call": "T", "input": {"x": 1}}]) as client:
        answer = await client.ask()

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json == {
        "id": "msg_1_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "toolu_1_1_1", "name": "T", "input": {"x": 1}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 12,
            "output_tokens": 3,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


async def test_where_the_script_stands_is_found_from_the_messages_alone() -> None:
    two = [*HELLO["messages"], {"role": "assistant", "content": "x"}]  # type: ignore[misc]  # a list
    later = {**HELLO, "messages": [*two, {"role": "user", "content": "go on"}]}
    async with Serving("one", "two") as client:
        answers = [(await client.ask(body)).json for body in (later, HELLO, later, HELLO)]

    assert [answer["content"][0]["text"] for answer in answers] == ["two", "one", "two", "one"]


async def test_both_styles_of_keys_are_accepted_and_none_is_not() -> None:
    version = {"anthropic-version": "2023-06-01"}
    async with Serving("hi") as client:
        bearer = await client.ask(headers={**version, "Authorization": "Bearer any"})
        old_style = await client.ask(headers={**version, "X-Api-Key": "any"})
        without_key = await client.ask(headers=version)
        without_version = await client.ask(headers={"x-api-key": "any"})

    assert (bearer.status, old_style.status) == (200, 200)
    assert without_key.error == (401, "authentication_error")
    assert without_version.error == (400, "invalid_request_error")
    assert without_version.json["request_id"] == without_version.headers["request-id"]


async def test_tokens_are_counted_as_they_are_charged() -> None:
    counted = {name: part for name, part in HELLO.items() if name != "max_tokens"}
    async with Serving("hi") as client:
        count = await client.ask(counted, path="/v1/messages/count_tokens")
        reply = await client.ask()

    assert count.json == {"input_tokens": reply.json["usage"]["input_tokens"]}


async def test_health_can_be_asked_with_and_without_a_body() -> None:
    async with Serving("hi") as client:
        got = await client.ask(b"", method="GET", path="/", headers={})
        head = await client.ask(b"", method="HEAD", path="/", headers={})

    assert (got.status, got.json) == (200, {"status": "ok", "script": "script"})
    assert (head.status, head.headers["content-length"]) == (200, str(len(got.body)))


async def test_the_answer_to_head_never_has_a_body() -> None:
    async with Serving("hi") as client:
        refused = await client.ask(b"", method="HEAD", path="/v1/messages")
        still_serves = await client.ask()

    assert (refused.status, still_serves.status) == (405, 200)


async def test_a_query_after_the_path_is_ignored() -> None:
    async with Serving("hi") as client:
        assert (await client.ask(path="/v1/messages?beta=true")).status == 200


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/nowhere", (404, "not_found_error")),
        ("POST", "/v1/complete", (404, "not_found_error")),
        ("GET", "/v1/messages", (405, "invalid_request_error")),
        ("DELETE", "/", (405, "invalid_request_error")),
    ],
)
async def test_what_is_not_there_is_said_in_the_form_of_the_api(
    method: str, path: str, expected: tuple[int, str]
) -> None:
    async with Serving("hi") as client:
        answer = await client.ask(b"", method=method, path=path)
        still_serves = await client.ask()

    assert answer.error == expected
    assert (expected[0] == 405) == ("allow" in answer.headers)
    assert still_serves.status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"model":"m"}',
        b"[" * 100_000,
        b'{"a":' * 600 + b"1" + b"}" * 600,
    ],
)
async def test_a_body_that_is_no_request_is_refused_and_the_connection_lives_on(
    body: bytes,
) -> None:
    async with Serving("hi") as client:
        answer = await client.ask(body)
        still_serves = await client.ask()

    assert answer.error == (400, "invalid_request_error")
    assert still_serves.status == 200


async def test_a_history_that_is_not_valid_is_refused() -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "user", "content": ""}]
    async with Serving("hi") as client:
        answer = await client.ask({**HELLO, "messages": messages})

    assert answer.error == (400, "invalid_request_error")
    assert "must have non-empty content" in answer.json["error"]["message"]


async def test_a_request_may_come_in_chunks_and_in_small_pieces() -> None:
    content = json.dumps(HELLO).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in KEY.items())
    request = (
        f"POST /v1/messages HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode()
        + b"%x;note=1\r\n%b\r\n" % (5, content[:5])
        + b"%X\r\n%b\r\n" % (len(content) - 5, content[5:])
        + b"0\r\ntrailer: x\r\n\r\n"
    )
    async with Serving("hi") as client:
        for at in range(0, len(request), 7):
            await client.stream.send(request[at : at + 7])
        answer = await client.answer()
        again = await client.ask()

    assert (answer.status, again.status) == (200, 200)


async def test_two_requests_sent_at_once_are_answered_one_after_the_other() -> None:
    content = json.dumps(HELLO).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in KEY.items())
    request = f"POST /v1/messages HTTP/1.1\r\n{head}content-length: {len(content)}\r\n\r\n"
    async with Serving("hi") as client:
        await client.stream.send((request.encode() + content) * 2)
        answers = [await client.answer(), await client.answer()]

    assert [answer.headers["request-id"] for answer in answers] == ["req_1", "req_2"]


async def test_a_client_that_expects_to_be_told_to_go_on_is_told() -> None:
    content = json.dumps(HELLO).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in KEY.items())
    async with Serving("hi") as client:
        await client.stream.send(
            f"POST /v1/messages HTTP/1.1\r\n{head}expect: 100-continue\r\n"
            f"content-length: {len(content)}\r\n\r\n".encode()
        )
        first = await client.answer(has_body=False)
        await client.stream.send(content)
        answer = await client.answer()

    assert (first.status, answer.status) == (100, 200)


async def test_a_connection_ends_when_the_client_wants_it_to() -> None:
    async with Serving("hi") as client:
        answer = await client.ask(headers={**KEY, "Connection": "close"})
        is_closed = await client.is_closed()

    assert (answer.status, answer.headers["connection"], is_closed) == (200, "close", True)


async def test_an_old_client_gets_a_stream_without_chunks() -> None:
    content = json.dumps(streamed()).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in KEY.items())
    async with Serving("hi") as client:
        await client.stream.send(
            f"POST /v1/messages HTTP/1.0\r\n{head}content-length: {len(content)}\r\n\r\n".encode()
            + content
        )
        received = b""
        with anyio.fail_after(10):
            async for piece in client.stream:
                received += piece

    assert b"transfer-encoding" not in received
    assert received.endswith(b'data: {"type":"message_stop"}\n\n')


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"HELLO\r\n\r\n", (400, "invalid_request_error")),
        (b"GET / HTTP/2.0\r\n\r\n", (400, "invalid_request_error")),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", (400, "invalid_request_error")),
        (b"GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n", (400, "invalid_request_error")),
        (b"GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", (400, "invalid_request_error")),
        (
            b"GET / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
            (400, "invalid_request_error"),
        ),
        (b"GET / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", (501, "api_error")),
        (
            b"GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            (400, "invalid_request_error"),
        ),
        (
            b"GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc",
            (400, "invalid_request_error"),
        ),
        (
            b"GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n" + b"1" * 2000,
            (400, "invalid_request_error"),
        ),
        (
            b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
            (413, "request_too_large"),
        ),
        (
            b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n" % (MAX_BODY_BYTES + 1),
            (413, "request_too_large"),
        ),
        (b"GET / HTTP/1.1\r\na: " + b"x" * MAX_HEAD_BYTES, (431, "invalid_request_error")),
    ],
)
async def test_what_is_not_http_is_refused_and_the_connection_ends(
    sent: bytes, expected: tuple[int, str]
) -> None:
    async with Serving("hi") as client:
        await client.stream.send(sent)
        answer = await client.answer()
        is_closed = await client.is_closed()

    assert answer.error == expected
    assert is_closed


async def test_a_client_that_goes_away_in_its_request_disturbs_nobody() -> None:
    async with ScriptServer(script_of("hi")) as server:
        port = int(server.url.rpartition(":")[2])
        half = b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n123"
        for sent in (b"", b"POST /v1", half, b"no request\r\n\r\n"):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await stream.send(sent)
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            answer = await Client(stream).ask()

    assert answer.status == 200


async def test_a_status_fault_is_an_answer_with_retry_after_and_then_the_reply_comes() -> None:
    fault = {"error": "rate_limit", "retry_after": 2.5}
    async with Serving({"say": "hi", "fault": fault}) as client:
        refused = await client.ask(streamed())
        served = await client.ask(streamed())

    assert refused.error == (429, "rate_limit_error")
    assert refused.headers["retry-after"] == "2.5"
    assert served.status == 200


async def test_a_fault_is_met_once_by_each_caller() -> None:
    async with Serving({"say": "hi", "fault": {"error": "overloaded"}}) as client:
        keys = ["a", "a", "b", "b"]
        answers = [await client.ask(headers={**KEY, "x-api-key": key}) for key in keys]

    assert [answer.status for answer in answers] == [529, 200, 529, 200]


async def test_an_error_within_a_stream_is_an_event_and_the_stream_ends_in_order() -> None:
    fault = {"error": "overloaded", "at": "mid_text"}
    async with Serving({"say": "Hello", "fault": fault}) as client:
        answer = await client.ask(streamed())
        again = await client.ask(streamed())

    assert answer.is_whole
    assert answer.events[-1] == (
        "error",
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    )
    assert again.events[-1][0] == "message_stop"


@pytest.mark.parametrize("body", [HELLO, streamed()])
async def test_a_drop_before_the_reply_ends_the_connection_without_a_word(
    body: Mapping[str, object],
) -> None:
    async with Serving({"say": "hi", "fault": {"drop": True}}) as client:
        with pytest.raises(EOFError) as raised:
            await client.ask(body)

    assert raised.value.args == (b"",)


@pytest.mark.parametrize(
    ("fault", "last"),
    [
        ({"drop": True, "at": "mid_text"}, b'"text_delta","text":"He"}}\n\n'),
        ({"garble": "half_event", "at": "mid_text"}, b'data: {"type":"content_block_de'),
        ({"garble": "wrong_chunk", "at": "mid_text"}, b'"text_delta","text":"He"}}\n\n'),
        ({"garble": "not_json", "at": "mid_text"}, b'"content_block_delta","index":\n\n'),
        ({"garble": "half_event"}, b'data: {"type":"content_block_de'),
    ],
)
async def test_a_broken_stream_ends_in_the_middle(fault: dict[str, object], last: bytes) -> None:
    async with Serving({"say": "Hello", "fault": fault}) as client:
        answer = await client.ask(streamed())

    assert not answer.is_whole
    assert answer.body.endswith(last)


@pytest.mark.parametrize(
    ("what", "sent"),
    [
        ("event", ["unheard_of"]),
        ("delta", ["content_block_delta"]),
        ("block", ["content_block_start", "content_block_stop"]),
    ],
)
async def test_what_nobody_has_heard_of_is_sent_and_the_reply_goes_on(
    what: str, sent: list[str]
) -> None:
    fault = {"unknown": what, "at": "mid_text"}

    async with Serving({"say": "Hello", "fault": fault}) as client:
        answer = await client.ask(streamed())
        again = await client.ask(streamed())

    names, plain = ([name for name, _ in one.events] for one in (answer, again))
    middle = plain.index("content_block_delta") + 1
    assert names[:middle] + names[middle + len(sent) :] == [
        *plain[:middle],
        "content_block_delta",
        *plain[middle:],
    ]
    assert names[middle : middle + len(sent)] == sent


@pytest.mark.parametrize("garble", ["half_event", "wrong_chunk", "not_json"])
async def test_a_broken_reply_in_one_piece_is_no_json(garble: str) -> None:
    async with Serving({"say": "Hello", "fault": {"garble": garble}}) as client:
        answer = await client.ask()

    assert answer.is_whole == (garble == "not_json")
    with pytest.raises(ValueError, match=r"Expecting value|Unterminated"):
        json.loads(answer.body)


async def test_a_stall_lasts_until_the_client_goes() -> None:
    fault = {"stall": "forever", "at": "mid_text"}
    async with ScriptServer(script_of({"say": "Hello", "fault": fault})) as server:
        port = int(server.url.rpartition(":")[2])
        with anyio.fail_after(10):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                client = Client(stream)
                await client.send(streamed())
                received = b""
                while b'"text":"He"' not in received:
                    received += await stream.receive()
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                answer = await Client(stream).ask(streamed())

    assert b'"llo"' not in received
    assert answer.is_whole


async def test_a_server_ends_though_a_client_still_waits() -> None:
    fault = {"stall": "forever", "at": "start"}
    with anyio.fail_after(5):
        async with Serving({"say": "hi", "fault": fault}) as client:
            await client.send(streamed())
            received = await client.stream.receive()

    assert received.startswith(b"HTTP/1.1 200 OK")


async def test_waits_are_kept_over_the_wire() -> None:
    clock = VirtualClock()
    reply = [{"wait": 5}, {"text": ["a", "b"], "pause": 3}]
    async with Serving(reply, clock=clock) as client, anyio.create_task_group() as group:
        answers: list[Answer] = []

        async def ask() -> None:
            answers.append(await client.ask(streamed()))

        group.start_soon(ask)
        with anyio.fail_after(10):
            while not answers:
                await clock.advance(0.5)

    assert clock.now() >= 8
    assert answers[0].is_whole


async def test_a_reply_in_one_piece_waits_as_long() -> None:
    clock = VirtualClock()
    async with Serving([{"wait": 5}, "hi"], clock=clock) as client:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(client.ask)
                while clock.now() < 5:
                    await clock.advance(0.5)

    assert clock.now() == 5


async def test_a_reply_in_one_piece_can_stall_for_ever() -> None:
    reached = anyio.Event()
    script = script_of({"say": "hi", "fault": {"stall": "forever"}})
    async with ScriptServer(script, log=lambda entry: reached.set()) as server:
        port = int(server.url.rpartition(":")[2])
        with anyio.fail_after(10):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await Client(stream).send(HELLO)
                await reached.wait()
                await stream.send_eof()
                is_silent = await Client(stream).is_closed()

    assert is_silent


async def test_a_long_stream_is_sent_while_it_is_made() -> None:
    async with Serving([{"call": "T", "repeat": 1000, "input": {"n": "{{ number }}"}}]) as client:
        answer = await client.ask(streamed())

    calls = [data for name, data in answer.events if name == "content_block_start"]
    assert [data["content_block"]["id"] for data in calls[-2:]] == [
        "toolu_1_1_999",
        "toolu_1_1_1000",
    ]


async def test_a_client_that_goes_away_in_the_reply_disturbs_nobody() -> None:
    long_call = {"call": "T", "repeat": 100, "input": {"x": "x" * 100_000}}
    async with ScriptServer(script_of([long_call])) as server:
        port = int(server.url.rpartition(":")[2])
        with anyio.fail_after(20):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await Client(stream).send(streamed())
                await stream.receive()
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                health = await Client(stream).ask(b"", method="GET", path="/", headers={})

    assert health.status == 200


async def test_many_clients_are_served_at_once() -> None:
    statuses: list[int] = []

    async def ask(port: int) -> None:
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            client = Client(stream)
            for _ in range(3):
                statuses.append((await client.ask(streamed())).status)

    async with ScriptServer(script_of({"repeat": 2, "do": ["hi"]})) as server:
        port = int(server.url.rpartition(":")[2])
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ask, port)

    assert statuses == [200] * 60


async def test_requests_are_logged_without_their_keys() -> None:
    logged: list[Mapping[str, JsonValue]] = []
    async with Serving("hi", log=logged.append) as client:
        await client.ask(headers={**KEY, "authorization": "Bearer secret"})
        await client.ask(b"{", headers={**KEY, "x-gateway": "secret", "cookie": "secret"})

    assert [(entry["method"], entry["path"], entry["body"]) for entry in logged] == [
        ("POST", "/v1/messages", HELLO),
        ("POST", "/v1/messages", "{"),
    ]
    assert logged[1]["headers"] == {
        "anthropic-version": "2023-06-01",
        "content-length": "1",
        "x-gateway": "[masked]",
        "cookie": "[masked]",
    }


async def test_a_failure_of_ours_is_an_error_without_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(entry: object) -> None:
        raise RuntimeError("a private detail")

    with caplog.at_level(logging.ERROR):
        async with Serving("hi", log=fail) as client:
            answer = await client.ask()
            is_closed = await client.is_closed()

    assert answer.error == (500, "api_error")
    assert b"private" not in answer.body
    assert is_closed
    assert "a private detail" in caplog.text


async def test_an_address_that_is_taken_is_named() -> None:
    async with ScriptServer(script_of("hi")) as server:
        port = int(server.url.rpartition(":")[2])

        with pytest.raises(UserError, match=f"Nothing can listen at 127.0.0.1, port {port}"):
            await ScriptServer(script_of("hi"), port=port).__aenter__()


async def test_what_fails_inside_the_context_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with ScriptServer(script_of("hi")):
            raise KeyError("mine")


async def test_the_end_of_the_script_is_known_when_its_last_reply_was_sent() -> None:
    later = {
        **HELLO,
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "one"},
            {"role": "user", "content": "y"},
        ],
    }
    server = ScriptServer(script_of("one", "two"))
    async with server:
        port = int(server.url.rpartition(":")[2])
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            client = Client(stream)
            await client.ask(HELLO)
            before = server.played.is_set()
            await client.ask(later)

        with anyio.fail_after(5):
            await server.played.wait()
    assert not before
