"""What is known about one simple command: it only reads, it edits, or neither is proved."""

import posixpath
import re
from collections.abc import Sequence
from itertools import takewhile

from gantlet.messages.value import replace
from gantlet.shell.analysis import (
    Judgement,
    NotKnown,
    Otherwise,
    PathUse,
    ReadOnly,
    Redirect,
    SimpleCommand,
    Word,
    Writes,
)
from gantlet.shell.carriers.wrappers import ALLOW_WRAPPERS
from gantlet.shell.mentions import mentions
from gantlet.shell.programs.conditional import conditional, git_place
from gantlet.shell.programs.edits import EDITS
from gantlet.shell.programs.spec import judge_words, path_of
from gantlet.shell.programs.table import PROGRAMS
from gantlet.shell.stripping import are_safe, inner_of

_SYSTEM_PLACES = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin"})
_MAX_WRAPPERS = 8
_NO_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"})
_NETWORK = ("//", "\\\\")
_DEVICES = ("/dev/tcp/", "/dev/udp/")
_LOCAL_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_EXPORTED_LOWER = re.compile(r".*_proxy|npm_.*|histchars|auto_resume")
#: Stands for the words that `xargs` reads from a pipe.
_FED = Word("**", is_literal=False, raw="", has_glob=True)


def judge(command: SimpleCommand, start: str = "") -> Judgement:
    """Judge one command by the table of programs.

    Redirections count: what only reads but is redirected into a file writes that file. `start` is
    the absolute path of the directory the command line starts in; git is known to read only
    there, since another directory may hold a repository of its own.
    """
    judgement = classify(command, start)
    if not isinstance(judgement, NotKnown):
        return judgement
    return replace(judgement, mentions=mentions(command), otherwise=_otherwise(command, start))


def classify(command: SimpleCommand, start: str = "") -> Judgement:
    """Judge one command, without what it may touch if it is not known: that takes longer."""
    reads, writes, problem = _redirections(command.redirects)
    if problem:
        return NotKnown(problem)
    judgement = _judge_argv(command, start)
    if isinstance(judgement, NotKnown):
        return judgement
    uses = _uses(judgement, reads, writes)
    if any(use.path.startswith(_NETWORK) for use in uses):
        return NotKnown("A path may lead to another machine.")
    if command.cwd is None and any(not use.path.startswith(("/", "~")) for use in uses):
        return NotKnown("The directory it runs in is not known.")
    if isinstance(judgement, Writes):
        both = (*judgement.writes, *writes)
        return replace(judgement, reads=(*judgement.reads, *reads), writes=both)
    if writes:
        return Writes(judgement.entry, (*judgement.reads, *reads), writes, is_edit=True)
    return replace(judgement, reads=(*judgement.reads, *reads)) if reads else judgement


def _uses(
    judgement: ReadOnly | Writes, reads: Sequence[PathUse], writes: Sequence[PathUse]
) -> list[PathUse]:
    """Return all paths that a command uses."""
    uses = [*judgement.reads, *reads, *writes]
    if isinstance(judgement, Writes):
        uses.extend(judgement.writes)
    return uses


def _redirections(
    redirects: Sequence[Redirect],
) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...], str]:
    """Return what redirections read and write, or why that is not known."""
    reads: list[PathUse] = []
    writes: list[PathUse] = []
    for redirect in redirects:
        target = redirect.target
        if not (redirect.reads or redirect.writes) or target.is_process:
            continue
        if not target.is_literal or target.text.startswith(_DEVICES) or not target.text:
            return (), (), "The target of a redirection is not a file that is written out."
        if target.text in _NO_FILES:
            continue
        use = PathUse(path_of(target))
        if redirect.reads:
            reads.append(use)
        if redirect.writes:
            writes.append(use)
    return tuple(reads), tuple(writes), ""


def _judge_argv(command: SimpleCommand, start: str, depth: int = 0) -> Judgement:
    if not command.argv:
        return _judge_assignments(command)
    if command.assignments:
        if not are_safe(command.assignments):
            return NotKnown("A variable that is set in front may change what the program does.")
        if command.argv[0].text in ("[[", "(("):
            return NotKnown(f"{command.argv[0].text} is no keyword behind a variable.")
        command = replace(command, assignments=())
    first = command.argv[0]
    if not first.is_literal:
        return NotKnown("The program's name is not written out.")
    place, _, name = first.text.rpartition("/")
    if place and place not in _SYSTEM_PLACES:
        return NotKnown(f"{first.text} is not a program of the system.")
    if depth > _MAX_WRAPPERS:
        return NotKnown("Wrappers are nested too deeply.")
    return _judge_named(name, command, start, depth)


