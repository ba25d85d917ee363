"""Our own socket: what comes is bounded, nothing is lost, and nothing waits for ever."""

import asyncio
import math
import socket
import struct

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from anyio.lowlevel import checkpoint

from gantlet.messages import ModelErrorKind
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.connection import MAX_HELD_BYTES, Connection, connect
from gantlet.models.messages_api.exchange import LateError
from models.messages_api_kit import (
    CLOSE,
    DROP,
    EVENTS,
    LAST_CHUNK,
    REPLY,
    Close,
    Drop,
    answer,
    chunks,
    head,
    request,
    sse,
    streamed,
    talk,
)

LARGE = request(messages=[b'"' + b"x" * 10_000_000 + b'"'])
TOO_LARGE = answer(413, {"error": {"type": "request_too_large", "message": "too big"}})


class Pair:
    """A connection and the server's end of it, which is a plain socket."""

    async def __aenter__(self) -> "Pair":
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.ours: Connection = await connect(*listener.getsockname())
            self.theirs, _ = listener.accept()
        self.theirs.setblocking(False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.ours.aclose()
        self.theirs.close()

    async def send(self, content: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.theirs, content)

    async def read_on(self, until: float = math.inf) -> bytes:
        """Read what comes, and nothing else, until that fails."""
        while True:
            self.came += await self.ours.receive(until)

    came = b""


async def test_a_server_that_sends_faster_than_anybody_reads_has_to_wait() -> None:
    total, came = 16 * 1024 * 1024, 0

    async with Pair() as pair, anyio.create_task_group() as group:
        group.start_soon(pair.send, bytes(total))
        with anyio.fail_after(30):
            while came < total:
                for _ in range(20):  # whoever reads is slow
                    await checkpoint()
                part = len(await pair.ours.receive())
                assert part <= 2 * MAX_HELD_BYTES
                came += part

    assert came == total


async def test_a_wait_that_is_cancelled_at_any_moment_loses_nothing() -> None:
    came = b""

    async def take() -> None:
        nonlocal came
        came += await pair.ours.receive()

    async def take_in(scope: anyio.CancelScope) -> None:
        with scope:
            await take()

    async with Pair() as pair:
        with anyio.fail_after(30):
            for number in range(200):
                async with anyio.create_task_group() as group:
                    scope = anyio.CancelScope()
                    group.start_soon(take_in, scope)
                    await pair.send(bytes([number]))
                    for _ in range(number % 8):
                        await checkpoint()
                    scope.cancel()
            while len(came) < 200:
                await take()

    assert came == bytes(range(200))


async def test_what_came_before_the_end_is_still_read() -> None:
    async with Pair() as pair:
        await pair.send(b"last words")
        pair.theirs.close()
        with anyio.fail_after(10), pytest.raises(anyio.EndOfStream):
            await pair.read_on()

    assert pair.came == b"last words"
    assert not pair.ours.is_usable


async def test_what_came_before_a_write_failed_is_still_read() -> None:
    async with Pair() as pair:
        pair.ours.send(b"begun", [])
        await pair.send(b"go away")
        pair.theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        pair.theirs.close()  # what was not read makes it a reset
        pair.ours.send(b"and this", [b"finds nobody"])
        with anyio.fail_after(10), pytest.raises(anyio.BrokenResourceError):
            await pair.read_on()

    assert pair.came == b"go away"


async def test_what_floods_does_not_make_a_wait_longer() -> None:
    async def flood() -> None:
        while True:
            await pair.send(b"x" * 1000)

    async with Pair() as pair, anyio.create_task_group() as group:
        group.start_soon(flood)
        with anyio.fail_after(30), pytest.raises(LateError):
            await pair.read_on(until=anyio.current_time() + 0.1)
        group.cancel_scope.cancel()


async def test_a_server_that_answers_and_hangs_up_without_reading_is_heard() -> None:
    async def refuse(stream: SocketStream) -> None:
        async with stream:
            await stream.receive(10)
            await stream.send(TOO_LARGE)

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)
        model = MessagesApi(Endpoint(f"http://127.0.0.1:{port}", api_key="k", max_retries=0))
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, refuse)
            with anyio.fail_after(30), pytest.raises(Exception, match="too big") as caught:
                await model.complete(LARGE)
            await model.aclose()
            group.cancel_scope.cancel()

    assert getattr(caught.value, "kind", None) is ModelErrorKind.PROMPT_TOO_LONG


