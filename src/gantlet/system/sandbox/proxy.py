"""The sandbox's only way out: a proxy that connects to allowed hosts and says why to none else."""

import re
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from typing import TypeAlias

import anyio
from anyio.abc import ByteReceiveStream, ByteStream, SocketStream, TaskGroup

from gantlet.system.held_folders import HeldFolder
from gantlet.system.sandbox.addresses import could_be_address, is_public, read_address
from gantlet.system.sandbox.local_socket import LocalListener
from gantlet.system.sandbox.policy import NetworkList
from gantlet.system.sandbox.requests import (
    MAX_HEAD_BYTES,
    BadRequestError,
    ProxyRequest,
    read_request,
)

#: Finds the addresses of a name.
Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]

_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 15.0
_LINGER_SECONDS = 60.0
_MOST_CONNECTIONS = 256
_MOST_REFUSALS = 100
_PIECE_BYTES = 65_536
_HEAD_END = b"\r\n\r\n"
_OPENED = re.compile(rb"HTTP/1\.[01] 200(?!\d)")
_ADVICE = (
    "The sandbox has no other way to the network. Do without it, or ask the user to allow the host "
    "in sandbox.network.allowedDomains."
)


class RefusedError(Exception):
    """A host that may not be reached, and why."""


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class Proxy:
    """Listens on a socket that is a file only this user can reach."""

    def __init__(
        self, network: NetworkList, group: TaskGroup, *, resolver: Resolver = resolve
    ) -> None:
        self._network = network
        self._group = group
        self._resolve = resolver
        self._slots = anyio.Semaphore(_MOST_CONNECTIONS)
        self._folder = HeldFolder("gantlet-proxy-")
        self._refusals: deque[str] = deque(maxlen=_MOST_REFUSALS)
        self.path = str(self._folder.path / "socket")

    async def start(self) -> None:
        """Begin to listen.

        Raises:
            OSError: The socket could not be made.
        """
        listener = LocalListener(self.path)
        self._group.start_soon(self._listen, listener)

    def close(self) -> None:
        """Remove the socket. Whoever owns the group ends the connections."""
        self._folder.close()

    def take_refusals(self) -> tuple[str, ...]:
        """Return what was refused since the last time, for whoever reads a command's result."""
        taken = tuple(dict.fromkeys(self._refusals))
        self._refusals.clear()
        return taken

    async def _listen(self, listener: LocalListener) -> None:
        """Serve until the group is cancelled."""
        with closing(listener):
            while True:
                self._group.start_soon(self._serve, await listener.accept())

    async def _serve(self, near: ByteStream) -> None:
        """Serve one connection to its end; what goes wrong in it concerns nobody else."""
        async with near, self._slots:
            with suppress(OSError, anyio.BrokenResourceError, anyio.EndOfStream):
                await self._answer(near)

    async def _answer(self, near: ByteStream) -> None:
        """Read one request and do what it asks, or say why not."""
        try:
            with anyio.fail_after(_HEAD_SECONDS):
                head, rest = await _read_head(near)
            request = read_request(head)
            far = await self._reach(request)
        except BadRequestError as error:
            await near.send(_reply(400, "Bad Request", str(error)))
        except RefusedError as error:
            self._refusals.append(str(error))
            await near.send(_reply(403, "Forbidden", f"{error} {_ADVICE}"))
        except (OSError, TimeoutError) as error:
            await near.send(_reply(502, "Bad Gateway", f"The host was not reached: {error}."))
        else:
            async with far:
                await _carry_request(request, rest, near, far)

    async def _reach(self, request: ProxyRequest) -> SocketStream:
        """Return a connection to the host, at an address that was looked at."""
        addresses = await self._admitted(request.host, request.port)
        upstream = self._network.upstream_port
        failure: OSError | TimeoutError = OSError("it has no address")
        for address in addresses:
            try:
                with anyio.fail_after(_CONNECT_SECONDS):
                    if upstream is not None:
                        return await _through(upstream, request)
                    return await anyio.connect_tcp(address, request.port)
            except (OSError, TimeoutError) as error:
                failure = error
        raise failure

    async def _admitted(self, host: str, port: int) -> list[str]:
        """Return where a host may be reached; the same addresses are connected to.

        Raises:
            RefusedError: It may not be reached.
        """
        judge = self._network.judge
        if could_be_address(host):
            address = read_address(host)
            if address is None or not judge.names_address(str(address)):
                raise RefusedError(f"{host} is an address, and addresses are refused.")
            return [str(address)]
        reason = judge.refusal(host)
        if reason is not None:
            raise RefusedError(reason)
        if self._network.upstream_port is not None:
            return [host]
        found = await self._resolve(host, port)
        for one in found:
            address = read_address(one)
            if address is None or not (is_public(address) or judge.names_address(str(address))):
                raise RefusedError(
                    f"{host} leads to {one}, which is not an address of the public network."
                )
        return found


async def _through(upstream_port: int, request: ProxyRequest) -> SocketStream:
    """Return a tunnel to a host through another proxy of this machine."""
    host = f"[{request.host}]" if ":" in request.host else request.host
    place = f"{host}:{request.port}"
    far = await anyio.connect_tcp("127.0.0.1", upstream_port)
    try:
        await far.send(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode("ascii"))
        head, rest = await _read_head(far)
    except BaseException:
        await far.aclose()
        raise
    if _OPENED.match(head) is None or rest:
        await far.aclose()
        raise OSError("the proxy of this machine refused")
    return far


async def _read_head(stream: ByteReceiveStream) -> tuple[bytes, bytes]:
    """Return a head without the blank line at its end, and what came after it."""
    read = b""
    while _HEAD_END not in read:
        if len(read) > MAX_HEAD_BYTES:
            raise BadRequestError("The head of the request is too long.")
        read += await stream.receive(_PIECE_BYTES)
    head, _, rest = read.partition(_HEAD_END)
    return head, rest


async def _carry_request(
    request: ProxyRequest, rest: bytes, near: ByteStream, far: SocketStream
) -> None:
    """Carry a tunnel both ways, or one request there and its answer back."""
    if request.body_bytes is None:
        await near.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        if rest:
            await far.send(rest)
        async with anyio.create_task_group() as group:
            group.start_soon(_carry, near, far)
            group.start_soon(_carry, far, near)
        return
    await far.send(request.head)
    missing = request.body_bytes
    while missing > 0:
        piece = (rest or await near.receive(_PIECE_BYTES))[:missing]
        rest = b""
        await far.send(piece)
        missing -= len(piece)
    async with anyio.create_task_group() as group:
        group.start_soon(_give_up_without, near, group.cancel_scope)
        await _carry(far, near)
        group.cancel_scope.cancel()


async def _give_up_without(near: ByteStream, scope: anyio.CancelScope) -> None:
    """Cancel the wait for an answer some time after whoever asked has left."""
    with suppress(OSError, anyio.BrokenResourceError):
        async for _ in near:  # what follows one request is not passed on
            continue
    await anyio.sleep(_LINGER_SECONDS)
    scope.cancel()


async def _carry(source: ByteStream, target: ByteStream) -> None:
    """Carry one direction to its end; either side may leave at any time."""
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for piece in source:
            await target.send(piece)
        await target.send_eof()


def _reply(code: int, phrase: str, text: str) -> bytes:
    """Return an answer of our own."""
    body = f"{text}\n".encode("utf-8", "backslashreplace")
    head = (
        f"HTTP/1.1 {code} {phrase}\r\nX-Gantlet-Sandbox: refused\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
