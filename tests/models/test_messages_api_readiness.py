"""A connection that is begun while the first request is written."""

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from gantlet.messages import ModelErrorKind, ModelRequest, RetryListener, StreamEvent
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.connection import begin_to_connect, is_connected
from gantlet.models.scripted import ScriptedModel, script_of
from loop_kit import agent_of
from models.messages_api_kit import EVENTS, REPLY, RawServer, answer, request, streamed

TOO_LARGE = answer(413, {"error": {"type": "request_too_large", "message": "too big"}})
SECONDS = 30


def model_at(port: int, max_retries: int = 0) -> MessagesApi:
    """Return a model at this port."""
    return MessagesApi(Endpoint(f"http://127.0.0.1:{port}", api_key="k", max_retries=max_retries))


async def ask(model: MessagesApi, asked: ModelRequest | None = None) -> None:
    """Send a request and read the reply, which is the usual one."""
    with anyio.fail_after(SECONDS):
        async with model.stream(asked or request()) as events:
            assert [event async for event in events] == EVENTS


@pytest.mark.parametrize("times", [1, 3])
async def test_the_first_request_goes_over_the_connection_that_was_begun(times: int) -> None:
    async with RawServer([streamed(*REPLY), streamed(*REPLY)]) as server:
        model = model_at(server.port)
        for _ in range(times):
            model.get_ready()
        await ask(model)
        model.get_ready()  # one waits already
        await ask(model)
        await model.aclose()

    assert server.connections == 1
    assert len(server.requests) == 2


async def test_a_request_larger_than_the_system_takes_at_once_comes_whole() -> None:
    tools = b"[%s]" % b",".join(b'"%d"' % number for number in range(1_000_000))
    said = [b'"%d%s"' % (number, b"x" * 100_000) for number in range(30)]
    large = ModelRequest("m", 5, said, b"", tools)
    async with RawServer([streamed(*REPLY)]) as server:
        model = model_at(server.port)
        model.get_ready()
        await ask(model, large)
        await model.aclose()

    assert server.connections == 1
    assert server.requests[0].body == large.body(stream=True)


async def test_a_server_that_hung_up_meanwhile_is_called_again() -> None:
    called, hung_up = 0, anyio.Event()
    whole = streamed(*REPLY)[0]
    assert isinstance(whole, bytes)

    async def serve(stream: SocketStream, whole: bytes = whole) -> None:
        nonlocal called
        called += 1
        async with stream:
            if called > 1:
                await stream.receive(10)
                await stream.send(whole)
        hung_up.set()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        model = model_at(listener.extra(SocketAttribute.local_port), max_retries=1)
        async with anyio.create_task_group() as group:
            model.get_ready()
            group.start_soon(listener.serve, serve)
            with anyio.fail_after(SECONDS):
                await hung_up.wait()
            await ask(model)
            await model.aclose()
            group.cancel_scope.cancel()

    assert called == 2


async def test_nobody_there_is_told_as_ever() -> None:
    told = []
    with socket.socket() as taken:  # so that nobody else can listen there meanwhile
        taken.bind(("127.0.0.1", 0))
        for is_ready in (False, True):
            model = model_at(taken.getsockname()[1])
            if is_ready:
                model.get_ready()
            with anyio.fail_after(SECONDS), pytest.raises(Exception, match="no response") as caught:
                await model.complete(request())
            assert getattr(caught.value, "kind", None) is ModelErrorKind.CONNECTION
            told.append(str(caught.value))
            await model.aclose()

    assert told[0] == told[1]


async def test_a_server_that_refuses_without_reading_is_heard() -> None:
    async def refuse(stream: SocketStream) -> None:
        async with stream:
            await stream.receive(10)
            await stream.send(TOO_LARGE)

    large = request(messages=[b'"' + b"x" * 10_000_000 + b'"'])
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        model = model_at(listener.extra(SocketAttribute.local_port))
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, refuse)
            model.get_ready()
            with anyio.fail_after(SECONDS), pytest.raises(Exception, match="too big") as caught:
                await model.complete(large)
            await model.aclose()
            group.cancel_scope.cancel()

    assert getattr(caught.value, "kind", None) is ModelErrorKind.PROMPT_TOO_LONG


async def test_a_connection_that_nobody_used_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        model = model_at(listener.getsockname()[1])
        model.get_ready()
        theirs, _ = listener.accept()
        await model.aclose()
        with theirs:
            theirs.settimeout(SECONDS)
            assert theirs.recv(1) == b""


@pytest.mark.parametrize("is_reset", [False, True], ids=["closed", "reset"])
async def test_what_ended_before_the_request_is_no_connection(is_reset: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        coming = begin_to_connect(*listener.getsockname())
        assert coming is not None
        with coming:
            theirs, _ = listener.accept()
            assert is_connected(coming)
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", is_reset, 0))
            theirs.close()
            with anyio.fail_after(SECONDS):
                await anyio.wait_readable(coming)
            assert not is_connected(coming)


@pytest.mark.parametrize("host", ["localhost", "server1", "1.2.3", "a\0b", "", "::1%nowhere"])
def test_only_an_address_is_connected_to_early(host: str) -> None:
    assert begin_to_connect(host, 9) is None


class Readied(ScriptedModel):
    """A scripted model that notes when it is told of a request, and when one comes."""

    def __init__(self) -> None:
        super().__init__(script_of("One.", "Two."))
        self.seen: list[str] = []

    def get_ready(self) -> None:
        self.seen.append("told")

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        self.seen.append("asked")
        return super().stream(request, on_retry)


async def test_a_model_is_told_once_and_before_its_first_request() -> None:
    model = Readied()
    agent = agent_of(model=model)

    for prompt in ("one", "two"):
        await agent.run(prompt)

    assert model.seen == ["told", "asked", "asked"]
