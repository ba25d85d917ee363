"""A rule: which calls of which tools, and whether they are allowed, asked about or denied."""

from enum import StrEnum
from typing import TypeAlias

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.rules.commands import CommandPattern
from gantlet.rules.globs import TextGlob
from gantlet.rules.hosts import HostPattern
from gantlet.rules.names import NamePattern
from gantlet.rules.params import ParamPattern
from gantlet.rules.paths import PathPattern
from gantlet.rules.source import Source


@value
class WholeTool:
    """Every call."""


@value
class NameSpec:
    """A name with or without args: `Agent(Explore)`, `Skill(deploy)`, `Skill(deploy *)`."""

    pattern: CommandPattern

    def matches(self, text: str, *, forbids: bool) -> bool:
        """Return whether the name is meant; a rule that forbids means it with any args."""
        if forbids and self.pattern.is_exact:
            return text.split(maxsplit=1)[:1] == [self.pattern.text]
        return self.pattern.matches(text)


@value
class OwnSpec:
    """A text that only the tool itself can compare."""

    text: str

    def glob(self) -> TextGlob:
        """Return the text as a pattern, for comparing rules with each other."""
        return TextGlob(self.text)


Spec: TypeAlias = (
    WholeTool | CommandPattern | PathPattern | HostPattern | NameSpec | ParamPattern | OwnSpec
)
WHOLE_TOOL = WholeTool()


@value
class Rule:
    """One line of the user's or the policy's will.

    Attributes:
        text: As it was written.
        tool: Which tools, by their present names.
        spec: Which of their calls.
    """

    text: str
    behaviour: Behaviour
    source: Source
    tool: NamePattern
    spec: Spec = WHOLE_TOOL

    @property
    def forbids(self) -> bool:
        """Whether the rule narrows what may run: a deny or an ask."""
        return self.behaviour is not Behaviour.ALLOW

    @property
    def is_whole(self) -> bool:
        """Whether the rule means every call of its tools."""
        return isinstance(self.spec, WholeTool)

    def __str__(self) -> str:
        return f"{self.behaviour} {self.text}"


class Fault(StrEnum):
    """What kind of thing is wrong with a rule."""

    MALFORMED = "malformed"
    NEVER_MATCHES = "never matches"


@value
class BadRule:
    """A rule that does not work as written, what is wrong with it, and what holds instead.

    A bad allow grants nothing. A bad deny or ask still holds, as `stand_in`: in the form its author
    must have meant where there is one, else for the whole tool.
    """

    text: str
    behaviour: Behaviour
    source: Source
    fault: Fault
    reason: str
    stand_in: Rule | None = None

    @property
    def message(self) -> str:
        """What is wrong, where, and what holds instead, in words for a person."""
        held = ""
        if self.stand_in is not None:
            held = f" Until it is mended, {self.stand_in.behaviour} {self._held_text()} holds."
        elif self.behaviour is Behaviour.ALLOW:
            held = " It allows nothing."
        return f"The rule {self.text!r} ({self.behaviour}, {self.source}): {self.reason}.{held}"

    def _held_text(self) -> str:
        """Return the text of the rule that holds instead."""
        assert self.stand_in is not None
        return self.stand_in.tool.text if self.stand_in.is_whole else self.stand_in.text
