"""Plain HTTP to a server on this machine, over a socket of our own: no proxy, no certificate.

There our own cost is all that a request takes, and httpx2's would be most of it. Everything else
goes through httpx2, in `transport`.
"""

import select
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from urllib.parse import quote, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream

from gantlet.messages import ModelErrorKind
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.failures import RequestError
from gantlet.models.messages_api.http1 import (
    MAX_HEAD_BYTES,
    Head,
    ProtocolError,
    body_of,
    encoding_of,
)

KEEP_ALIVE_SECONDS: Final = 60.0
"""How long an idle connection waits for the next step, while tools run."""
MAX_IDLE: Final = 20
SWITCHED: Final = 101

_READ_BYTES: Final = 256 * 1024
_HEAD_END = b"\r\n\r\n"
_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class DirectResponse:
    """A response whose head has come over a connection that is ours until it is closed."""

    def __init__(
        self, connection: "_Connection", head: Head, began: bytes, transport: "DirectTransport"
    ) -> None:
        self.status = head.status
        self.headers = head.headers
        self._keeps_alive = head.keeps_alive
        self._body = body_of(head)
        self._inflate = encoding_of(head)
        self._began = began
        self._connection: _Connection | None = connection
        self._transport = transport

    @property
    def is_at_end(self) -> bool:
        """Whether all of the body has been read."""
        return self._body.is_at_end and not self._began and not self._holds_back

    @property
    def _holds_back(self) -> bool:
        """Whether there is content that was received and not given."""
        return self._inflate is not None and self._inflate.has_more

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the server asks us to wait before we try again."""
        # Reading dates is heavy, and only failures ask for it.
        from gantlet.models.messages_api.retry_after import (  # noqa: PLC0415 - the seam
            retry_after_seconds,
        )

        return retry_after_seconds(self.headers, time.time())

    async def read(self) -> bytes:
        """Return the next bytes of the body; nothing at its end.

        Raises:
            RequestError: The connection broke.
        """
        try:
            while not (self.is_at_end or self._connection is None):
                content = await self._content(self._connection)
                if content:
                    return content
        except anyio.EndOfStream as error:
            if self._body.ends_with_connection:
                self._body.is_at_end = True
                return b""
            raise self._broke("the server closed it", may_retry=True) from error
        except _BROKEN as error:
            raise self._broke(str(error.__cause__ or error), may_retry=True) from error
        except ProtocolError as error:
            raise self._broke(str(error), may_retry=self._inflate is None) from error
        return b""

    async def _content(self, connection: "_Connection") -> bytes:
        """Return what the next bytes hold, or what is left of the ones before."""
        if self._inflate is not None and self._inflate.has_more:
            return self._inflate.feed()
        chunk, self._began = self._began, b""
        content = self._body.feed(chunk or await connection.receive())
        return self._inflate.feed(content) if self._inflate is not None and content else content

    async def aclose(self) -> None:
        """Let go of the connection; it serves again only if the body was read to its end."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        body = self._body
        is_whole = self.is_at_end and not body.rest and not body.ends_with_connection
        if not (is_whole and self._keeps_alive and self._transport.keep(connection)):
            with anyio.CancelScope(shield=True):
                await connection.aclose()

    def _broke(self, why: str, *, may_retry: bool) -> RequestError:
        """Return the error for a body that did not come whole."""
        return RequestError(
            f"The connection to {self._transport.host} broke during the reply: "
            f"{why or 'it was lost'}. Send the request again.",
            ModelErrorKind.BROKEN_STREAM,
            may_retry=may_retry,
        )


class _Connection:
    """A socket to the server."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._poll = select.poll()
        self._poll.register(stream.extra(SocketAttribute.raw_socket).fileno(), select.POLLIN)
        self.idle_since = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether it may serve again: not idle for too long, and nothing has come unasked."""
        if time.monotonic() - self.idle_since > KEEP_ALIVE_SECONDS:
            return False
        return not self._poll.poll(0)

    async def receive(self) -> bytes:
        """Return what comes next."""
        return await self._stream.receive(_READ_BYTES)

    async def exchange(self, message: bytes) -> tuple[Head, bytes]:
        """Send a request; return the head of its response and what came behind it."""
        with suppress(anyio.BrokenResourceError):  # a server may refuse before it has read all
            await self._stream.send(message)
        came = await self.receive()
        while True:
            end = came.find(_HEAD_END)
            if end < 0:
                if len(came) > MAX_HEAD_BYTES:
                    raise ProtocolError("the head is too long")
                if b"\n\n" in came:
                    raise ProtocolError("the lines of the head end in a line feed alone")
                came += await self.receive()
                continue
            head, came = Head(came[:end]), came[end + len(_HEAD_END) :]
            if head.status >= 200:
                return head, came
            if head.status == SWITCHED:
                raise ProtocolError("it speaks another protocol now, which nobody asked for")
            # An informational response comes before the real one.

    async def aclose(self) -> None:
        """Close it at once."""
        await self._stream.aclose()


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
            "accept-encoding": "gzip",
        }
        self._idle: list[_Connection] = []
        self._is_closed = False

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> DirectResponse:
        """Send a request and return the response once its headers have come.

        Raises:
            RequestError: There was no response.
        """
        sent = {**self._fixed, **headers, "content-length": len(body)}
        lines = "".join([f"\r\n{name}: {text}" for name, text in sent.items()])
        start = f"POST {self._path}{path} HTTP/1.1{lines}"
        message = b"".join((start.encode("ascii"), _HEAD_END, body))
        connection = await self._connection()
        try:
            head, began = await connection.exchange(message)
            return DirectResponse(connection, head, began, self)
        except BaseException as error:
            await self._closed(connection)
            if isinstance(error, ProtocolError):
                raise self._silent(f"it is no HTTP, {error}") from error
            if isinstance(error, _BROKEN):
                cause = error.__cause__
                raise self._silent(str(cause) if cause else "it closed the connection") from error
            raise

    def keep(self, connection: _Connection) -> bool:
        """Take back a connection whose response was read to its end, unless enough wait."""
        if self._is_closed or len(self._idle) >= MAX_IDLE:
            return False
        connection.idle_since = time.monotonic()
        self._idle.append(connection)
        return True

    async def aclose(self) -> None:
        """Close each connection, even when cancelled."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        for connection in idle:
            await self._closed(connection)

    async def _connection(self) -> _Connection:
        """Return a connection that waits, or a new one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable:
                return connection
            await self._closed(connection)
        try:
            with anyio.fail_after(self._connect_seconds):
                return _Connection(await anyio.connect_tcp(self.host, self._port))
        except TimeoutError as error:
            raise self._silent("it took no connection in time") from error
        except OSError as error:
            raise self._silent(str(error.__cause__ or error)) from error

    async def _closed(self, connection: _Connection) -> None:
        """Close a connection, even when cancelled."""
        with anyio.CancelScope(shield=True):
            await connection.aclose()

    def _silent(self, why: str) -> RequestError:
        """Return the error for a request that was not answered."""
        return RequestError(
            f"There was no response from {self.host}: {why}. "
            "Check the network and ANTHROPIC_BASE_URL.",
            ModelErrorKind.CONNECTION,
            may_retry=True,
        )
