"""Plain HTTP to a server on this machine, over a socket of our own: no proxy, no certificate.

There our own cost is all that a request takes, and httpx2's would be most of it. Everything else
goes through httpx2, in `transport`.
"""

import math
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlsplit

import anyio
from anyio.lowlevel import checkpoint, checkpoint_if_cancelled

from gantlet.messages import ModelErrorKind
from gantlet.models.messages_api.connection import (
    Connection,
    begin_to_connect,
    connect,
    connect_with,
    is_connected,
)
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import LateError
from gantlet.models.messages_api.failures import RequestError, unasked_encoding
from gantlet.models.messages_api.http1 import (
    MAX_HEAD_BYTES,
    Head,
    ProtocolError,
    body_of,
)
from gantlet.models.messages_api.inflating import ACCEPTED, EncodingError, encoding_of

MAX_IDLE: Final = 20
SWITCHED: Final = 101

_HEAD_END = b"\r\n\r\n"
_BROKEN = (anyio.BrokenResourceError, anyio.EndOfStream)


class DirectResponse:
    """A response whose head has come over a connection that is ours until it is closed."""

    def __init__(
        self, connection: Connection, head: Head, began: bytes, transport: "DirectTransport"
    ) -> None:
        self.status = head.status
        self.headers = head.headers
        self._keeps_alive = head.keeps_alive
        self._body = body_of(head)
        self._inflate = encoding_of(head.headers)
        self._began = began
        self._connection: Connection | None = connection
        self._transport = transport

    @property
    def is_at_end(self) -> bool:
        """Whether all of the body has been read."""
        return self._has_come and (self._inflate is None or self._inflate.is_complete)

    @property
    def _has_come(self) -> bool:
        """Whether nothing more of it will come."""
        return self._body.is_at_end and not self._began

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the server asks us to wait before we try again."""
        # Reading dates is heavy, and only failures ask for it.
        from gantlet.models.messages_api.retry_after import (  # noqa: PLC0415 - the seam
            retry_after_seconds,
        )

        return retry_after_seconds(self.headers, time.time())

    async def read(self, until: float = math.inf) -> bytes:
        """Return the next bytes of the body; nothing at its end.

        Raises:
            RequestError: The connection broke.
            LateError: Nothing came until that time of the event loop.
        """
        try:
            while not (self.is_at_end or self._connection is None):
                content = await self._content(self._connection, until)
                if content:
                    return content
        except anyio.EndOfStream as error:
            if self._body.ends_with_connection:
                self._body.is_at_end = True
                if self.is_at_end:
                    return b""
            raise self._broke("the server closed it", may_retry=True) from error
        except anyio.BrokenResourceError as error:
            raise self._broke(str(error.__cause__ or error), may_retry=True) from error
        except ProtocolError as error:
            raise self._broke(str(error), may_retry=self._inflate is None) from error
        return b""

    async def _content(self, connection: Connection, until: float) -> bytes:
        """Return what the next bytes hold, or what is left of the ones before."""
        if self._inflate is not None:
            if self._inflate.has_more:
                await checkpoint()  # nothing is waited for, and others are to have their turn
                if until <= anyio.current_time():
                    raise LateError
                return self._inflate.feed()
            if self._has_come:
                raise ProtocolError("the compressed body ends in the middle")
        chunk, self._began = self._began, b""
        content = self._body.feed(chunk or await connection.receive(until))
        return self._inflate.feed(content) if self._inflate is not None and content else content

    async def aclose(self) -> None:
        """Let go of the connection; it serves again only if the body was read to its end."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        body = self._body
        is_whole = self.is_at_end and not body.rest and not body.ends_with_connection
        if not (is_whole and self._keeps_alive and self._transport.keep(connection)):
            await connection.aclose()

    def _broke(self, why: str, *, may_retry: bool) -> RequestError:
        """Return the error for a body that did not come whole."""
        return RequestError(
            f"The connection to {self._transport.host} broke during the reply: "
            f"{why or 'it was lost'}. Send the request again.",
            ModelErrorKind.BROKEN_STREAM,
            may_retry=may_retry,
        )


