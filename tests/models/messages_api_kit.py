"""A server of exact bytes on a real socket, and replies to play on it."""

import json
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeAlias

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.lowlevel import checkpoint

from gantlet.messages import ModelError, ModelRequest, StreamEvent, dumps, stream_event_from_wire
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.client import open_transport
from gantlet.models.messages_api.exchange import Transport
from gantlet.system import Clock

Wire: TypeAlias = dict[str, Any]


class Drop:
    """Reset the connection."""


class Close:
    """End the connection in an orderly way."""


@dataclass(frozen=True)
class Repeat:
    """Send these bytes again and again until the client has gone."""

    content: bytes


class Hold:
    """Say nothing more until the client has gone."""


@dataclass(frozen=True)
class Slowly:
    """Send these bytes one by one."""

    content: bytes


DROP, CLOSE, HOLD = Drop(), Close(), Hold()
Step: TypeAlias = bytes | Drop | Close | Hold | Slowly | Repeat | Callable[[], Awaitable[object]]
Script: TypeAlias = Sequence[Step]


@dataclass(frozen=True)
class Received:
    """A request as it came over the wire; header names in lower case."""

    line: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def wire(self) -> Wire:
        parsed: Wire = json.loads(self.body)
        return parsed


@dataclass
class RawServer:
    """Plays one script for each request, in order, on as many connections as clients open."""

    scripts: list[Script]
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    gone: anyio.Event = field(default_factory=anyio.Event)
    """Somebody hung up while the server held its breath."""

    async def __aenter__(self) -> Self:
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port: int = self._listener.extra(SocketAttribute.local_port)
        self._group.start_soon(self._listener.serve, self._talk)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        self._group.cancel_scope.cancel()
        try:
            return await self._group.__aexit__(kind, error, trace)
        finally:
            await self._listener.aclose()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _talk(self, stream: SocketStream) -> None:
        self.connections += 1
        async with stream:
            try:
                while (request := await _received(stream)) is not None:
                    self.requests.append(request)
                    for step in self.scripts.pop(0):
                        if await self._take(step, stream):
                            return
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                self.gone.set()

    async def _take(self, step: Step, stream: SocketStream) -> bool:
        """Take a step and return whether it ended the connection."""
        if isinstance(step, (bytes, Slowly, Repeat)):
            await _send(step, stream)
        elif isinstance(step, Drop):
            raw = stream.extra(SocketAttribute.raw_socket)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif isinstance(step, Hold):
            await _wait_for_the_end(stream)
            self.gone.set()
        elif not isinstance(step, Close):
            await step()
        return isinstance(step, (Drop, Close, Hold))


async def _send(step: bytes | Slowly | Repeat, stream: SocketStream) -> None:
    """Send bytes, in the way the step says."""
    if isinstance(step, bytes):
        await stream.send(step)
    elif isinstance(step, Slowly):
        for byte in step.content:
            await stream.send(bytes([byte]))
            await checkpoint()
    else:
        while True:
            await stream.send(step.content)


async def _received(stream: SocketStream) -> Received | None:
    """Read one request, or nothing if the client hangs up instead."""
    content = b""
    while b"\r\n\r\n" not in content:
        try:
            content += await stream.receive()
        except anyio.EndOfStream:
            return None
    head, _, body = content.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (item.partition(": ") for item in rest)}
    while len(body) < int(headers.get("content-length", "0")):
        body += await stream.receive()
    return Received(line, headers, body)


async def _wait_for_the_end(stream: SocketStream) -> None:
    """Read until the client hangs up."""
    try:
        while True:
            await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return


