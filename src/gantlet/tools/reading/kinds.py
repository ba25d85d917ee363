"""What a file is, by its first bytes."""

from enum import StrEnum

from gantlet.messages.value import value

#: So many bytes are enough to tell.
HEAD_BYTES = 4096


class Kind(StrEnum):
    """How a file is shown."""

    TEXT = "text"
    IMAGE = "image"
    PDF = "pdf"
    NOTEBOOK = "notebook"
    BINARY = "binary"


@value
class Nature:
    """How a file is shown, and what people call such a file."""

    kind: Kind
    name: str = ""


_TEXT = Nature(Kind.TEXT)
#: Pictures that we can take apart, each by how it begins.
_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "PNG image",
    b"\xff\xd8\xff": "JPEG image",
    b"GIF87a": "GIF image",
    b"GIF89a": "GIF image",
    b"II*\x00": "TIFF image",
    b"MM\x00*": "TIFF image",
    b"\x00\x00\x01\x00": "Windows icon",
}
_BINARIES = {
    b"\x7fELF": "ELF program",
    b"MZ": "Windows program",
    b"\xcf\xfa\xed\xfe": "macOS program",
    b"\xca\xfe\xba\xbe": "Java class or macOS program",
    b"\x00asm": "WebAssembly module",
    b"PK\x03\x04": "ZIP archive or office document",
    b"PK\x05\x06": "empty ZIP archive",
    b"\x1f\x8b": "gzip archive",
    b"BZh": "bzip2 archive",
    b"\xfd7zXZ\x00": "xz archive",
    b"\x28\xb5\x2f\xfd": "Zstandard archive",
    b"7z\xbc\xaf\x27\x1c": "7-Zip archive",
    b"Rar!\x1a\x07": "RAR archive",
    b"!<arch>\n": "static library or Debian package",
    b"SQLite format 3\x00": "SQLite database",
    b"\xd0\xcf\x11\xe0": "old office document",
    b"ID3": "MP3 audio",
    b"OggS": "Ogg audio or video",
    b"fLaC": "FLAC audio",
    b"\x1aE\xdf\xa3": "Matroska video",
    b"wOFF": "web font",
    b"wOF2": "web font",
    b"\x00\x01\x00\x00\x00": "TrueType font",
    b"OTTO": "OpenType font",
    b"\x93NUMPY": "NumPy array",
    b"PAR1": "Parquet table",
    b"\x89HDF\r\n\x1a\n": "HDF5 data",
}


def nature_of(head: bytes) -> Nature:
    """Return what a file that begins so is; what is not known counts as text until it is read."""
    for begin, name in _IMAGES.items():
        if head.startswith(begin):
            return Nature(Kind.IMAGE, name)
    inside = _by_inside(head)
    if inside is not None:
        return inside
    for begin, name in _BINARIES.items():
        if head.startswith(begin) and (_is_no_text(begin) or b"\0" in head):
            return Nature(Kind.BINARY, name)
    return _TEXT


def _is_no_text(begin: bytes) -> bool:
    """Return whether no text begins like that."""
    return any(byte < 0x09 or byte > 0x7F for byte in begin)


def _by_inside(head: bytes) -> Nature | None:
    """Return what a file is that is known by something behind its first bytes."""
    if head[:4] == b"RIFF":
        return _riff(head)
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return Nature(Kind.IMAGE, "BMP image")
    if head.lstrip().startswith(b"%PDF-"):
        return Nature(Kind.PDF, "PDF document")
    if head[4:8] == b"ftyp":
        return Nature(Kind.BINARY, "MP4 video or HEIF image")
    return Nature(Kind.BINARY, "tar archive") if head[257:262] == b"ustar" else None


def _riff(head: bytes) -> Nature:
    """Return which of the formats that begin alike a file has."""
    if head[8:12] == b"WEBP":
        return Nature(Kind.IMAGE, "WebP image")
    if head[8:12] in {b"WAVE", b"AVI "}:
        return Nature(Kind.BINARY, "WAV audio" if head[8:12] == b"WAVE" else "AVI video")
    return _TEXT
