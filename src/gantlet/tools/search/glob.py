"""Find files by their names."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter

from pydantic import Field

from gantlet.messages.value import replace
from gantlet.system import is_on
from gantlet.tool import (
    ENVIRONMENT,
    Access,
    Ports,
    Rejected,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
    Tree,
)
from gantlet.tools.search.answers import CUT_OFF, NO_FILES, TIMED_OUT
from gantlet.tools.search.fallback import RejectedError, fitting
from gantlet.tools.search.finding import Findings, list_files
from gantlet.tools.search.query import Mode, Query, left_out
from gantlet.tools.search.scope import Scope, scope_of
from gantlet.tools.search.searching import Searcher, search_seconds

MAX_FILES = 100
#: The folders in front of the first name that holds a wildcard.
_LEAD = re.compile(r"(?:[^*?\[{\\]*/)?")
_NO_IGNORE = "CLAUDE_CODE_GLOB_NO_IGNORE"
_HIDDEN = "CLAUDE_CODE_GLOB_HIDDEN"


class GlobInput(ToolInput):
    """Which files to find."""

    pattern: str = Field(
        min_length=1,
        max_length=4096,
        description=(
            "`*.py` finds at any depth, `src/*.py` only in src, `src/**/*.{ts,tsx}` below it."
        ),
    )
    path: str | None = Field(
        None,
        max_length=4096,
        description="Directory to look below. The working directory by default.",
    )


class Glob(Tool[GlobInput]):
    """Finds files by a pattern, through ripgrep."""

    name = "Glob"
    description = (
        "Find files by a pattern of their names, those changed last first, at most 100. Hidden and"
        " ignored files count too. Prefer it to find or ls in a shell. To search what files hold,"
        " use Grep."
    )
    search_hint = "find files by name pattern"
    input_type = GlobInput
    path_fields = ("path",)
    hidden_by_flag = "embedded_search"

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    @classmethod
    def build(cls, ports: Ports) -> "Glob":
        """Search as the session's environment says."""
        return cls(Searcher(ports.need(ENVIRONMENT).variables))

    def traits(self, args: GlobInput) -> Traits:
        """Read the trees it looks through, and leave them as they are."""
        trees = [Tree(path) for path in self.paths(args)]
        return Traits(read_only=True, access=Access(reads=trees), open_world=False)

    def paths(self, args: GlobInput) -> Sequence[str]:
        """Return where it looks: the directory, and where the pattern leads from there."""
        start, _ = _started(args)
        return list(dict.fromkeys((args.path or ".", start)))

    async def validate_input(self, args: GlobInput, context: ToolContext) -> Rejected | None:
        """Refuse what no file can be called."""
        if "\0" in args.pattern or "\0" in (args.path or ""):
            return Rejected("A path cannot hold a NUL byte. Leave it out.", code=1)
        return None

    async def run(self, args: GlobInput, context: ToolContext) -> ToolResult[str]:
        """List what fits."""
        began = perf_counter()
        start, pattern = _started(args)
        scope = scope_of(start, context)
        if scope.is_file:
            found = Findings([] if pattern else [""])
        else:
            found = await self._found(pattern, scope)
            if "[" in pattern and found.is_whole and not found.items:
                found = await self._found(_with_plain_brackets(pattern), scope)
        return _result(found, scope, milliseconds=round(1000 * (perf_counter() - began)))

    async def _found(self, pattern: str, scope: Scope) -> Findings[str]:
        """Return the files below a directory that fit."""
        variables = self._searcher.variables
        search = partial(self._searcher.run, folder=scope.folder)
        query = _query(pattern, variables)
        if query.honours_ignores or not query.hidden:
            scope = replace(scope, is_wanted=_fitting(pattern))
        return await list_files(search, query, scope, search_seconds(variables))


def _with_plain_brackets(pattern: str) -> str:
    """Return a pattern in which brackets are part of names, as in `app/[id]/page.tsx`."""
    return re.sub(r"(?<!\\)([\[\]])", r"\\\1", pattern)


def _started(args: GlobInput) -> tuple[str, str]:
    """Return the directory to look below, and the pattern as seen from there.

    A pattern that begins elsewhere takes the search there. What begins with a slash then means the
    directory itself and not any depth.
    """
    start, pattern = args.path or ".", args.pattern
    found = _LEAD.match(pattern)
    lead = found.group() if found else ""
    if lead.startswith(("/", "~")):
        return lead, "/" + pattern[len(lead) :].lstrip("/")
    if ".." in lead.split("/"):
        return f"{start.rstrip('/') or '/'}/{lead}", "/" + pattern[len(lead) :].lstrip("/")
    if pattern.startswith("./"):
        return start, "/" + pattern.removeprefix("./").lstrip("/")
    return start, pattern


def _query(pattern: str, variables: Mapping[str, str]) -> Query:
    """Return what is asked of the program that searches.

    For ripgrep a glob beats what ignore files and dots in front of names say. Where those are to
    count, it is asked for all files, and the pattern is left for later.
    """
    shows_hidden = is_on(variables.get(_HIDDEN, "1"))
    shows_ignored = is_on(variables.get(_NO_IGNORE, "1"))
    wanted = (_as_glob(pattern),) if shows_hidden and shows_ignored else ()
    return Query(
        Mode.LIST,
        globs=(*wanted, *left_out([pattern])),
        hidden=shows_hidden,
        honours_ignores=not shows_ignored,
    )


def _fitting(pattern: str) -> Callable[[str], bool]:
    """Return what decides whether a file fits a pattern.

    Raises:
        ToolError: It is no pattern.
    """
    try:
        return fitting(_as_glob(pattern))
    except RejectedError as error:
        raise ToolError(f"The search was rejected: {error}. Correct the pattern.") from error


def _as_glob(pattern: str) -> str:
    """Return a pattern as ripgrep takes it, so that nothing in it means more than a name."""
    if pattern.endswith("/"):
        return f"{pattern}**"
    if pattern.startswith(("!", "#")):
        pattern = f"\\{pattern}"
    return f"{pattern[:-1]}\\ " if pattern.endswith(" ") else pattern


def _result(found: Findings[str], scope: Scope, *, milliseconds: int) -> ToolResult[str]:
    """Return the first of the files, and what must be said of the others."""
    total = len(found.items)
    shown = [scope.shown(path) for path in found.items[:MAX_FILES]]
    lines = list(shown) or [NO_FILES]
    if total > len(shown):
        least = "" if found.is_whole else "at least "
        lines.append(
            f"[The first {len(shown)} of {least}{total:,} files. Use a narrower pattern or path to"
            " see others.]"
        )
    if found.timed_out:
        lines.append(TIMED_OUT)
    elif not found.is_whole:
        lines.append(CUT_OFF)
    structured: dict[str, object] = {
        "durationMs": milliseconds,
        "numFiles": len(shown),
        "filenames": shown,
        "truncated": total > len(shown),
        "totalMatches": total,
        "countIsComplete": found.is_whole,
    }
    if found.timed_out:
        structured["timedOut"] = True
    return ToolResult("\n".join(lines), structured=structured)
