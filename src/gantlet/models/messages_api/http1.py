"""HTTP/1.1 as a client reads it: the head of a response, and where its body ends. No I/O.

What is odd is refused: a body whose end is unclear could be taken for a whole reply.
"""

import re
from collections.abc import Mapping
from typing import Final, Protocol

MAX_HEAD_BYTES: Final = 64 * 1024
MAX_CHUNK_LINE_BYTES: Final = 4 * 1024

_STATUS = re.compile(r"HTTP/1\.([01]) ([1-5][0-9][0-9])(?: [^\x00\r\n]*)?(?=\r\n|\Z)")
_HEADER = re.compile(r"\r\n([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*?)[ \t]*(?=\r\n|\Z)")
_DIGITS = re.compile(r"\d{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\r\n]*)?")

#: Responses that have no body whatever their headers say.
_WITHOUT_BODY = frozenset({204, 304})


class ProtocolError(ValueError):
    """What came is not HTTP/1.1."""


class Head:
    """Status and headers of a response.

    Attributes:
        headers: By lower-case name; of a name that comes again, the values with commas.
        keeps_alive: Whether the connection can serve again after the body.
    """

    __slots__ = ("headers", "keeps_alive", "status")

    def __init__(self, text: bytes) -> None:
        lines = str(text, "latin-1")
        found = _STATUS.match(lines)
        if found is None:
            raise ProtocolError("the first line is no status line")
        self.status = int(found[2])
        self.headers: Mapping[str, str] = _headers(lines, found.end())
        wish = self.headers.get("connection", "").lower()
        self.keeps_alive = "keep-alive" in wish if found[1] == "0" else "close" not in wish


def _headers(lines: str, start: int) -> dict[str, str]:
    """Return the headers that lines hold from some place on, by lower-case name.

    Raises:
        ProtocolError: There are lines that are none: as many as are not found.
    """
    headers: dict[str, str] = {}
    found = _HEADER.findall(lines, start)
    if len(found) != lines.count("\r\n", start):
        raise ProtocolError("a line of the head is no header")
    for written, padded in found:
        name, text = written.lower(), padded.strip(" \t")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    return headers


class Body(Protocol):
    """Takes what follows a head, gives the content, and knows where it ends.

    Attributes:
        is_at_end: Nothing more belongs to the body.
        rest: What came behind its end.
        ends_with_connection: Only the end of the connection ends it.
    """

    is_at_end: bool
    rest: bytes
    ends_with_connection: bool

    def feed(self, chunk: bytes) -> bytes:
        """Return the content in what came.

        Raises:
            ProtocolError: It cannot be read.
        """


def body_of(head: Head) -> Body:
    """Return how the body behind a head is read.

    Raises:
        ProtocolError: Its end cannot be told.
    """
    headers = head.headers
    coding = headers.get("transfer-encoding")
    if head.status in _WITHOUT_BODY:
        return _Counted(0)
    if coding is not None:
        if coding.strip().lower() != "chunked" or "content-length" in headers:
            raise ProtocolError(f"the transfer encoding {coding[:40]!r} is unclear")
        return _Chunked()
    length = headers.get("content-length")
    if length is None:
        return _Open()
    lengths = {part.strip() for part in length.split(",")} if "," in length else {length.strip()}
    if len(lengths) > 1 or not _DIGITS.fullmatch(one := lengths.pop()):
        raise ProtocolError(f"the content length {length[:40]!r} is no number")
    return _Counted(int(one))


class _Counted:
    """A body of so many bytes."""

    __slots__ = ("_left", "ends_with_connection", "is_at_end", "rest")

    def __init__(self, length: int) -> None:
        self._left = length
        self.is_at_end = length == 0
        self.rest = b""
        self.ends_with_connection = False

    def feed(self, chunk: bytes) -> bytes:
        """Return what belongs to the body."""
        if len(chunk) > self._left:
            chunk, self.rest = chunk[: self._left], chunk[self._left :]
        self._left -= len(chunk)
        self.is_at_end = not self._left
        return chunk


class _Open:
    """A body that ends when the server closes the connection."""

    __slots__ = ("ends_with_connection", "is_at_end", "rest")

    def __init__(self) -> None:
        self.is_at_end = False
        self.rest = b""
        self.ends_with_connection = True

    def feed(self, chunk: bytes) -> bytes:
        """Return all of it."""
        return chunk


class _Chunked:
    """A body in chunks, each with its size before it; an empty one and trailers end it."""

    __slots__ = ("_held", "_in_trailers", "_left", "ends_with_connection", "is_at_end", "rest")

    def __init__(self) -> None:
        self._held = b""  # a line, or the end of a chunk, that has not come whole
        self._left = -1  # bytes of the chunk that are missing, or -1 before a size
        self._in_trailers = False
        self.is_at_end = False
        self.rest = b""
        self.ends_with_connection = False

    def feed(self, chunk: bytes) -> bytes:
        """Return the content of the chunks in what came."""
        held, self._held = self._held + chunk if self._held else chunk, b""
        content: list[bytes] = []
        at = 0
        while not self.is_at_end:
            if self._left > 0:
                piece = held[at : at + self._left]
                if not piece:
                    break
                content.append(piece)
                at += len(piece)
                self._left -= len(piece)
                continue
            after = self._after_line(held, at)
            if after < 0:
                self._held = held[at:]
                break
            at = after
        if self.is_at_end:
            self.rest = held[at:]
        return content[0] if len(content) == 1 else b"".join(content)

    def _after_line(self, held: bytes, at: int) -> int:
        """Read the line at a place; return where it ends, or -1 if its end has not come."""
        end = held.find(b"\r\n", at)
        if end < 0 or end - at > MAX_CHUNK_LINE_BYTES:
            if len(held) - at > MAX_CHUNK_LINE_BYTES:
                raise ProtocolError("a line between chunks has no end")
            if self._left == 0 and held[at:] not in {b"", b"\r"}:
                raise ProtocolError("a chunk is longer than its size")
            return -1
        self._read_line(held[at:end])
        return end + 2

    def _read_line(self, line: bytes) -> None:
        """Take a line between chunks: the end of one, a size, or a trailer."""
        if self._in_trailers:
            self.is_at_end = not line
        elif self._left == 0:
            if line:
                raise ProtocolError("a chunk is longer than its size")
            self._left = -1
        else:
            found = _CHUNK_SIZE.fullmatch(line)
            if found is None:
                raise ProtocolError("a chunk has no size")
            size = int(found[1], 16)
            self._in_trailers = size == 0
            self._left = size or -1
