"""Search the content of files."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from pydantic import Field

from gantlet.messages.value import replace
from gantlet.tool import (
    DEFAULT_MAX_RESULT_CHARS,
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
from gantlet.tools.search.answers import Answer, count_answer, files_answer, lines_answer
from gantlet.tools.search.fallback import RejectedError, of_type
from gantlet.tools.search.finding import find_counts, find_files, find_lines, worked_out
from gantlet.tools.search.lines import Style
from gantlet.tools.search.query import Mode, Query, left_out
from gantlet.tools.search.scope import Scope, scope_of
from gantlet.tools.search.searching import Searcher, search_seconds

DEFAULT_HEAD_LIMIT = 250
_MAX_CONTEXT = 10_000
_MAX_PATTERN = 20_000
#: Between two globs: commas and blanks that stand in no braces.
_BETWEEN_GLOBS = re.compile(r"[\s,]+(?![^{]*\})")


class GrepInput(ToolInput):
    """What to look for, where, and what to show of it."""

    pattern: str = Field(
        max_length=_MAX_PATTERN,
        description="Regular expression in ripgrep's syntax. Escape literal braces: `\\{\\}`.",
    )
    path: str | None = Field(
        None,
        max_length=4096,
        description="File or directory to search. The working directory by default.",
    )
    glob: str | None = Field(
        None,
        max_length=_MAX_PATTERN,
        description="Which files, below `path`: `*.py`, `src/**/*.{ts,tsx}`, `!*.min.js`.",
    )
    output_mode: Literal["files_with_matches", "content", "count"] = Field(
        "files_with_matches",
        description=(
            "`files_with_matches`: paths, last changed first. `content`: the matching lines."
            " `count`: how many lines match in each file."
        ),
    )
    before: int | None = Field(
        None, alias="-B", ge=0, le=_MAX_CONTEXT, description="Lines before each match, in content."
    )
    after: int | None = Field(
        None, alias="-A", ge=0, le=_MAX_CONTEXT, description="Lines after each match, in content."
    )
    around: int | None = Field(
        None, alias="-C", ge=0, le=_MAX_CONTEXT, description="Lines before and after each match."
    )
    context: int | None = Field(None, ge=0, le=_MAX_CONTEXT, description="The same as `-C`.")
    with_numbers: bool = Field(True, alias="-n", description="Show line numbers, in content.")
    ignores_case: bool = Field(False, alias="-i", description="Ignore case.")
    matches_only: bool = Field(
        False, alias="-o", description="Show only what matched, each on its own line, in content."
    )
    type: str | None = Field(
        None,
        max_length=100,
        description="Kind of file by ripgrep's name: `py`, `js`, `rust`, `go`, `md`.",
    )
    head_limit: int = Field(
        DEFAULT_HEAD_LIMIT,
        ge=0,
        description="Show at most so many files, lines or counts. 0 is no limit.",
    )
    offset: int = Field(0, ge=0, description="Skip so many of them first, to see the next ones.")
    multiline: bool = Field(
        False, description="Let matches span lines; `.` matches line ends too. Slower."
    )


class Grep(Tool[GrepInput]):
    """Finds text in files, through ripgrep."""

    name = "Grep"
    description = (
        "Search the content of files with a regular expression. Fast on large trees; skips binary"
        " files and what .gitignore names. It lists files unless you ask for their lines"
        " (`output_mode`). Prefer it to grep or rg in a shell: it runs beside other calls and needs"
        " no permission in the working directory. To find files by name, use Glob."
    )
    search_hint = "find text in files by regular expression"
    input_type = GrepInput
    path_fields = ("path",)
    hidden_by_flag = "embedded_search"
    max_result_chars = DEFAULT_MAX_RESULT_CHARS

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    @classmethod
    def build(cls, ports: Ports) -> "Grep":
        """Search as the session's environment says."""
        return cls(Searcher(ports.need(ENVIRONMENT).variables))

    def traits(self, args: GrepInput) -> Traits:
        """Read a tree, and leave it as it is."""
        return Traits(
            read_only=True, access=Access(reads={Tree(args.path or ".")}), open_world=False
        )

    def paths(self, args: GrepInput) -> Sequence[str]:
        """Return where it searches; an empty path is none."""
        return [args.path or "."]

    async def validate_input(self, args: GrepInput, context: ToolContext) -> Rejected | None:
        """Refuse what no file can hold."""
        for name in ("pattern", "glob", "type", "path"):
            if "\0" in (getattr(args, name) or ""):
                return Rejected(f"`{name}` holds a NUL byte. Leave it out.", code=1)
        return None

    async def run(self, args: GrepInput, context: ToolContext) -> ToolResult[str]:
        """Search, and show the part that was asked for."""
        scope = scope_of(args.path, context)
        if args.glob and args.type:
            scope = replace(scope, is_wanted=_of_type(args.type))
        answer = await self._answer(args, scope, _query(args, scope))
        return ToolResult(answer.text, structured=answer.structured)

    async def _answer(self, args: GrepInput, scope: Scope, query: Query) -> Answer:
        """Return what was found, in the form that was asked for."""
        search = partial(self._searcher.run, folder=scope.folder)
        seconds = search_seconds(self._searcher.variables)
        part = (args.offset, args.head_limit)
        match query.mode:
            case Mode.CONTENT:
                style = _style(args, scope)
                wanted = args.offset + args.head_limit if args.head_limit else None
                found = await find_lines(search, query, scope, wanted, seconds)
                lines = partial(lines_answer, found, scope, style, part)
                return await worked_out(lines, is_small=found.is_small)
            case Mode.COUNT:
                counted, total = await find_counts(search, query, scope, seconds)
                return count_answer(counted, total, scope, part)
            case _:
                files = await find_files(search, query, scope, seconds)
                return files_answer(files, scope, part)


def _query(args: GrepInput, scope: Scope) -> Query:
    """Return what is asked of the program that searches."""
    around = args.around if args.around is not None else args.context or 0
    mode = Mode(args.output_mode)
    with_context = mode is Mode.CONTENT and not args.matches_only
    given = [glob for glob in _BETWEEN_GLOBS.split((args.glob or "").strip()) if glob]
    named = [glob for glob in given if not glob.startswith("!")]
    return Query(
        mode,
        pattern=args.pattern,
        target=scope.target,
        globs=(*given, *left_out(named)),
        # for ripgrep a glob beats a type; who gives both means both
        file_type=args.type or "" if not args.glob else "",
        before=(around if args.before is None else args.before) if with_context else 0,
        after=(around if args.after is None else args.after) if with_context else 0,
        ignores_case=args.ignores_case,
        multiline=args.multiline,
    )


def _of_type(file_type: str) -> Callable[[str], bool]:
    """Return what decides whether a found file is of a type.

    Raises:
        ToolError: There is no such type.
    """
    try:
        return of_type(file_type)
    except RejectedError as error:
        raise ToolError(f"The search was rejected: {error}. Leave `type` out.") from error


def _style(args: GrepInput, scope: Scope) -> Style:
    """Return how lines are written."""
    has_context = any((args.before, args.after, args.around, args.context))
    return Style(
        with_numbers=args.with_numbers,
        with_paths=not scope.is_file,
        matches_only=args.matches_only,
        with_context=has_context and not args.matches_only,
        spans_lines=args.multiline,
    )
