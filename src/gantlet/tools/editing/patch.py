"""An edit as a patch for people, made from where it was applied. The file is not compared."""

from collections.abc import Sequence
from typing import TypeAlias

from gantlet.messages.value import value
from gantlet.system import shown
from gantlet.tools.editing.line_diff import split_lines

CONTEXT_LINES = 3
#: So many replacements are shown of one edit; a person reads no more.
MAX_SHOWN = 200
_NO_NEWLINE = "\\ No newline at end of file"

Hunk: TypeAlias = dict[str, object]


@value
class Replacement:
    """One stretch of an old text, and what came in its place."""

    start: int
    end: int
    new: str


@value
class _Region:
    """Whole lines of the old text from `start` to `end`, and the replacements inside them."""

    start: int
    end: int
    replacements: tuple[Replacement, ...]


def applied(text: str, replacements: Sequence[Replacement]) -> str:
    """Return a text with replacements made; they are in order and apart."""
    parts: list[str] = []
    end = 0
    for one in replacements:
        parts += [text[end : one.start], one.new]
        end = one.end
    return "".join([*parts, text[end:]])


def hunks(text: str, replacements: Sequence[Replacement]) -> list[Hunk]:
    """Return what replacements change in a text, as the hunks of a patch."""
    made: list[Hunk] = []
    line, counted, shift = 1, 0, 0
    for region in _regions(text, replacements[:MAX_SHOWN]):
        line += text.count("\n", counted, region.start)
        counted = region.start
        lines = _patch_lines(text, region)
        if not any(one[0] in "-+" for one in lines):
            continue
        old = sum(1 for one in lines if one[0] in " -")
        new = sum(1 for one in lines if one[0] in " +")
        made.append(
            {
                "oldStart": line if old else line - 1,
                "oldLines": old,
                "newStart": line + shift if new else line + shift - 1,
                "newLines": new,
                "lines": lines,
            }
        )
        shift += new - old
    return made


def line_start(text: str, position: int, lines_before: int = 0) -> int:
    """Return where the line of a position begins, or one so many lines before it."""
    start = text.rfind("\n", 0, position) + 1
    for _ in range(lines_before):
        if start == 0:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    return start


def line_end(text: str, position: int, lines_after: int = 0) -> int:
    """Return where the line of a position ends, its end included, or one so many lines after it."""
    end = position
    for _ in range(lines_after + 1):
        found = text.find("\n", end)
        if found < 0:
            return len(text)
        end = found + 1
    return end


def _regions(text: str, replacements: Sequence[Replacement]) -> list[_Region]:
    """Group replacements whose lines, with those around them, touch."""
    regions: list[_Region] = []
    for one in replacements:
        start = line_start(text, one.start, CONTEXT_LINES)
        end = line_end(text, _last_inside(one), CONTEXT_LINES)
        if regions and start <= regions[-1].end:
            before = regions.pop()
            start, one_and_before = before.start, (*before.replacements, one)
            regions.append(_Region(start, max(end, before.end), one_and_before))
        else:
            regions.append(_Region(start, end, (one,)))
    return regions


def _last_inside(one: Replacement) -> int:
    """Return the last position of a replaced stretch, so that a line end in it is its own."""
    return max(one.start, one.end - 1)


def _patch_lines(text: str, region: _Region) -> list[str]:
    """Return the lines of a hunk."""
    lines: list[str] = []
    at = region.start
    for group in _on_same_lines(text, region):
        start = line_start(text, group[0].start)
        end = line_end(text, max(map(_last_inside, group)))
        lines += _marked(" ", text[at:start])
        inside = [Replacement(one.start - start, one.end - start, one.new) for one in group]
        lines += _changed(text[start:end], applied(text[start:end], inside))
        at = end
    return lines + _marked(" ", text[at : region.end])


def _on_same_lines(text: str, region: _Region) -> list[list[Replacement]]:
    """Group the replacements of a region that share a line."""
    groups: list[list[Replacement]] = []
    end = -1
    for one in region.replacements:
        if groups and line_start(text, one.start) < end:
            groups[-1].append(one)
        else:
            groups.append([one])
        end = line_end(text, _last_inside(one))
    return groups


def _changed(old: str, new: str) -> list[str]:
    """Return replaced lines; those that are the same at either end are no change."""
    before, after = split_lines(old), split_lines(new)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return [
        *_marked(" ", "".join(before[:head])),
        *_marked("-", "".join(before[head : len(before) - tail])),
        *_marked("+", "".join(after[head : len(after) - tail])),
        *_marked(" ", "".join(before[len(before) - tail :])),
    ]


def _marked(mark: str, text: str) -> list[str]:
    """Return lines with a mark before each; a last line without an end says so."""
    plain = (line.removesuffix("\n").removesuffix("\r") for line in split_lines(text))
    lines = [f"{mark}{shown(line)}" for line in plain]
    if text and not text.endswith("\n"):
        lines.append(_NO_NEWLINE)
    return lines
