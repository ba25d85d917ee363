"""What to look for, as a value: the same for ripgrep and for what stands in for it."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from enum import StrEnum

from gantlet.messages.value import value

#: Where version control keeps its own files. Nobody looks for those unless they say so.
VERSION_CONTROL = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")
#: What in a pattern means a carriage return, or the ends of a whole text instead of a line's.
_MEANS_MORE_THAN_LINES = re.compile(
    r"\r|(?<!\\)(?:\\\\)*\\(?:[rAz]|x0[dD]|u000[dD]|U0000000[dD]|[xuU]\{0*[dD]\})"
    r"|\(\?[a-zA-Z]*-[a-zA-Z]*m"
)


class Mode(StrEnum):
    """What is wanted of each file."""

    LIST = "list"
    FILES = "files_with_matches"
    CONTENT = "content"
    COUNT = "count"


@value
class Query:
    """One search below the directory in which it is run.

    Attributes:
        target: What is searched, seen from there: `./` or `./name` of one file.
        globs: Which files, as ripgrep takes them; one that begins with `!` leaves files out.
        by_path: Files come in the order of their paths, one after the other.
        newest_first: Files come by the time of their last change.
    """

    mode: Mode
    pattern: str = ""
    target: str = "./"
    globs: tuple[str, ...] = ()
    file_type: str = ""
    before: int = 0
    after: int = 0
    ignores_case: bool = False
    multiline: bool = False
    hidden: bool = True
    honours_ignores: bool = True
    by_path: bool = False
    newest_first: bool = False

    @property
    def ends_lines_at_crlf(self) -> bool:
        """Whether a carriage return ends a line too, so that `$` stands before it.

        A pattern that names the character looks for it; then it is one like any other.
        """
        return _MEANS_MORE_THAN_LINES.search(self.pattern) is None

    def as_json(self) -> str:
        """Return the query as a text that `read_query` takes."""
        return json.dumps(asdict(self))


def left_out(named: Iterable[str]) -> tuple[str, ...]:
    """Return globs that leave out what version control keeps for itself, unless it is named."""
    segments = {segment for glob in named for segment in glob.split("/")}
    return tuple(f"!{folder}" for folder in VERSION_CONTROL if folder not in segments)


def read_query(text: str) -> Query:
    """Return a query that was written by `as_json`."""
    fields = json.loads(text)
    return Query(**{**fields, "mode": Mode(fields["mode"]), "globs": tuple(fields["globs"])})


def ripgrep_options(query: Query) -> list[str]:
    """Return the options that make ripgrep answer the query.

    No configuration is read, no program is started for a file, and whatever begins with a dash is
    still a value.
    """
    return [*_constant(), *_order(query), *_files(query), *_wanted(query), "--", query.target]


def _constant() -> tuple[str, ...]:
    """Return what holds for every search, whatever the user's own settings of ripgrep say."""
    return (
        "--no-config", "--no-messages", "--color=never", "--no-mmap", "--no-follow", "--null",
        "--no-ignore-global",
    )  # fmt: skip


def _order(query: Query) -> Iterator[str]:
    """Yield in which order files come. Sorting costs ripgrep its threads."""
    if query.newest_first:
        yield "--sortr=modified"
    elif query.by_path:
        yield "--sort=path"


def _files(query: Query) -> Iterator[str]:
    """Yield which files are looked at."""
    if query.hidden:
        yield "--hidden"
    if not query.honours_ignores:
        yield "--no-ignore"
    yield from (f"--glob={glob}" for glob in query.globs)
    if query.file_type:
        yield f"--type={query.file_type}"


def _wanted(query: Query) -> Iterator[str]:
    """Yield what is looked for, and what is wanted of it."""
    match query.mode:
        case Mode.LIST:
            yield "--files"
            return
        case Mode.FILES:
            yield "--files-with-matches"
        case Mode.COUNT:
            yield "--count"
        case Mode.CONTENT:
            yield "--json"
            yield f"--before-context={query.before}"
            yield f"--after-context={query.after}"
    if query.ends_lines_at_crlf:
        yield "--crlf"
    yield "--ignore-case" if query.ignores_case else "--case-sensitive"
    if query.multiline:
        yield from ("--multiline", "--multiline-dotall")
    yield f"--regexp={query.pattern}"
