"""From a search's raw output to values. The output is ripgrep's, or of the same form."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast, overload

from gantlet.messages.value import value

_BEGIN = b'{"type":"begin"'
_MATCH = b'{"type":"match"'
_CONTEXT = b'{"type":"context"'
#: What stands around a path that is written as it is.
_PLAIN_BEGIN, _PLAIN_END = b'{"type":"begin","data":{"path":{"text":"', b'"}}}'
#: So many records are read at once.
_BATCH = 256


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


def clean_path(path: bytes) -> str:
    """Return a path as seen from where the search ran, without the dot in front."""
    return path.removeprefix(b"./").decode(errors="surrogateescape")


def by_file(lines: Iterable[bytes]) -> Iterator[FileLines]:
    """Yield what was found file by file; lines that are no such record are left out.

    ripgrep may show the lines around a match behind the last line, which is none.
    """
    path: str | None = None
    records: list[bytes] = []
    has_match = False
    for line in lines:
        if line.startswith(_BEGIN):
            if path is not None and has_match:
                yield FileLines(path, tuple(records))
            path, records, has_match = _path_of(line), [], False
        elif line.startswith(_MATCH):
            records.append(line)
            has_match = True
        elif line.startswith(_CONTEXT):
            records.append(line)
    if path is not None and has_match:
        yield FileLines(path, tuple(records))


def _path_of(line: bytes) -> str | None:
    """Return which file a record is about."""
    if line.startswith(_PLAIN_BEGIN) and line.endswith(_PLAIN_END) and b"\\" not in line:
        return clean_path(line[len(_PLAIN_BEGIN) : -len(_PLAIN_END)])
    try:
        return _clean(_text_of(json.loads(line)["data"]["path"]))
    except (ValueError, KeyError, TypeError):
        return None


def _clean(path: str) -> str:
    """Return a path without the dot in front."""
    return path.removeprefix("./")


def parsed(records: Iterable[bytes]) -> Iterator[object]:
    """Yield what each record holds; None for one that cannot be read."""
    left = iter(records)
    while batch := list(islice(left, _BATCH)):
        try:
            held = json.loads(b"[" + b",".join(batch) + b"]")
        except ValueError:
            held = []
        yield from held if len(held) == len(batch) else map(_parsed, batch)


def _parsed(record: bytes) -> object:
    """Return what one record holds, or None if it cannot be read."""
    try:
        return json.loads(record)
    except ValueError:
        return None


def read_lines(path: str, held: object) -> Lines | None:
    """Return what a record says, or None if it says nothing."""
    try:
        said = cast("dict[str, Any]", held)
        data = said["data"]
        number = int(data["line_number"])
        spans = [(int(one["start"]), int(one["end"])) for one in data["submatches"]]
        raw = _bytes_of(data["lines"])
    except (ValueError, KeyError, TypeError):
        return None
    is_plain = raw.isascii()
    matches = tuple(
        Span(start, end) if is_plain else Span(_chars(raw[:start]), _chars(raw[:end]))
        for start, end in spans
        if start < end
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
