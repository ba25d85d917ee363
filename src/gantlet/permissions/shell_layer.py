"""What about a command line must not pass unseen, whatever rules and modes allow."""

import re
from collections.abc import Iterator
from typing import ClassVar

from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target
from gantlet.permissions.files import has_forbidding
from gantlet.permissions.shell_reading import Reading
from gantlet.permissions.verdict import Ballot
from gantlet.shell import critical_removal
from gantlet.tool import Ask

#: What a word holds that names the home directory by its variable, alone or with all in it.
_HOME_VARIABLE = re.compile(r"[\"']?\$(?:HOME|\{HOME\})[\"']?/*(?:\*|\.\*)?/*[\"']?")
_REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred"})


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
            for target in case.targets:
                yield from self._below(case, target)
        for critical in filter(None, (_home_removal(reading), _critical(case, reading))):
            yield Ballot(self.name, Ask(critical, self.name), is_checkable=True)

    def _below(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield a question about a directory that holds, or may hold, something forbidden."""
        touch = target.touch
        if not touch.is_tree or not has_forbidding(case.context, touch.kind):
            return
        below = case.request.facts.below.get(touch)
        if below is None or not below.is_complete:
            yield self._ask(f"What lies below {touch.path} cannot be told, but rules forbid")
        elif below.paths:
            held = below.paths[0].lexical
            yield self._ask(f"Below {touch.path} lies {held}, and rules forbid")

    def _ask(self, reason: str) -> Ballot:
        """Return a question about something that could be forbidden."""
        return Ballot(self.name, Ask(f"{reason} some of that.", self.name))


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
    further = [one for one in case.context.working_directories if cwd not in one.names]
    names = [name for one in further for name in one.names]
    return critical_removal(reading.analysis, cwd, home.path if home else "", names) or ""


def _home_removal(reading: Reading) -> str:
    """Return why a command removes the home directory through its variable, or nothing."""
    for command in reading.analysis.commands:
        if command.program not in _REMOVERS:
            continue
        for word in command.argv[1:]:
            if _HOME_VARIABLE.fullmatch(word.raw or word.text):
                return (
                    f"`{command.program} {word.raw or word.text}` would remove the home directory."
                )
    return ""