class DirectTransport:
    """Connections to one endpoint. Redirects are not followed: they would take the key along."""

    def __init__(self, endpoint: Endpoint) -> None:
        parts = urlsplit(endpoint.base_url)
        self.host = endpoint.host
        self._port = parts.port or 80
        self._connect_seconds = endpoint.connect_timeout_seconds
        self._path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
        self._fixed = {
            "host": parts.netloc,
            "user-agent": endpoint.user_agent,
            "accept-encoding": ACCEPTED,
        }
        self._headers: Mapping[str, str] | None = None
        self._start = ""
        self._idle: list[Connection] = []
        self._coming: socket.socket | None = None
        self._is_closed = False

    def get_ready(self) -> None:
        """Begin to connect, unless a connection waits already."""
        if not self._idle and self._coming is None and not self._is_closed:
            self._coming = begin_to_connect(self.host, self._port)

    async def post(
        self,
        path: str,
        headers: Mapping[str, str],
        parts: Sequence[bytes],
        until: float = math.inf,
    ) -> DirectResponse:
        """Send a request, its body in parts, and return the response once its headers have come.

        Raises:
            RequestError: There was no response.
            LateError: There was none until that time of the event loop.
        """
        await checkpoint_if_cancelled()  # a request that nobody waits for is not sent
        start = self._head(path, headers, sum(map(len, parts)))
        connection = await self._sent(start, parts, until)
        try:
            head, began = await _answer(connection, until)
            return DirectResponse(connection, head, began, self)
        except BaseException as error:
            await connection.aclose()
            if isinstance(error, EncodingError):
                raise unasked_encoding(self.host, error) from error
            if isinstance(error, ProtocolError):
                raise self._silent(f"it is no HTTP, {error}") from error
            if isinstance(error, _BROKEN):
                cause = error.__cause__
                raise self._silent(str(cause) if cause else "it closed the connection") from error
            raise

    def keep(self, connection: Connection) -> bool:
        """Take back a connection whose response was read to its end, unless enough wait."""
        if self._is_closed or connection.is_sending or len(self._idle) >= MAX_IDLE:
            return False
        connection.idle_since = time.monotonic()
        self._idle.append(connection)
        return True

    async def aclose(self) -> None:
        """Close each connection, even when cancelled."""
        self._is_closed = True
        if self._coming is not None:
            self._coming.close()
            self._coming = None
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.aclose()

    def _head(self, path: str, headers: Mapping[str, str], length: int) -> bytes:
        """Return the head of a request; what it has in common with the last is written once."""
        if headers != self._headers:
            self._headers = dict(headers)
            lines = [f"\r\n{name}: {text}" for name, text in {**self._fixed, **headers}.items()]
            self._start = f"HTTP/1.1{''.join(lines)}\r\ncontent-length: "
        return f"POST {self._path}{path} {self._start}{length}\r\n\r\n".encode("ascii")

    async def _sent(self, head: bytes, parts: Sequence[bytes], until: float) -> Connection:
        """Send a request over a connection that waits, that was begun, or that is new."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable:
                connection.send(head, parts)
                return connection
            await connection.aclose()
        latest = anyio.current_time() + self._connect_seconds
        try:
            with anyio.CancelScope(deadline=min(until, latest)):
                coming = self._take_coming()
                if coming is not None:
                    return await connect_with(coming, head, parts)
                connection = await connect(self.host, self._port)
                connection.send(head, parts)
                return connection
        except (OSError, UnicodeError) as error:  # the latter for a name that cannot be one
            raise self._silent(str(error)) from error
        if until < latest:
            raise LateError
        raise self._silent("it took no connection in time")

    def _take_coming(self) -> socket.socket | None:
        """Return the socket that was begun, if it is good for a request."""
        coming, self._coming = self._coming, None
        if coming is None or is_connected(coming):
            return coming
        coming.close()
        return None

    def _silent(self, why: str) -> RequestError:
        """Return the error for a request that was not answered."""
        return RequestError(
            f"There was no response from {self.host}: {why}. "
            "Check the network and ANTHROPIC_BASE_URL.",
            ModelErrorKind.CONNECTION,
            may_retry=True,
        )


async def _answer(connection: Connection, until: float) -> tuple[Head, bytes]:
    """Return the head of a response and what came behind it."""
    came = await connection.receive(until)
    while True:
        end = came.find(_HEAD_END)
        if end < 0:
            if len(came) > MAX_HEAD_BYTES:
                raise ProtocolError("the head is too long")
            if b"\n\n" in came:
                raise ProtocolError("the lines of the head end in a line feed alone")
            came += await connection.receive(until)
            continue
        head, came = Head(came[:end]), came[end + len(_HEAD_END) :]
        if head.status >= 200:
            return head, came
        if head.status == SWITCHED:
            raise ProtocolError("it speaks another protocol now, which nobody asked for")
        # An informational response comes before the real one.
