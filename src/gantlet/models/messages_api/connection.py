"""A socket to a server on this machine, with as little between it and us as asyncio allows.

The streams that anyio makes of sockets take turns of the event loop, and system calls to stop and
go on listening, for each message. Here what comes is taken at once, up to a bound, and whoever
waits for it waits for one future.
"""

import asyncio
import errno
import math
import os
import select
import socket
import time
from asyncio.trsock import TransportSocket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import anyio
from anyio.lowlevel import cancel_shielded_checkpoint

from gantlet.models.messages_api.exchange import LateError

KEEP_ALIVE_SECONDS: Final = 60.0
"""How long an idle connection waits for the next step, while tools run."""
MAX_HELD_BYTES: Final = 256 * 1024
"""How much may have come that nobody has taken; then the server has to wait."""

_ROOM_BYTES: Final = 64 * 1024
#: Above it, a second write costs less than a copy.
_MAX_JOINED_BYTES: Final = 64 * 1024
_RACE_SECONDS: Final = 0.25


async def connect(host: str, port: int) -> "Connection":
    """Connect to a server, by whichever of its addresses answers.

    Raises:
        OSError: None of them does.
    """
    is_name = not (":" in host or host[-1:].isdigit())
    _, connection = await asyncio.get_running_loop().create_connection(
        Connection, host, port, happy_eyeballs_delay=_RACE_SECONDS if is_name else None
    )
    return connection


def begin_to_connect(host: str, port: int) -> socket.socket | None:
    """Have the system connect to an address, without waiting; None for a name, or a failure."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.inet_pton(family, host)
        coming = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, ValueError):
        return None
    coming.setblocking(False)
    coming.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if coming.connect_ex((host, port)) in {0, errno.EINPROGRESS}:
        return coming
    coming.close()
    return None


def is_connected(coming: socket.socket) -> bool:
    """Return whether the system has connected by now, and nothing is wrong with it."""
    poll = select.poll()
    poll.register(coming, select.POLLIN | select.POLLOUT)
    return [event for _, event in poll.poll(0)] == [select.POLLOUT]


async def connect_with(coming: socket.socket, head: bytes, parts: Sequence[bytes]) -> "Connection":
    """Send a request over a socket that is connected, and return the connection it has become.

    What the system takes at once is on its way while the event loop gets to know the socket.

    Raises:
        OSError: It broke.
    """
    rest: list[bytes] = []
    try:
        for part in _joined(head, parts):
            sent = 0 if rest else _sent(coming, part)
            if sent < len(part):
                rest.append(part[sent:])
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(Connection, sock=coming)
    except BaseException:
        coming.close()
        raise
    for part in rest:
        connection.write(part)
    return connection


def _joined(head: bytes, parts: Sequence[bytes]) -> Iterator[bytes]:
    """Yield what is written at once: small parts together, large ones without a copy."""
    pending = head
    for part in parts:
        if len(pending) + len(part) <= _MAX_JOINED_BYTES:
            pending += part
        else:
            yield pending
            pending = part
    yield pending


def _sent(coming: socket.socket, part: bytes) -> int:
    """Return how much of a part the system takes at once.

    Where it takes nothing any more, the connection will find out, and read what came before.
    """
    try:
        return coming.send(part)
    except OSError:
        return 0


class Connection(asyncio.BufferedProtocol):
    """One connection. One task at a time may wait for what comes."""

    _transport: asyncio.Transport
    _poll: select.poll

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._came: list[bytes] = []
        self._held = 0
        self._is_paused = False
        self._is_ended = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._until = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self.idle_since = 0.0

    @property
    def is_sending(self) -> bool:
        """Whether something of the request has not been sent."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def is_usable(self) -> bool:
        """Whether it may serve again: not idle for too long, and nothing has come unasked."""
        if self._came or self._is_ended or self._loop is not asyncio.get_running_loop():
            return False
        if time.monotonic() - self.idle_since > KEEP_ALIVE_SECONDS:
            return False
        return not self._poll.poll(0)

    def send(self, head: bytes, parts: Sequence[bytes]) -> None:
        """Send a request, as fast as the server takes it; whether it did, what comes will tell."""
        for part in _joined(head, parts):
            self.write(part)

    def write(self, content: bytes) -> None:
        """Send something, as fast as the server takes it."""
        self._transport.write(content)

    async def receive(self, until: float = math.inf) -> bytes:
        """Return what has come, or what comes next.

        Raises:
            anyio.EndOfStream: The server has said all it will.
            anyio.BrokenResourceError: The connection broke; its cause says how.
            LateError: Nothing came until that time of the event loop.
        """
        while not self._came:
            if self._error is not None:
                raise anyio.BrokenResourceError from self._error
            if self._is_ended:
                raise anyio.EndOfStream
            await self._wait(until)
        came = b"".join(self._came)
        self._came.clear()
        self._held = 0
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        return came

    async def aclose(self) -> None:
        """Close it at once, whatever is still to be sent, even when cancelled."""
        if not self._loop.is_closed():  # else nobody is left who could
            self._transport.abort()
            await cancel_shielded_checkpoint()

    async def _wait(self, until: float) -> None:
        """Wait until something happens."""
        if until <= self._loop.time():
            raise LateError
        self._until = until
        if until < math.inf:
            self._set_timer()
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None
            self._until = math.inf

    def _set_timer(self) -> None:
        """Have somebody look at the clock in time; whoever would do so earlier is enough.

        Most waits are over long before: a timer for each of them would be made in vain.
        """
        if self._timer is not None:
            if self._timer.when() <= self._until:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(self._until, self._look_at_the_clock)

    def _look_at_the_clock(self) -> None:
        """End a wait whose time is over, or look again when it will be."""
        self._timer = None
        if self._until <= self._loop.time():
            self._wake()
        elif self._until < math.inf:
            self._set_timer()

    def _wake(self) -> None:
        """Have whoever waits look again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be told that there is a connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._poll = select.poll()
        self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def get_buffer(self, sizehint: int) -> Any:  # noqa: ANN401 - as asyncio has it
        """Say where to put what comes."""
        return self._room

    def buffer_updated(self, nbytes: int) -> None:
        """Take what has come."""
        self._came.append(bytes(self._room[:nbytes]))
        self._held += nbytes
        if self._held > MAX_HELD_BYTES and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """Be told that the server has said all it will; it may still listen."""
        self._is_ended = True
        self._wake()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """Be told that the connection is no more."""
        if self._timer is not None:
            self._timer.cancel()
        if error is not None:
            self._take_rest()
        self._is_ended = True
        self._error = error
        self._wake()

    def _take_rest(self) -> None:
        """Take what had come before a write failed: mostly it says why."""
        ours = self._transport.get_extra_info("socket")
        if not isinstance(ours, TransportSocket) or ours.fileno() < 0:
            return  # another event loop's; who knows what the number stands for by now
        with suppress(OSError):
            while self._held <= MAX_HELD_BYTES and (rest := os.read(ours.fileno(), _ROOM_BYTES)):
                self._came.append(rest)
                self._held += len(rest)
