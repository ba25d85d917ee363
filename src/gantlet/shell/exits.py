"""What exit codes mean, and whose they are."""

from collections.abc import Sequence

from gantlet.shell.analysis import Analysis, ExitMeaning, SimpleCommand
from gantlet.shell.grammar.parser import parse
from gantlet.shell.grammar.syntax import Compound, Kind, Notes, Pipeline, Script, Simple

#: Where 1 is the answer no.
_ANSWERS = frozenset({"grep", "egrep", "fgrep", "rg", "find", "diff", "cmp", "test", "["})
_GIT_ANSWERS = frozenset({"diff", "grep"})
#: What stands before `&&` without taking the exit code for itself.
_SUPPOSED_TO_WORK = frozenset({"cd", "echo", "printf", "true", ":", "set", "export", "pushd"})
_TRANSPARENT = (Kind.SUBSHELL, Kind.GROUP)


def exit_meaning(argv: Sequence[str], code: int) -> ExitMeaning:
    """Return what an exit code says about a command."""
    if code == 0:
        return ExitMeaning.OK
    if code != 1 or not argv:
        return ExitMeaning.BROKEN
    name = argv[0].rpartition("/")[2]
    if name in _ANSWERS or (name == "git" and _git_subcommand(argv) in _GIT_ANSWERS):
        return ExitMeaning.NO
    return ExitMeaning.BROKEN


def _git_subcommand(argv: Sequence[str]) -> str:
    """Return git's subcommand, past its own options."""
    index = 1
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return argv[index] if index < len(argv) else ""


def failing_command(analysis: Analysis) -> SimpleCommand | None:
    """Return the command whose exit code is that of a failing command line, if that is sure.

    It is the last of a list and of a pipeline. Before `&&` a `cd` is supposed to have worked.
    """
    if analysis.doubts or not analysis.parts:
        return None
    raw = _last_of(parse(analysis.source, Notes()))
    if raw is None:
        return None
    for command in reversed(analysis.parts):
        if command.raw == raw:
            return command
    return None


def _last_of(script: Script) -> str | None:
    if not script.items or script.items[-1].is_background:
        return None
    links = script.items[-1].links
    for index, (operator, _) in enumerate(links[1:], start=1):
        if operator == "&&" and not _is_supposed_to_work(links[index - 1][1]):
            return None
        if operator == "||" and index < len(links) - 1:
            return None
    last = links[-1][1]
    if last.is_negated:
        return None
    command = last.commands[-1]
    if isinstance(command, Simple):
        return command.raw if command.words else None
    if command.kind in _TRANSPARENT:
        return _last_of(command.sections[0])
    return None


def _is_supposed_to_work(pipeline: Pipeline) -> bool:
    command = pipeline.commands[-1]
    if isinstance(command, Compound) or not command.words or pipeline.is_negated:
        return False
    return command.words[0].word.text in _SUPPOSED_TO_WORK
