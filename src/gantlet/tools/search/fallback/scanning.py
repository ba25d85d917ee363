"""What a file holds of a query, as the records ripgrep writes."""

import base64
import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from gantlet.messages.value import value
from gantlet.tools.search.fallback.regex import Regex
from gantlet.tools.search.query import Query

#: What is read at once. A piece that holds a NUL byte, and all after it, is not searched.
_PIECE_BYTES = 65_536
_MAX_FILE_BYTES = 256 * 1024 * 1024
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@value
class Stretch:
    """Lines that hold matches: the first, the one behind the last, and where the matches are."""

    first: int
    end: int
    matches: tuple[tuple[int, int], ...]


class Scan:
    """One file and what was found in it."""

    def __init__(self, path: str, text: str, regex: Regex, query: Query) -> None:
        self.path = path
        self._text = text
        self._query = query
        self._starts = _line_starts(text)
        self._spans_lines = regex.spans_lines
        if regex.spans_lines:
            self.stretches = tuple(self._across_lines(regex.pattern))
        elif query.multiline and query.ends_lines_at_crlf:
            self.stretches = tuple(self._line_by_line(regex.pattern))
        else:
            self.stretches = tuple(self._in_lines(regex.pattern))

    @property
    def count(self) -> int:
        """How many lines match; how many matches there are if they span lines."""
        if self._spans_lines:
            return sum(len(stretch.matches) for stretch in self.stretches)
        return len(self.stretches)

    def _in_lines(self, regex: re.Pattern[str]) -> Iterator[Stretch]:
        """Yield each line that matches."""
        line_end = "\r\n" if self._query.ends_lines_at_crlf else "\n"
        for number, (start, end) in enumerate(zip(self._starts, self._starts[1:], strict=False)):
            line = self._text[start:end].removesuffix(line_end).removesuffix("\n")
            matches = tuple((start + one, start + other) for one, other in _spans(regex, line))
            if matches:
                yield Stretch(number, number + 1, matches)

    def _line_by_line(self, regex: re.Pattern[str]) -> Iterator[Stretch]:
        """Yield each line that matches, where a match may hold what is before a line's end."""
        lines: dict[int, list[tuple[int, int]]] = {}
        for span in _spans(regex, self._text):
            lines.setdefault(self._line_at(span[0]), []).append(span)
        for number, matches in lines.items():
            if number < len(self._starts) - 1:
                yield Stretch(number, number + 1, tuple(matches))

    def _across_lines(self, regex: re.Pattern[str]) -> Iterator[Stretch]:
        """Yield the lines of matches that may span several; those that touch are one."""
        kept: Stretch | None = None
        for span in _spans(regex, self._text):
            first = self._line_at(span[0])
            end = self._line_at(max(span[0], span[1] - 1)) + 1
            if first >= len(self._starts) - 1:
                continue
            if kept is not None and first <= kept.end:
                kept = Stretch(kept.first, max(end, kept.end), (*kept.matches, span))
                continue
            if kept is not None:
                yield kept
            kept = Stretch(first, end, (span,))
        if kept is not None:
            yield kept

    def _line_at(self, position: int) -> int:
        """Return in which line a position lies."""
        return bisect_right(self._starts, position) - 1

    def records(self) -> Iterator[str]:
        """Yield what is written about the file, with the lines around each match."""
        yield _json({"type": "begin", "data": {"path": _text(self.path)}})
        written = 0
        for number, stretch in enumerate(self.stretches):
            yield from self._around(max(written, stretch.first - self._query.before), stretch.first)
            yield self._record("match", stretch.first, stretch.end, stretch.matches)
            follows = self.stretches[number + 1 : number + 2]
            last = min(stretch.end + self._query.after, len(self._starts) - 1)
            written = min(last, follows[0].first) if follows else last
            yield from self._around(stretch.end, written)
        yield _json({"type": "end", "data": {"path": _text(self.path)}})

    def _around(self, first: int, end: int) -> Iterator[str]:
        """Yield lines that hold no match."""
        for number in range(first, end):
            yield self._record("context", number, number + 1, ())

    def _record(self, kind: str, first: int, end: int, matches: tuple[tuple[int, int], ...]) -> str:
        """Return some lines as a record."""
        start = self._starts[first]
        lines = self._text[start : self._starts[end]]
        submatches = [
            {
                "match": _text(self._text[begin:finish]),
                "start": _size(self._text[start:begin]),
                "end": _size(self._text[start:finish]),
            }
            for begin, finish in matches
        ]
        data = {
            "path": _text(self.path),
            "lines": _text(lines),
            "line_number": first + 1,
            "absolute_offset": _size(self._text[:start]),
            "submatches": submatches,
        }
        return _json({"type": kind, "data": data})


def read_text(path: Path, *, is_named: bool) -> str | None:
    """Return what can be searched of a file, or None where it cannot be read.

    Of a file that nobody named, what comes with or after a NUL byte is not searched.
    """
    try:
        with path.open("rb") as opened:
            content = opened.read(_MAX_FILE_BYTES)
    except OSError:
        return None
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    if is_named:
        content = content.replace(b"\0", b"\n")
    nul = content.find(b"\0")
    if nul >= 0:
        content = content[: nul // _PIECE_BYTES * _PIECE_BYTES]
        content = content[: content.rfind(b"\n") + 1]
    return content.removeprefix(codecs.BOM_UTF8).decode(errors="surrogateescape")


def _spans(regex: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where matches are; one that is empty and touches the one before it is none."""
    last = -1
    for match in regex.finditer(text):
        if match.end() > match.start() or match.start() != last:
            yield match.span()
        last = match.end()


def _line_starts(text: str) -> list[int]:
    """Return where each line begins, and where the text ends."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return starts if starts[-1] == len(text) else [*starts, len(text)]


def _text(text: str) -> dict[str, str]:
    """Return a text for a record; one that is no UTF-8 in base64."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raw = text.encode(errors="surrogateescape")
        return {"bytes": base64.b64encode(raw).decode("ascii")}
    return {"text": text}


def _size(text: str) -> int:
    """Return how many bytes a text has."""
    return len(text.encode(errors="surrogateescape"))


def _json(value: object) -> str:
    """Return a record as one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
