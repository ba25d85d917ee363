"""Which file each program of a command is that a proof rests on, and how it stays that file."""

import os
import posixpath
import re
import shlex
from collections.abc import Mapping
from dataclasses import field

from gantlet.messages.value import replace, value
from gantlet.shell import NotKnown, SimpleCommand, judge
from gantlet.system.programs import FixedPath, absolute_folders, find_program
from gantlet.tools.shell.lines import CommandLine

#: What bash does itself, so that no file of that name is run.
_OF_THE_SHELL = frozenset(
    {
        *(".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command"),
        *("compgen", "complete", "compopt", "continue", "declare", "dirs", "disown", "echo"),
        *("enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash"),
        *("help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd"),
        *("printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift"),
        *("shopt", "source", "suspend", "test", "times", "trap", "true", "type", "typeset"),
        *("ulimit", "umask", "unalias", "unset", "wait"),
    }
)
#: Words of the shell's own grammar, which nothing can stand for.
_KEYWORDS = frozenset({"[[", "((", "!", "time"})
#: What tells where programs are found: that is about the user's own search path.
_ASK_WHERE = frozenset({"which", "type", "command", "whereis", "hash"})
_SHOWN = re.compile(r"\$\{?PATH\b")
#: Where a program that is nowhere would be, so that it stays nowhere.
_NOWHERE = "/usr/bin"


@value
class Binding:
    """What the proofs about a command rest on.

    Attributes:
        files: The file of each program, by the name under which it is looked for.
        builtins: The names that mean what the shell itself does.
        doubts: Why some programs need not be what they are known to be.
        is_whole: Whether every command of the line rests on what is known of its program.
        path: Where all of them are to be looked for then, unless the line asks where they are.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    builtins: tuple[str, ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = False
    path: str = ""

    def rests_on(self, program: str) -> bool:
        """Return whether a proof may rest on what is known of a program."""
        return program in self.doubts or any(
            posixpath.basename(name) == program for name in self.files
        )

    def doubted(self, program: str, why: str) -> "Binding":
        """Return the same with one more doubt."""
        return replace(self, doubts={**self.doubts, program: why}, is_whole=False, path="")

    @property
    def lines(self) -> str:
        """What a shell is told, so that these names mean these files and nothing else."""
        files = {name: file for name, file in sorted(self.files.items()) if "/" not in name}
        names = " ".join(map(shlex.quote, (*files, *self.builtins)))
        if not names:
            return ""
        told = [f"\\unalias {names}", f"\\unset -f {names}"]
        for name, file in files.items():
            told.append(f"\\hash -p {shlex.quote(file)} {shlex.quote(name)}")
        return f"{{ {'; '.join(told)}; }} 2>/dev/null\n"


UNBOUND = Binding()


def is_of_the_shell(name: str) -> bool:
    """Return whether bash does itself what a name means, so that no file is run."""
    return name in _OF_THE_SHELL or name in _KEYWORDS


def bind(line: CommandLine, cwd: str, path: str, fixed: FixedPath) -> Binding:
    """Find the programs of a command whose names a proof may rest on. Blocks.

    Args:
        line: The command.
        cwd: Where it starts.
        path: Where the user's programs are looked for.
        fixed: What of that is fixed.
    """
    rest = _Rest.of(line, cwd)
    files: dict[str, str] = {}
    doubts: dict[str, str] = {}
    for name in sorted(rest.names):
        file, why = _looked_up(name, path, fixed)
        if why:
            doubts[posixpath.basename(name)] = why
        else:
            files[name] = file or f"{_NOWHERE}/{name}"
    if not rest.is_all and not all(one.startswith("/") for one in path.split(os.pathsep)):
        why = "is looked for where the command happens to be, by the search path"
        doubts |= {name: f"{name} {why}." for name in rest.carried}
    asks_where = not line.programs.isdisjoint(_ASK_WHERE) or _SHOWN.search(line.text)
    is_whole = rest.is_all and not doubts
    builtins = tuple(sorted(rest.builtins))
    where = fixed.text if is_whole and not asks_where else ""
    return Binding(files, builtins, doubts, is_whole, where)


def _looked_up(name: str, path: str, fixed: FixedPath) -> tuple[str, str]:
    """Return the file that a program is, or why it need not be the known one."""
    if "/" in name:
        is_known = not os.path.lexists(name) or fixed.has_fixed(name)
        return name, "" if is_known else f"{name} is a file that not only root can change."
    mine = find_program(name, absolute_folders(path))
    theirs = fixed.file_of(name)
    is_same = not mine or (theirs and os.path.realpath(mine) == os.path.realpath(theirs))
    if is_same and (not theirs or fixed.has_fixed(theirs)):
        return theirs, ""
    found = mine or theirs
    if fixed.is_of_workspace(found):
        return "", f"{name} is {found}, a file of the project, and not the program of the system."
    why = f"{name} is {found}, which not only root can change: it need not be the known program."
    return "", f"{why} A rule can allow it, or `shell.programFolders` name its folder."


@value
class _Rest:
    """What the proofs about a line may rest on.

    Attributes:
        names: The programs, as they are looked for.
        carried: Those among them that others start.
        builtins: What the shell does itself.
        is_all: Whether every command of the line may be proved.
    """

    names: frozenset[str]
    carried: frozenset[str]
    builtins: frozenset[str]
    is_all: bool

    @classmethod
    def of(cls, line: CommandLine, cwd: str) -> "_Rest":
        """Return what proofs may rest on; nothing where the line cannot be read."""
        commands = line.analysis.commands if line.analysis.is_proved else ()
        own = [one for one in commands if not one.is_carried]
        proved = [one for one in own if _may_be_proved(one, cwd)]
        written = {one.argv[0].text for one in proved if one.argv} - _KEYWORDS
        carriers = {one.program for one in proved}
        carried = {
            one.argv[0].text
            for one in commands
            if one.is_carried and one.argv and not carriers.isdisjoint(one.via)
        } - _KEYWORDS
        return cls(
            frozenset(written - _OF_THE_SHELL | carried),
            frozenset(carried),
            frozenset(written & _OF_THE_SHELL),
            bool(own) and len(proved) == len(own),
        )


def _may_be_proved(command: SimpleCommand, cwd: str) -> bool:
    """Return whether a command may be known by its program, redirections apart."""
    bare = replace(command, redirects=()) if command.redirects else command
    judgement = judge(bare, cwd)
    return not isinstance(judgement, NotKnown) or judgement.otherwise is not None
