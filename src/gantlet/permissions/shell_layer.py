"""What about a command line must not pass unseen, whatever rules and modes allow."""

from collections.abc import Iterator
from typing import ClassVar

from gantlet.messages.value import replace, value
from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target
from gantlet.permissions.files import has_forbidding, may_stand_for_forbidden
from gantlet.permissions.matching import path_match
from gantlet.permissions.shell_reading import Reading
from gantlet.permissions.verdict import Ballot
from gantlet.shell import NotKnown, SimpleCommand, critical_removal, possible_commands, text_of
from gantlet.tool import Ask

#: Programs that read the names of files from elsewhere.
_FED_PATHS = frozenset({"xargs", "gxargs", "cpio", "parallel"})
_ARCHIVERS = frozenset({"tar", "gtar", "bsdtar"})
_FILE_LISTS = ("--files-from", "--files0-from", "--from-file")
#: Interpreters that run what they are fed if they are given nothing else.
_FED_CODE = frozenset(
    {
        "bun", "deno", "julia", "lua", "node", "nodejs", "osascript", "perl", "php", "pypy3",
        "python", "python2", "python3", "Rscript", "ruby", "tclsh",
    }
)  # fmt: skip


@value
class ShellLayer:
    """Removals that cannot be made good, and readings that a forbidding rule cannot trust."""

    name: ClassVar[str] = "shell"

    def vote(self, case: Case) -> Ballot | None:
        """Ask about what could be forbidden and cannot be ruled out."""
        if case.reading is not None:
            return next(self._objections(case, case.reading), None)
        if _has_forbidden_commands(case):  # another shell's language, which nobody here reads
            return self._ask(f"What {case.name} runs cannot be told, but rules forbid")
        return None

    def _objections(self, case: Case, reading: Reading) -> Iterator[Ballot]:
        """Yield everything worth a question; what an automatic check may answer comes last."""
        if _could_be_forbidden(case):
            if not reading.analysis.is_proved:
                doubt = reading.analysis.doubts[0].rstrip(".")
                yield self._ask(f"What the command does cannot be told ({doubt}), but rules forbid")
            if any(part.has_more_mentions for part in reading.parts):
                yield self._ask("The command has too many words to look at, but rules forbid")
            if has_forbidding(case.context, "edit"):
                yield from map(self._ask, _vague_paths(reading))
            for target in case.targets:
                yield from self._about(case, target)
            yield from map(self._ask, _possible(case, reading))
        critical = _critical(case, reading)
        if critical:
            yield Ballot(self.name, Ask(critical, self.name), is_checkable=True)

    def _about(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield everything worth a question about one path."""
        touch = target.touch
        if touch.is_tree:
            yield from self._below(case, target)
        if touch.may_edit:
            yield from self._in_code(case, target)
        if touch.is_glob and may_stand_for_forbidden(case.context, target):
            reason = f"Nothing fits {touch.path} yet, and what may cannot be told, but rules forbid"
            yield self._ask(reason)

    def _below(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield a question about a directory that holds, or may hold, something forbidden."""
        touch = target.touch
        if not has_forbidding(case.context, touch.kind):
            return
        below = case.request.facts.below.get(touch)
        if below is None or not below.is_complete:
            yield self._ask(f"What lies below {touch.path} cannot be told, but rules forbid")
        elif below.paths:
            held = below.paths[0].lexical
            yield self._ask(f"Below {touch.path} lies {held}, and rules forbid")

    def _in_code(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield a question about a file that code names and a rule forbids to edit."""
        if not has_forbidding(case.context, "edit"):
            return
        edited = replace(target, touch=replace(target.touch, kind="edit"))
        for rules in (case.context.deny, case.context.ask):
            if path_match(rules, edited, case) is not None:
                path = target.touch.path
                yield self._ask(f"Whether code changes {path} cannot be told, but rules forbid")

    def _ask(self, reason: str) -> Ballot:
        """Return a question about something that could be forbidden."""
        return Ballot(self.name, Ask(f"{reason} some of that.", self.name))


def _possible(case: Case, reading: Reading) -> Iterator[str]:
    """Yield what a program nobody knows may run, where a rule forbids that."""
    forbidding = [
        one for one in (case.context.deny, case.context.ask) if one.has_commands(case.names)
    ]
    for part in reading.parts if forbidding else ():
        for inner in possible_commands(part.command):
            text = text_of(inner)
            if any(rules.for_command(case.names, text) for rules in forbidding):
                yield f"`{part.command.program}` may run `{text}`, but rules forbid"


def _vague_paths(reading: Reading) -> Iterator[str]:
    """Yield why the paths of a command that may read or write anything cannot be told."""
    for word in reading.analysis.unknowns[:1]:
        yield f"What {word} stands for cannot be told, but rules forbid"
    for part in reading.parts:
        if not isinstance(part.judgement, NotKnown) or part.command.is_carried:
            continue
        if part.command.cwd is None:
            yield f"Where `{part.shown}` runs cannot be told, but rules forbid"
        if _is_fed(part.command):
            yield f"Which files `{part.shown}` is told to read cannot be told, but rules forbid"


def _is_fed(command: SimpleCommand) -> bool:
    """Return whether a command learns from elsewhere which files to read, or what to run."""
    words = command.argv[1:]
    name = command.program
    if name in _FED_PATHS or any(word.text.startswith(_FILE_LISTS) for word in words):
        return True
    if name in _ARCHIVERS and any(word.text == "-T" for word in words):
        return True
    is_told = any(not word.text.startswith("-") for word in words) or command.redirects
    return name in _FED_CODE and not is_told


def _could_be_forbidden(case: Case) -> bool:
    """Return whether any rule forbids or asks about some commands or paths."""
    # what forbids reading forbids editing too
    return has_forbidding(case.context, "edit") or _has_forbidden_commands(case)


def _has_forbidden_commands(case: Case) -> bool:
    """Return whether any rule forbids or asks about some commands of the tool."""
    return any(rules.has_commands(case.names) for rules in (case.context.deny, case.context.ask))


def _critical(case: Case, reading: Reading) -> str:
    """Return why the command removes, or may remove, what cannot be made good; or nothing."""
    cwd, home = case.request.surroundings.cwd, case.context.workspace.home
    further = (one for one in case.context.working_directories if cwd not in one.names)
    names = (name for one in further for name in one.names)
    return critical_removal(reading.analysis, cwd, home.path if home else "", names) or ""
