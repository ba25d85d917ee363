"""From a search's raw output to values. The output is ripgrep's, or of the same form."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

from gantlet.messages.value import value

_BEGIN = b'{"type":"begin"'
_MATCH = b'{"type":"match"'
_CONTEXT = b'{"type":"context"'


class Count(NamedTuple):
    """How many lines of a file match. There may be very many, of which few are looked at."""

    raw_path: bytes
    number: int

    @property
    def path(self) -> str:
        """The file, seen from where the search ran."""
        return clean_path(self.raw_path)


@value
class Span:
    """Where in a text something was found."""

    start: int
    end: int


@value
class Lines:
    """Lines of a file that were found, or that stand around such.

    Attributes:
        number: The number of the first of them.
        matches: Where in the text the matches are that are not empty; none for lines around.
    """

    path: str
    text: str
    number: int
    is_match: bool = True
    matches: tuple[Span, ...] = ()


@value
class FileLines:
    """All that was found in one file, each record as it came."""

    path: str
    records: tuple[bytes, ...]


def read_paths(output: bytes) -> list[str]:
    """Return the paths of an output in which a NUL ends each. One that was cut off is left out."""
    return [clean_path(path) for path in output.split(b"\0")[:-1]]


class RawPaths(Sequence[str]):
    """The paths of an output in which a NUL ends each, read when they are looked at."""

    def __init__(self, output: bytes) -> None:
        self._raw = output.split(b"\0")[:-1]

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        found = self._raw[at]
        return clean_path(found) if isinstance(found, bytes) else [clean_path(one) for one in found]


def read_counts(output: bytes) -> list[Count]:
    """Return the counts of an output of paths, a NUL and a number on each line."""
    path, *pieces = output.split(b"\0")  # each piece is a number, a line end, and the next path
    counts: list[Count] = []
    for piece in pieces:
        number, ended, following = piece.partition(b"\n")
        if ended and number.isdigit():
            counts.append(Count(path, int(number)))
        path = following
    return counts


def clean_path(path: bytes) -> str:
    """Return a path as seen from where the search ran, without the dot in front."""
    return path.removeprefix(b"./").decode(errors="surrogateescape")


def by_file(lines: Iterable[bytes]) -> Iterator[FileLines]:
    """Yield what was found file by file; lines that are no such record are left out."""
    path: str | None = None
    records: list[bytes] = []
    for line in lines:
        if line.startswith(_BEGIN):
            if path is not None and records:
                yield FileLines(path, tuple(records))
            path, records = _path_of(line), []
        elif path is not None and line.startswith((_MATCH, _CONTEXT)):
            records.append(line)
    if path is not None and records:
        yield FileLines(path, tuple(records))


def _path_of(line: bytes) -> str | None:
    """Return which file a record is about."""
    try:
        return _clean(_text_of(json.loads(line)["data"]["path"]))
    except (ValueError, KeyError, TypeError):
        return None


def _clean(path: str) -> str:
    """Return a path without the dot in front."""
    return path.removeprefix("./")


def read_lines(path: str, record: bytes) -> Lines | None:
    """Return what one record says, or None if it says nothing that can be read."""
    try:
        said = json.loads(record)
        data = said["data"]
        raw = _bytes_of(data["lines"])
        number = int(data["line_number"])
        spans = [(int(one["start"]), int(one["end"])) for one in data["submatches"]]
    except (ValueError, KeyError, TypeError):
        return None
    matches = tuple(
        Span(_chars(raw[:start]), _chars(raw[:end])) for start, end in spans if start < end
    )
    return Lines(path, _shown(raw), number, said.get("type") == "match", matches)


def _text_of(data: dict[str, str]) -> str:
    """Return a text that may have been written as bytes."""
    return _bytes_of(data).decode(errors="surrogateescape")


def _bytes_of(data: dict[str, str]) -> bytes:
    """Return the bytes of a text, which is written in base64 if it is no UTF-8."""
    if "text" in data:
        return data["text"].encode(errors="surrogateescape")
    try:
        return base64.b64decode(data["bytes"], validate=True)
    except binascii.Error as error:
        raise ValueError("that is no base64") from error


def _shown(raw: bytes) -> str:
    """Return bytes as a text that can be sent; what is no UTF-8 is replaced."""
    return raw.decode(errors="replace")


def _chars(raw: bytes) -> int:
    """Return how many characters some bytes are when they are shown."""
    return len(_shown(raw))
