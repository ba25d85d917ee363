"""The content of compressed bodies, in bounded pieces: a few bytes can hold millions. No I/O."""

import zlib
from collections.abc import Mapping
from typing import Final

from gantlet.models.messages_api.http1 import ProtocolError

ACCEPTED: Final = "gzip"
"""What we say that we take."""
MAX_INFLATED_BYTES: Final = 1024 * 1024

#: What zlib is given at a time: it copies whatever of that follows a member.
_WINDOW_BYTES: Final = 8 * 1024
_AS_ITS_HEAD_SAYS: Final = 47  # gzip or zlib
_WITHOUT_HEAD: Final = -15
_GZIP = frozenset({"gzip", "x-gzip"})
#: With what a gzip member begins, and how the first byte of zlib data ends.
_GZIP_BEGINS: Final = 0x1F
_DEFLATED: Final = 8


class EncodingError(ProtocolError):
    """A body is compressed in a way that nobody asked for."""


class Inflated:
    """The content of a compressed body. One of gzip may have several members, one behind another.

    Args:
        has_members: More may follow where the compressed data has an end.
    """

    def __init__(self, *, has_members: bool) -> None:
        self._has_members = has_members
        self._member: zlib._Decompress | None = None
        self._ended = 0
        self._rest = b""
        self._is_full = False

    @property
    def has_more(self) -> bool:
        """Whether what was fed holds more than was given."""
        return self._is_full

    @property
    def is_complete(self) -> bool:
        """Whether the body may end here; one that never began is empty."""
        return self._member is None and not self._rest

    def feed(self, content: bytes = b"") -> bytes:
        """Return what compressed bytes hold, or the first piece of it.

        Raises:
            ProtocolError: They are not compressed, or not in this way.
        """
        came = self._rest + content if self._rest else content
        pieces: list[bytes] = []
        at, room, is_full = 0, MAX_INFLATED_BYTES, self._is_full
        while room and (at < len(came) or is_full):
            window = came[at : at + _WINDOW_BYTES]
            end, is_full = at + len(window), False
            if self._member is None:
                window = self._begin(window)
                at = end - len(window)
                if self._member is None:
                    if end == len(came):
                        break
                    continue
            piece, left = self._inflate(self._member, window, room)
            at = end - left
            room -= len(piece)
            pieces.append(piece)
        self._rest = came[at:]
        self._is_full = not room and (bool(self._rest) or self._member is not None)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _inflate(self, member: "zlib._Decompress", came: bytes, room: int) -> tuple[bytes, int]:
        """Return what some bytes of a member hold, and how many of them are left."""
        try:
            piece = member.decompress(came, room)
        except zlib.error as error:
            raise ProtocolError(f"the body cannot be decompressed: {error}") from None
        if not member.eof:
            return piece, len(member.unconsumed_tail)
        self._member = None
        self._ended += 1
        return piece, len(member.unused_data)

    def _begin(self, came: bytes) -> bytes:
        """Begin the next member, if enough of it has come; return what is still to be read."""
        if self._ended:
            came = came.lstrip(b"\0")  # with which some programs fill up
            if came and not (self._has_members and came[0] == _GZIP_BEGINS):
                raise ProtocolError("more follows the end of the compressed body")
        if len(came) > 1:
            self._member = zlib.decompressobj(self._wbits(came))
        return came

    def _wbits(self, came: bytes) -> int:
        """Return how zlib is to read data: by its head, or, as some servers send it, without."""
        has_head = came[0] & 0x0F == _DEFLATED and int.from_bytes(came[:2], "big") % 31 == 0
        return _AS_ITS_HEAD_SAYS if has_head or self._has_members else _WITHOUT_HEAD


def encoding_of(headers: Mapping[str, str]) -> Inflated | None:
    """Return how content is decompressed, or nothing where it is plain.

    Raises:
        EncodingError: It is compressed in a way we did not ask for and do not know.
    """
    coding = headers.get("content-encoding", "").strip().lower()
    if coding in {"", "identity"}:
        return None
    if coding not in _GZIP and coding != "deflate":
        raise EncodingError(f"the content encoding {coding[:40]!r} was not asked for")
    return Inflated(has_members=coding in _GZIP)
