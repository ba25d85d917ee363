"""Programs that only read, unless files around them make them run others."""

import posixpath
from collections.abc import Sequence

from gantlet.shell.analysis import Otherwise, ReadOnly, SimpleCommand, Word
from gantlet.shell.programs.languages import CARGO
from gantlet.shell.programs.spec import judge_words
from gantlet.shell.programs.table import PROGRAMS

#: With one of these, git takes a directory for a repository, whose settings may run programs.
_REPOSITORY = (".git", "HEAD")
#: With one of these, cargo runs the compiler that the project names.
_CARGO_FILES = (
    ".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml",
)  # fmt: skip
_MAX_DEPTH = 64


def conditional(command: SimpleCommand, start: str) -> Otherwise | None:
    """Return what a command is if files are as they should be, or None."""
    if command.program == "git":
        return _git(command, start)
    if command.program == "cargo":
        return _cargo(command, start)
    return None


def git_place(command: SimpleCommand) -> tuple[str | None, Sequence[Word]]:
    """Return the directory git is told to work in, and the words behind that."""
    words = command.argv[1:]
    place = command.cwd
    while len(words) > 1 and words[0].text == "-C" and words[0].is_literal:
        target = words[1]
        is_known = target.is_literal and not target.raw.startswith("~") and place is not None
        place = posixpath.join(place or "", target.text) if is_known else None
        words = words[2:]
    return place, words


def _git(command: SimpleCommand, start: str) -> Otherwise | None:
    """Accept git below the start, where no directory on the way is a repository of its own."""
    place, words = git_place(command)
    where = _absolute(place, start)
    if where is None or not where.startswith(start.rstrip("/") + "/"):
        return None
    judgement = judge_words(PROGRAMS["git"], words)
    if not isinstance(judgement, ReadOnly):
        return None
    between = [one for one in _upwards(where) if len(one) > len(start.rstrip("/"))]
    absent = [f"{directory}/{name}" for directory in between for name in _REPOSITORY]
    return Otherwise(_from(judgement, where), tuple(absent), where)


def _cargo(command: SimpleCommand, start: str) -> Otherwise | None:
    """Accept `cargo tree` and `cargo metadata` where no project names a compiler."""
    where = _absolute(command.cwd, start)
    if where is None:
        return None
    judgement = judge_words(CARGO, command.argv[1:])
    if not isinstance(judgement, ReadOnly):
        return None
    absent = [f"{one.rstrip('/')}/{name}" for one in _upwards(where) for name in _CARGO_FILES]
    is_start = where == _absolute("", start)
    return Otherwise(_from(judgement, where), tuple(absent), where, is_start)


def _absolute(place: str | None, start: str) -> str | None:
    """Return a directory as an absolute path, if it is known."""
    if place is None or place.startswith("~"):
        return None
    return posixpath.normpath(posixpath.join(start, place))


def _upwards(path: str) -> list[str]:
    """Return a directory and those above it."""
    found = [path]
    while found[-1] != "/" and len(found) < _MAX_DEPTH:
        found.append(posixpath.dirname(found[-1]))
    return found


def _from(judgement: ReadOnly, where: str) -> ReadOnly:
    """Return a judgement whose paths are seen from another directory."""
    reads = [
        use
        if use.path.startswith("~")
        else type(use)(posixpath.join(where, use.path), use.is_tree, use.is_glob)
        for use in judgement.reads
    ]
    return ReadOnly(judgement.entry, tuple(reads))
