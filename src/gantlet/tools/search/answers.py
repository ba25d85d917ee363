"""What a search comes to: words for the model, and the same for programs."""

from collections.abc import Mapping, Sequence

from gantlet.messages.value import value
from gantlet.tools.search.counts import Count
from gantlet.tools.search.finding import Findings
from gantlet.tools.search.lines import Style, written
from gantlet.tools.search.pages import Page
from gantlet.tools.search.query import Mode
from gantlet.tools.search.records import FileLines
from gantlet.tools.search.scope import Scope

NO_FILES = "No files found"
NO_MATCHES = "No matches found"
TIMED_OUT = "[Time ran out: this is what was found until then. Search a smaller part.]"
CUT_OFF = "[There is more than can be looked through. Search a smaller part.]"


@value
class Answer:
    """What the model reads, and what programs get."""

    text: str
    structured: Mapping[str, object]


def files_answer(found: Findings[str], scope: Scope, part: tuple[int, int]) -> Answer:
    """Answer with paths."""
    page = Page.of(found.items, *part, is_total=found.is_whole)
    shown = [scope.shown(path) for path in page.entries]
    head = f"Found {_files(page.total, is_total=page.is_total)}" if shown else ""
    text = _joined(head, *shown, page.footer("files"), *_notes(found)) or NO_FILES
    return Answer(
        text,
        {
            "mode": str(Mode.FILES),
            "numFiles": len(shown),
            "filenames": shown,
            "totalFiles": page.total,
            **_applied(page, found),
        },
    )


def count_answer(found: Findings[Count], total: int, scope: Scope, part: tuple[int, int]) -> Answer:
    """Answer with how many lines match in each file, and in all of them."""
    page = Page.of(found.items, *part, is_total=found.is_whole)
    shown = [f"{scope.shown(count.path)}:{count.number}" for count in page.entries]
    lines = f"{total:,} matching line{'' if total == 1 else 's'}"
    sum_up = f"Found {lines} in {_files(page.total, is_total=page.is_total)}." if shown else ""
    text = _joined(*shown, page.footer("files"), sum_up, *_notes(found)) or NO_MATCHES
    return Answer(
        text,
        {
            "mode": str(Mode.COUNT),
            "numFiles": len(shown),
            "filenames": [scope.shown(count.path) for count in page.entries],
            "content": "\n".join(shown),
            "numMatches": total,
            "totalFiles": page.total,
            **_applied(page, found),
        },
    )


def lines_answer(
    found: Findings[FileLines], scope: Scope, style: Style, part: tuple[int, int]
) -> Answer:
    """Answer with lines."""
    named = [(scope.shown(file.path), file) for file in found.items]
    page = _page_of_lines(named, style, part, is_total=found.is_whole)
    content = "\n".join(page.entries)
    text = _joined(content, page.footer("lines"), *_notes(found, page)) or NO_MATCHES
    return Answer(
        text,
        {
            "mode": str(Mode.CONTENT),
            "numFiles": len(named),
            "filenames": [],
            "content": content,
            "numLines": len(page.entries),
            "totalLines": page.total,
            **_applied(page, found),
        },
    )


def _page_of_lines(
    named: Sequence[tuple[str, FileLines]], style: Style, part: tuple[int, int], *, is_total: bool
) -> Page[str]:
    """Return the lines that were asked for; where each record is one line, the others stay raw."""
    offset, limit = part
    if style.with_context or style.matches_only or style.spans_lines:
        return Page.of(list(written(named, style)), offset, limit, is_total=is_total)
    records = [(shown, file, record) for shown, file in named for record in file.records]
    page = Page.of(records, offset, limit, is_total=is_total)
    single = [(shown, FileLines(file.path, (record,))) for shown, file, record in page.entries]
    return Page(tuple(written(single, style)), offset, limit, len(records), is_total)


def _applied(page: Page[str] | Page[Count], found: Findings[object]) -> dict[str, object]:
    """Return which part was given, where it is not all."""
    applied: dict[str, object] = {}
    if page.has_more:
        applied["appliedLimit"] = page.limit
    if page.offset:
        applied["appliedOffset"] = page.offset
    if found.timed_out:
        applied["timedOut"] = True
    return applied


def _notes(found: Findings[object], page: Page[str] | None = None) -> list[str]:
    """Return what must be said of an answer that is not whole."""
    if found.timed_out:
        return [TIMED_OUT]
    is_enough = page is not None and page.limit > 0 and page.has_more
    return [] if found.is_whole or is_enough else [CUT_OFF]


def _files(number: int, *, is_total: bool) -> str:
    """Return so many files, in words."""
    least = "" if is_total else "at least "
    return f"{least}{number:,} file{'' if number == 1 else 's'}"


def _joined(*parts: str) -> str:
    """Return the parts that say something, each on its own line."""
    return "\n".join(part for part in parts if part)
