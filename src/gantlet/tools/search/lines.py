"""Found lines as a model reads them."""

from collections.abc import Iterable, Iterator, Sequence

from gantlet.messages.value import value
from gantlet.tools.search.records import FileLines, Lines, Span, parsed, read_lines

#: A longer line is shown around its first match.
MAX_LINE_CHARS = 500
_SEPARATOR = "--"


@value
class Style:
    """How found lines are written.

    Attributes:
        with_numbers: Each line has its number in front.
        with_paths: …and its file.
        matches_only: Only what matched, each match on a line of its own.
        with_context: Lines around matches are shown, and gaps between them marked.
        spans_lines: A match may be more than one line.
    """

    with_numbers: bool = True
    with_paths: bool = True
    matches_only: bool = False
    with_context: bool = False
    spans_lines: bool = False


def written(files: Sequence[tuple[str, FileLines]], style: Style) -> Iterator[str]:
    """Yield the lines of files, each file under the name it is shown by."""
    is_first = True
    held = parsed(record for _, file in files for record in file.records)
    for shown, file in files:
        last = -1
        for _ in file.records:
            found = read_lines(file.path, next(held))
            if found is None or (style.matches_only and not found.is_match):
                continue
            if style.with_context and not is_first and found.number != last + 1:
                yield _SEPARATOR
            is_first = False
            texts = list(_texts(found, style))
            last = found.number + len(found.text.splitlines()) - 1
            yield from (_line(shown, number, text, found, style) for number, text in texts)


def _texts(found: Lines, style: Style) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a record."""
    if style.matches_only:
        for span in found.matches:
            number = found.number + found.text.count("\n", 0, span.start)
            for text in found.text[span.start : span.end].removesuffix("\n").split("\n"):
                yield number, _cut(text, Span(0, 0))
                number += 1
        return
    at = 0
    for number, text in enumerate(found.text.removesuffix("\n").split("\n"), found.number):
        yield number, _cut(text, _first_in(found.matches, at, at + len(text)))
        at += len(text) + 1


def _first_in(matches: Iterable[Span], start: int, end: int) -> Span:
    """Return where in a line the first match stands."""
    for span in matches:
        if span.start < end and span.end > start:
            return Span(max(span.start - start, 0), min(span.end, end) - start)
    return Span(0, 0)


def _cut(text: str, match: Span) -> str:
    """Return a line that is not too long, with its first match in it."""
    text = text.removesuffix("\r")
    if len(text) <= MAX_LINE_CHARS:
        return text
    room = MAX_LINE_CHARS - min(match.end - match.start, MAX_LINE_CHARS)
    start = max(0, min(match.start - room // 2, len(text) - MAX_LINE_CHARS))
    shown = text[start : start + MAX_LINE_CHARS]
    before, after = start, len(text) - start - len(shown)
    head = f"[{before:,} characters] …" if before else ""
    tail = f"… [{after:,} more characters]" if after else ""
    return f"{head}{shown}{tail}"


def _line(shown: str, number: int, text: str, found: Lines, style: Style) -> str:
    """Return one line with what stands in front of it."""
    mark = ":" if found.is_match else "-"
    path = f"{shown}{mark}" if style.with_paths else ""
    place = f"{number}{mark}" if style.with_numbers else ""
    return f"{path}{place}{text}"
