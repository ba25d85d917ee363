"""As much of HTTP/1.1 as a small server needs, on any byte stream."""

import re
from collections.abc import Mapping
from contextlib import suppress

import anyio
from anyio.abc import ByteStream
from anyio.streams.buffered import BufferedByteReceiveStream

from gantlet.messages import JsonValue, dumps
from gantlet.messages.value import value

MAX_HEAD_BYTES = 64_000
MAX_BODY_BYTES = 32_000_000
#: How long a connection may lie idle, or take to send a request.
REQUEST_SECONDS = 600.0
#: How long the rest of a request that was refused is read before the connection is closed.
DRAIN_SECONDS = 2.0
_MAX_LINE_BYTES = 1_000
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SIZE = re.compile(r"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,8}")
_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    504: "Gateway Timeout",
    529: "Overloaded",
}


@value
class HttpRequest:
    """A request; the names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""
    is_old: bool = False
    """It is HTTP/1.0: no chunks, and the connection ends with the answer."""

    @property
    def keeps_alive(self) -> bool:
        """Whether another request may follow."""
        return not self.is_old and self.headers.get("connection", "").lower() != "close"


class HttpError(Exception):
    """A request that cannot be read; after it nothing else can."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Connection:
    """One connection: requests in, answers out."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._incoming = BufferedByteReceiveStream(stream)

    async def read_request(self) -> HttpRequest | None:
        """Return the next request, or nothing if the other side has gone or says nothing.

        Raises:
            HttpError: What comes is no request, or one too large.
        """
        with anyio.move_on_after(REQUEST_SECONDS):
            try:
                head = await self._incoming.receive_until(b"\r\n\r\n", MAX_HEAD_BYTES)
            except anyio.DelimiterNotFound:
                raise HttpError(431, "The head of the request is too long.") from None
            except (anyio.IncompleteRead, anyio.BrokenResourceError):
                return None
            request = _parse_head(head)
            body = await self._read_body(request)
            return HttpRequest(
                request.method, request.path, request.headers, body, is_old=request.is_old
            )
        return None

    async def send(self, *parts: bytes) -> None:
        """Send bytes."""
        await self._stream.send(b"".join(parts))

    async def send_json(
        self, status: int, value: JsonValue, headers: Mapping[str, str], *, has_body: bool = True
    ) -> None:
        """Send a whole answer, or only its head."""
        body = dumps(value)
        own = {"content-type": "application/json", "content-length": str(len(body))}
        await self.send(head(status, {**own, **headers}), body if has_body else b"")

    async def wait_until_gone(self) -> None:
        """Read and forget until the other side closes the connection."""
        try:
            while True:
                await self._incoming.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return

    async def drain(self) -> None:
        """End our side, and read what is still coming: else the answer could be lost."""
        with anyio.move_on_after(DRAIN_SECONDS), suppress(OSError):
            await self._stream.send_eof()
            await self.wait_until_gone()

    async def _read_body(self, request: HttpRequest) -> bytes:
        """Return the body of a request."""
        size, coding = _framing(request.headers)
        if request.headers.get("expect", "").lower() == "100-continue":
            await self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            if coding:
                return await self._read_chunks()
            return await self._incoming.receive_exactly(size) if size else b""
        except (anyio.IncompleteRead, anyio.BrokenResourceError):
            raise HttpError(400, "The request body ends too early.") from None
        except anyio.DelimiterNotFound:
            raise HttpError(400, "A chunk of the request body is malformed.") from None

    async def _read_chunks(self) -> bytes:
        """Return a body that comes in chunks; trailers are read and forgotten."""
        body = bytearray()
        while size := await self._chunk_size():
            if len(body) + size > MAX_BODY_BYTES:
                raise HttpError(413, "Request exceeds the maximum size")
            body += await self._incoming.receive_exactly(size)
            if await self._incoming.receive_exactly(2) != b"\r\n":
                raise HttpError(400, "A chunk of the request body is malformed.")
        while await self._incoming.receive_until(b"\r\n", _MAX_LINE_BYTES):
            pass
        return bytes(body)

    async def _chunk_size(self) -> int:
        """Return the size of the next chunk; the last one has none."""
        line = await self._incoming.receive_until(b"\r\n", _MAX_LINE_BYTES)
        digits = line.partition(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(digits):
            raise HttpError(400, "A chunk of the request body is malformed.")
        return int(digits, 16)


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """Return the head of an answer."""
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def chunk(content: bytes) -> bytes:
    """Return a chunk; the empty one ends the answer."""
    return b"%x\r\n%b\r\n" % (len(content), content)


def _parse_head(source: bytes) -> HttpRequest:
    """Return what the head of a request says."""
    first, *lines = source.decode("latin-1").lstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or not words[1]:
        raise HttpError(400, "This is not an HTTP/1.1 request.")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name):
            raise HttpError(400, "A header of the request is malformed.")
        name = name.lower()
        headers[name] = f"{headers[name]}, {value.strip()}" if name in headers else value.strip()
    path = words[1].partition("?")[0]
    return HttpRequest(words[0], path, headers, is_old=words[2] == "HTTP/1.0")


def _framing(headers: Mapping[str, str]) -> tuple[int, bool]:
    """Return how long the body is, and whether it comes in chunks instead."""
    coding, size = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is not None and size is not None:
        raise HttpError(400, "A request has a length or chunks, not both.")
    if coding is not None and coding.lower() != "chunked":
        raise HttpError(501, f"The transfer encoding {coding!r} is not known. Send chunks.")
    if size is not None and not _SIZE.fullmatch(size):
        raise HttpError(400, "The content-length of the request is not a number.")
    if size is not None and int(size) > MAX_BODY_BYTES:
        raise HttpError(413, "Request exceeds the maximum size")
    return int(size or 0), coding is not None