def _judge_named(name: str, command: SimpleCommand, start: str, depth: int) -> Judgement:
    if name == "git":
        return _judge_git(command, start)
    if name not in ALLOW_WRAPPERS:
        if depth and name in ("[[", "(("):
            return NotKnown(f"{name} is no program.")
        return _judge_program(name, command.argv[1:])
    if name == "xargs":
        return _judge_xargs(command, start, depth)
    inner = inner_of(command)
    if inner is not None:
        return _judge_argv(inner, start, depth + 1)
    if name == "command":
        return _judge_question(command.argv[1:])
    return NotKnown(f"{name}: what it runs is not understood.")


def _judge_program(name: str, words: Sequence[Word]) -> Judgement:
    program = PROGRAMS.get(name)
    edit = EDITS.get(name)
    if program is None and edit is None:
        return NotKnown(f"{name} is not among the programs known to read only.")
    judgement: Judgement = NotKnown("")
    if program is not None:
        judgement = judge_words(program, words)
    if isinstance(judgement, NotKnown) and edit is not None:
        edited = edit(words)
        if isinstance(edited, Writes) or program is None:
            return edited
    return judgement


def _judge_assignments(command: SimpleCommand) -> Judgement:
    """Accept variables of the script itself; others may be known to programs."""
    for assignment in command.assignments:
        is_local = _LOCAL_NAME.fullmatch(assignment.name) is not None
        if not is_local or _EXPORTED_LOWER.fullmatch(assignment.name):
            return NotKnown(f"{assignment.name} may change what later programs do.")
    return ReadOnly("assignment" if command.assignments else "redirection", ())


def _judge_question(words: Sequence[Word]) -> Judgement:
    """Accept `command -v`, which only asks."""
    if words and words[0].text in ("-v", "-V") and all(word.is_literal for word in words):
        return ReadOnly("command -v", ())
    return NotKnown("command: it runs something that is not understood.")


def _judge_git(command: SimpleCommand, start: str) -> Judgement:
    """Accept git where the command line starts; elsewhere a repository may run programs."""
    place, words = git_place(command)
    if place is None or not _is_start(place, start):
        return NotKnown("git: in another directory its repository may run programs.")
    return judge_words(PROGRAMS["git"], words)


def _is_start(place: str, start: str) -> bool:
    path = posixpath.normpath(place)
    return path == "." or (
        bool(start) and posixpath.normpath(posixpath.join(start, path)) == posixpath.normpath(start)
    )


def _otherwise(command: SimpleCommand, start: str) -> Otherwise | None:
    """Return what a command is if no file here makes its program run another."""
    is_bare = not command.assignments and not command.redirects and not command.via
    return conditional(command, start) if start and is_bare else None


def _ends_names_with_nul(command: SimpleCommand) -> bool:
    """Return whether `xargs` takes each name for one, whatever is in it."""
    options = takewhile(lambda word: word.text.startswith("-"), command.argv[1:])
    return any(re.fullmatch(r"-[0rtx]*0[0rtx]*|--null", word.text) for word in options)


def _judge_xargs(command: SimpleCommand, start: str, depth: int) -> Judgement:
    """Accept `xargs` with a program that only reads, and paths whose trees are known."""
    fed = command.stdin_paths
    if fed is None:
        return NotKnown("xargs: nobody knows what it is fed.")
    inner = inner_of(command, fed=_FED)
    if inner is None:
        return NotKnown("xargs: its options are not known.")
    judgement = _judge_argv(inner, start, depth + 1)
    if not isinstance(judgement, ReadOnly):
        return NotKnown(f"xargs: {getattr(judgement, 'reason', 'it changes files')}")
    reads = tuple(use for use in judgement.reads if use.path != _FED.text)
    if any(use.is_tree for use in judgement.reads if use.path == _FED.text):
        fed = tuple(replace(use, named="") for use in fed)  # what lies below has other names
    if not _ends_names_with_nul(command):
        fed = tuple(replace(use, is_split=use.is_tree) for use in fed)
    return ReadOnly(f"xargs {judgement.entry}", (*reads, *fed))