async def test_a_server_that_reads_nothing_is_given_up() -> None:
    hung_up = anyio.Event()

    async def ignore(stream: SocketStream) -> None:
        async with stream:
            await release.wait()
            try:
                while True:
                    await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                hung_up.set()

    release = anyio.Event()
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)
        endpoint = Endpoint(
            f"http://127.0.0.1:{port}", api_key="k", max_retries=0, timeout_seconds=0.3
        )
        model = MessagesApi(endpoint)
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, ignore)
            with anyio.fail_after(30), pytest.raises(Exception, match="no reply within") as caught:
                async with model.stream(LARGE):
                    pytest.fail("there was no event")
            release.set()
            with anyio.fail_after(10):
                await hung_up.wait()
            await model.aclose()
            group.cancel_scope.cancel()

    assert getattr(caught.value, "kind", None) is ModelErrorKind.STALLED


async def test_a_connection_that_still_sends_does_not_serve_again() -> None:
    early = streamed(*REPLY)[0]
    assert isinstance(early, bytes)
    served = 0

    async def answer_at_once(stream: SocketStream) -> None:
        nonlocal served
        served += 1
        async with stream:
            await stream.receive(10)
            await stream.send(early)
            await release.wait()

    release = anyio.Event()
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)
        model = MessagesApi(Endpoint(f"http://127.0.0.1:{port}", api_key="k", max_retries=0))
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, answer_at_once)
            with anyio.fail_after(30):
                for _ in range(2):
                    async with model.stream(LARGE) as events:
                        assert [event async for event in events] == EVENTS
            release.set()
            await model.aclose()
            group.cancel_scope.cancel()

    assert served == 2


@pytest.mark.parametrize("ending", [CLOSE, DROP], ids=["closed", "reset"])
async def test_an_end_at_any_byte_is_a_failure_or_a_whole_reply(ending: Close | Drop) -> None:
    raw = head() + chunks(sse(*REPLY), 50) + LAST_CHUNK
    cuts = range(0, len(raw), 13)

    async with talk(*([raw[:cut], ending] for cut in cuts)) as conversation:
        for _ in cuts:
            heard = await conversation.hear()
            assert heard.events == EVENTS[: len(heard.events)]
            assert heard.error is not None or heard.events == EVENTS
            assert heard.error is None or heard.error.kind.value in {"connection", "broken_stream"}


async def test_nothing_is_sent_for_whoever_has_left() -> None:
    async with talk(streamed(*REPLY)) as conversation:
        await conversation.hear()
        with anyio.CancelScope() as scope:
            scope.cancel()
            async with conversation.model.stream(request()):
                pytest.fail("there was no event")
        await checkpoint()

    assert scope.cancelled_caught
    assert len(conversation.server.requests) == 1


async def test_a_name_of_this_machine_is_found_too() -> None:
    async with talk(streamed(*REPLY)) as conversation:
        port = conversation.server.port
        model = MessagesApi(Endpoint(f"http://localhost:{port}", api_key="k", max_retries=0))
        async with model.stream(request()) as events:
            heard = [event async for event in events]
        await model.aclose()

    assert heard == EVENTS


@pytest.mark.parametrize("host", ["127..1", f"127.{'a' * 70}", "127.0.0.1.invalid"])
async def test_a_name_that_is_none_is_a_failed_connection(host: str) -> None:
    model = MessagesApi(Endpoint(f"http://{host}:9", api_key="k", max_retries=0))
    with anyio.fail_after(30), pytest.raises(Exception, match="no response from") as caught:
        await model.complete(request())

    assert getattr(caught.value, "kind", None) is ModelErrorKind.CONNECTION
