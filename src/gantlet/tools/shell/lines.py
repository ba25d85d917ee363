"""What a command line tells of itself before it runs: does it only read, and what does it touch."""

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gantlet.messages.value import value
from gantlet.shell import (
    Analysis,
    ExitMeaning,
    NotKnown,
    PathUse,
    ReadOnly,
    SimpleCommand,
    Writes,
    analyse,
    exit_meaning,
    failing_command,
    judge,
)
from gantlet.tool import EXCLUSIVE, Access, File, Resource, Tree

#: What makes a later command start elsewhere.
_MOVERS = frozenset({"cd", "pushd", "popd"})
#: Any directory: whether files can show that a command only reads does not depend on which.
_SOMEWHERE = "/somewhere"
_GLOB = re.compile(r"[*?\[{]")
#: What a benign exit code 1 means, by program.
_ANSWERS = {
    "diff": "the files differ",
    "cmp": "the files differ",
    "test": "the condition is false",
    "[": "the condition is false",
    "find": "some directories could not be read",
    "git": "there are differences, or nothing was found",
}


@value
class CommandLine:
    """A command line, read.

    Attributes:
        read_only: It is proved to change nothing.
        access: What it touches; what cannot be proved is everything.
        moves: It may leave the shell in another directory.
        programs: The programs it names, as far as they are known.
        writes: The paths it is proved to write, seen from where it starts.
        may_only_read: It changes nothing if files are as they should be; read-only ones do so.
        git_folders: Where git is run, seen from where the line starts.
    """

    text: str
    analysis: Analysis
    read_only: bool
    access: Access
    moves: bool
    programs: frozenset[str]
    writes: tuple[str, ...] = ()
    may_only_read: bool = False
    git_folders: frozenset[str] = frozenset()

    @property
    def can_go_on_later(self) -> bool:
        """Whether it may be moved to the background when its time is over.

        Not so what only waits, git, which holds locks, and what nobody can read.
        """
        first = self.text.lstrip()
        if first.startswith("sleep") or "git" in self.text:
            return False
        return not self.analysis.doubts or len(self.analysis.parts) == 1

    def meaning_of(self, code: int) -> str:
        """Return what an exit code means where it is an answer and no failure, or nothing."""
        command = failing_command(self.analysis) if code else None
        if command is None:
            return ""
        argv = [word.text for word in command.argv]
        if exit_meaning(argv, code) is not ExitMeaning.NO:
            return ""
        return _ANSWERS.get(command.program or "", "nothing was found")


@lru_cache(maxsize=256)
def read_line(text: str) -> CommandLine:
    """Read a command line. Pure, so what was read once is not read again."""
    analysis = analyse(text)
    programs = frozenset(one.program for one in analysis.commands if one.program)
    moves = bool(programs & _MOVERS) or not analysis.is_proved
    judged = [(one, judge(one)) for one in analysis.commands if not one.is_carried]
    read_only = analysis.is_proved and all(isinstance(what, ReadOnly) for _, what in judged)
    may_only_read = analysis.is_proved and all(_may_only_read(*one) for one in judged)
    touched = list(_touched(judged)) if analysis.is_proved and not moves else [None]
    writes: list[str] = []
    if None in touched:
        access = EXCLUSIVE
    else:
        known = [one for one in touched if one is not None]
        reads = {resource for resource, is_written in known if not is_written}
        written = {resource for resource, is_written in known if is_written}
        if "git" in programs:
            reads.add(Tree("."))
        access = Access(reads=reads, writes=written)
        writes = [one.path for one in written if isinstance(one, File | Tree)]
    return CommandLine(
        text,
        analysis,
        read_only,
        access,
        moves,
        programs,
        tuple(sorted(writes)),
        may_only_read,
        frozenset(one.cwd for one in analysis.commands if one.program == "git" and one.cwd),
    )


def _may_only_read(command: SimpleCommand, judgement: ReadOnly | Writes | NotKnown) -> bool:
    """Return whether a command changes nothing, perhaps only if files are as they should be."""
    if isinstance(judgement, NotKnown):
        somewhere = judge(command, _SOMEWHERE)
        return isinstance(somewhere, NotKnown) and somewhere.otherwise is not None
    return isinstance(judgement, ReadOnly)


def _touched(
    judged: list[tuple[SimpleCommand, ReadOnly | Writes | NotKnown]],
) -> Iterator[tuple[Resource, bool] | None]:
    """Yield each path with whether it is written; None where that is not known."""
    for command, judgement in judged:
        if isinstance(judgement, NotKnown) or command.cwd is None:
            yield None
            continue
        for use in judgement.reads:
            yield _resource(use, command.cwd), False
        if isinstance(judgement, Writes):
            for use in judgement.writes:
                yield _resource(use, command.cwd), True


def _resource(use: PathUse, cwd: str) -> Resource:
    """Return what a path names, seen from where the line starts."""
    path = use.path
    if path == "~" or path.startswith("~/"):
        path = str(Path.home()) + path[1:]
    path = posixpath.join(cwd, path)
    if use.is_glob:
        stem = _GLOB.split(path, maxsplit=1)[0]
        return Tree(posixpath.dirname(stem) or ".")
    return Tree(path) if use.is_tree else File(path)
