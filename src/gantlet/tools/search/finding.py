"""Find files, counts and lines: whatever may be shown of them, in their order."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import Generic, TypeAlias, TypeVar

from gantlet.messages.value import replace, value
from gantlet.system import run_in_thread
from gantlet.tools.search.counts import Count, Counts, count_keys, counted_path
from gantlet.tools.search.query import Query
from gantlet.tools.search.records import FileLines, RawPaths, by_file, read_paths
from gantlet.tools.search.scope import Scope, newest_first, path_order
from gantlet.tools.search.searching import MAX_BYTES, Output

#: Runs a query, for so many seconds, and keeps so many bytes.
Search: TypeAlias = Callable[..., Awaitable[Output]]

_T = TypeVar("_T")
_Item_co = TypeVar("_Item_co", covariant=True)

#: So much is read of a search with all its threads before it is tried in the order of paths.
_UNSORTED_BYTES = 4 * 1024 * 1024
#: What a line takes of the output, about; more is read if that is not enough.
_BYTES_PER_LINE = 2_000
_MIN_SORTED_BYTES = 1024 * 1024
#: Which part of its time a search may take that says nothing before its end.
_SORTING_SHARE = 0.75
#: Less output than this is looked through faster than a thread starts.
_SMALL_BYTES = 65_536


@value
class Findings(Generic[_Item_co]):
    """What was found, in its order.

    Attributes:
        is_whole: There is no more.
        timed_out: Time ran out before everything was searched.
        is_small: It is looked through faster than a thread starts.
    """

    items: Sequence[_Item_co]
    is_whole: bool = True
    timed_out: bool = False
    is_small: bool = False


async def find_files(search: Search, query: Query, scope: Scope, seconds: float) -> Findings[str]:
    """Return the paths of files that match, those changed last first."""
    output = await search(query, seconds=seconds)
    paths = await run_in_thread(partial(_visible_files, scope, output.raw))
    return Findings(paths, output.is_whole, output.timed_out)


def _visible_files(scope: Scope, raw: bytes) -> list[str]:
    """Return paths that may be shown, those changed last first."""
    return newest_first(scope, scope.visible(read_paths(raw), str))


async def list_files(search: Search, query: Query, scope: Scope, seconds: float) -> Findings[str]:
    """Return the paths of all files that are meant, those changed last first.

    The program that searches sorts them, as long as it can do so in time.
    """
    output = await search(replace(query, newest_first=True), seconds=seconds * _SORTING_SHARE)
    if output.timed_out:
        unsorted = await search(query, seconds=seconds * (1 - _SORTING_SHARE))
        paths = await run_in_thread(partial(_visible_files, scope, unsorted.raw))
        return Findings(paths, unsorted.is_whole, unsorted.timed_out)
    if scope.withheld.is_empty and scope.is_wanted is None:
        return Findings(RawPaths(output.raw), output.is_whole)
    paths = await run_in_thread(partial(scope.visible, read_paths(output.raw), str))
    return Findings(paths, output.is_whole)


async def find_counts(
    search: Search, query: Query, scope: Scope, seconds: float
) -> tuple[Findings[Count], int]:
    """Return how many lines match in each file, in the order of paths; and in all of them."""
    output = await search(query, seconds=seconds)

    def counted() -> tuple[Counts, int]:
        counts = Counts(scope.visible(count_keys(output.raw), counted_path))
        return counts, counts.total

    counts, total = await worked_out(counted, is_small=_is_small(output, scope))
    return Findings(counts, output.is_whole, output.timed_out), total


async def find_lines(
    search: Search, query: Query, scope: Scope, wanted: int | None, seconds: float
) -> Findings[FileLines]:
    """Return the lines that match, file by file in the order of paths; `wanted` of them at least.

    A search with many threads finds files in no order. If it finds too much to be sorted here, it
    is done again in order, and ended once there are enough lines.
    """
    until = monotonic() + seconds
    first_bytes = MAX_BYTES if wanted is None else _UNSORTED_BYTES
    output = await search(query, seconds=seconds, max_bytes=first_bytes)
    ordered = replace(query, by_path=True)
    room = max(_MIN_SORTED_BYTES, (wanted or 0) * _BYTES_PER_LINE)
    while not output.is_whole and not output.timed_out and wanted is not None:
        left = max(until - monotonic(), 1.0)
        output = await search(ordered, seconds=left, max_bytes=min(room, MAX_BYTES))
        if room >= MAX_BYTES or _has_lines(output.raw, wanted):
            break
        room *= 4
    is_small = _is_small(output, scope)
    files = await worked_out(partial(_visible_lines, scope, output.raw), is_small=is_small)
    return Findings(files, output.is_whole, output.timed_out, is_small)


def _is_small(output: Output, scope: Scope) -> bool:
    """Return whether an output is looked through in no time: without asking the disk."""
    return len(output.raw) < _SMALL_BYTES and scope.withheld.is_empty


async def worked_out(function: Callable[[], _T], *, is_small: bool) -> _T:
    """Return what comes of an output: worked out in a thread, unless that is more work itself."""
    return function() if is_small else await run_in_thread(function)


def _has_lines(raw: bytes, wanted: int) -> bool:
    """Return whether an output holds so many records, those that are about whole files apart."""
    return raw.count(b'\n{"type":"match"') >= wanted


def _visible_lines(scope: Scope, raw: bytes) -> list[FileLines]:
    """Return what may be shown, in the order of paths."""
    lines = raw[: raw.rfind(b"\n") + 1].split(b"\n")
    files = scope.visible(by_file(lines), lambda file: file.path)
    return sorted(files, key=lambda file: path_order(file.path))
