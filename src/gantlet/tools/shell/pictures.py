"""A picture that a command prints instead of text: told from broken ones, which no model takes."""

import base64
import binascii
import re
import struct
import zlib

from gantlet.messages import FrozenDict, Image

#: What the API takes of one picture: 5 MB when it is written as text, and so many pixels an edge.
_MAX_BYTES = 3_750_000
_MAX_EDGE = 8_000
_DATA_URI = re.compile(rb"\s*data:(image/[a-z+.-]+);base64,([A-Za-z0-9+/=\s]+)\Z")
_PNG = b"\x89PNG\r\n\x1a\n"
#: The markers of a JPEG behind which its size stands.
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def picture_in(raw: bytes) -> Image | str | None:
    """Return the picture that an output is; why one is not shown; None where it is none."""
    found = _DATA_URI.match(raw)
    if found:
        try:
            raw = base64.b64decode(b"".join(found[2].split()), validate=True)
        except (binascii.Error, ValueError):
            return None
    media, edges = _kind(raw)
    if not media or not edges or min(edges) <= 0:
        return None
    if len(raw) > _MAX_BYTES or max(edges) > _MAX_EDGE:
        return (
            f"[The output is a picture ({media}, {len(raw):,} bytes, {edges[0]} x {edges[1]}) that"
            " is too large to be shown. Write it to a file and read that: Read makes it smaller.]"
        )
    data = base64.b64encode(raw).decode()
    return Image(FrozenDict(type="base64", media_type=media, data=data))


def _kind(raw: bytes) -> tuple[str, tuple[int, int] | None]:
    """Return what kind of picture bytes are, and its edges if it is whole."""
    if raw.startswith(_PNG):
        return "image/png", _png_edges(raw)
    if raw.startswith(b"\xff\xd8\xff"):
        return "image/jpeg", _jpeg_edges(raw)
    if raw.startswith((b"GIF87a", b"GIF89a")):
        is_whole = len(raw) > 13 and raw.rstrip(b"\0\n").endswith(b";")
        return "image/gif", struct.unpack("<HH", raw[6:10]) if is_whole else None
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp", _webp_edges(raw)
    return "", None


def _png_edges(raw: bytes) -> tuple[int, int] | None:
    """Return the edges of a PNG all of whose parts are there and as they were written."""
    edges, has_pixels, at = None, False, len(_PNG)
    while at + 12 <= len(raw):
        (size,) = struct.unpack_from(">I", raw, at)
        kind, end = raw[at + 4 : at + 8], at + 12 + size
        if end > len(raw) or zlib.crc32(raw[at + 4 : end - 4]) != _number(raw, end - 4):
            return None
        if kind == b"IHDR" and size == 13:
            edges = struct.unpack_from(">II", raw, at + 8)
        elif kind == b"IEND":
            return edges if has_pixels else None
        has_pixels = has_pixels or kind == b"IDAT"
        at = end
    return None


def _number(raw: bytes, at: int) -> int:
    """Return the number of four bytes at a place."""
    return int.from_bytes(raw[at : at + 4])


def _jpeg_edges(raw: bytes) -> tuple[int, int] | None:
    """Return the edges of a JPEG that has an end."""
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        if raw[at + 1] in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", raw, at + 5)
            return (width, height) if b"\xff\xd9" in raw[-1024:] else None
        at += 1 if raw[at + 1] == 0xFF else 2 + int.from_bytes(raw[at + 2 : at + 4])
    return None


def _webp_edges(raw: bytes) -> tuple[int, int] | None:
    """Return the edges of a WebP that is as long as it says."""
    if len(raw) < 30 or int.from_bytes(raw[4:8], "little") + 8 > len(raw):
        return None
    if raw[12:16] == b"VP8X":
        wide, high = (int.from_bytes(raw[at : at + 3], "little") + 1 for at in (24, 27))
        return wide, high
    if raw[12:16] == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    wide, high = struct.unpack_from("<HH", raw, 26)
    return wide & 0x3FFF, high & 0x3FFF