def head(
    status: int = 200,
    content_type: str = "text/event-stream; charset=utf-8",
    framing: str = "transfer-encoding: chunked",
    **headers: str,
) -> bytes:
    """Return the head of a response; an underscore in a header's name is a hyphen."""
    lines = [
        f"HTTP/1.1 {status} Whatever",
        *([f"content-type: {content_type}"] if content_type else []),
        *([framing] if framing else []),
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def chunks(content: bytes, size: int = 1 << 20) -> bytes:
    """Return content in HTTP chunks, without the one that ends it."""
    parts = (content[at : at + size] for at in range(0, len(content), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


LAST_CHUNK = b"0\r\n\r\n"


def answer(status: int, body: object, **headers: str) -> bytes:
    """Return a whole JSON response."""
    content = body if isinstance(body, bytes) else dumps(body)
    return head(status, "application/json", f"content-length: {len(content)}", **headers) + content


def refusal(status: int, kind: str, message: str = "no", **headers: str) -> bytes:
    """Return an error as the API words it."""
    error = {"type": kind, "message": message}
    return answer(status, {"type": "error", "error": error}, **headers)


def sse(*events: Wire, line_end: str = "\n") -> bytes:
    """Return events as they are streamed."""
    return b"".join(
        f"event: {event['type']}{line_end}data: ".encode()
        + json.dumps(event, ensure_ascii=False).encode()
        + (line_end * 2).encode()
        for event in events
    )


def streamed(*events: Wire) -> Script:
    """Return the script of a whole reply, whose connection stays open for the next request."""
    return [head() + chunks(sse(*events)) + LAST_CHUNK]


START: Wire = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude-opus-5-5",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 12, "output_tokens": 1},
    },
}
STOP: Wire = {"type": "message_stop"}
PING: Wire = {"type": "ping"}


def block(index: int, start: Wire, *deltas: Wire) -> list[Wire]:
    """Return the events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *texts: str) -> list[Wire]:
    """Return the events of a text."""
    deltas = ({"type": "text_delta", "text": text} for text in texts)
    return block(index, {"type": "text", "text": ""}, *deltas)


def call_block(index: int, name: str, *parts: str) -> list[Wire]:
    """Return the events of a call."""
    deltas = ({"type": "input_json_delta", "partial_json": part} for part in parts)
    start = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
    return block(index, start, *deltas)


def end(stop_reason: str = "end_turn", **usage: int) -> Wire:
    """Return the event that says why a reply ends."""
    return {
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason, "stop_sequence": None},
        "usage": {"output_tokens": 30, **usage},
    }


REPLY: tuple[Wire, ...] = (
    START,
    PING,
    *text_block(0, "Ça ", "coûte 3 € 😀"),
    *call_block(1, "Read", "", '{"path": ', '"naïve.txt"}'),
    end("tool_use"),
    STOP,
)
EVENTS = [stream_event_from_wire(wire) for wire in REPLY]


def request(**changes: Any) -> ModelRequest:
    """Return a small request."""
    values: dict[str, Any] = {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "messages": [dumps({"role": "user", "content": "Hello"})],
    }
    return ModelRequest(**{**values, **changes})


class Way:
    """By which transport the models of a test reach their server."""

    open: Callable[[Endpoint], Transport] = staticmethod(open_transport)


way = Way()


def endpoint_of(server: RawServer, **changes: Any) -> Endpoint:
    """Return the endpoint for a server, with little patience."""
    values: dict[str, Any] = {"api_key": "sk-test-0123456789", "max_retries": 0}
    return Endpoint(base_url=server.url, **{**values, **changes})


@dataclass
class Heard:
    """What a stream gave: events, and how it failed."""

    events: list[StreamEvent] = field(default_factory=list)
    error: ModelError | None = None


@dataclass
class Talk:
    """A server and a model that talks to it, both closed in the end."""

    server: RawServer
    changes: Mapping[str, Any] = field(default_factory=dict)
    clock: Clock | None = None
    chance: Callable[[], float] = lambda: 0.0

    async def __aenter__(self) -> Self:
        await self.server.__aenter__()
        endpoint = endpoint_of(self.server, **self.changes)
        self.model = MessagesApi(endpoint, clock=self.clock, chance=self.chance, transport=way.open)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        await self.model.aclose()
        return await self.server.__aexit__(kind, error, trace)

    async def hear(
        self,
        asked: ModelRequest | None = None,
        on_count: Callable[[int], object] = lambda count: None,
    ) -> Heard:
        """Send a request and return all that came of it; `on_count` is told of each event."""
        heard = Heard()
        try:
            with anyio.fail_after(30):
                async with self.model.stream(asked or request()) as events:
                    async for event in events:
                        heard.events.append(event)
                        on_count(len(heard.events))
        except ModelError as error:
            heard.error = error
        return heard


def talk(*scripts: Script, clock: Clock | None = None, **changes: Any) -> Talk:
    """Return a server that plays `scripts` and a model whose endpoint has these values."""
    return Talk(RawServer(list(scripts)), changes, clock)


def fault_of(heard: Heard) -> tuple[str, bool] | None:
    """Return the kind of failure and whether the reply had begun."""
    return (heard.error.kind.value, heard.error.has_begun) if heard.error else None
