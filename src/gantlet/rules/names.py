"""Which tools a rule names: by name, by server, or by a pattern of names."""

import re
from collections.abc import Collection, Iterable
from dataclasses import field

from gantlet.messages.value import value
from gantlet.rules.globs import Pieces, fits, pieces_of
from gantlet.rules.grammar import canonical
from gantlet.tool import AnyTool

_MCP = "mcp__"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
#: What stands in the brackets of a rule that concerns every call.
_EVERY_CALL = ("", "*")


@value
class NamePattern:
    """The tool part of a rule: `Bash`, `mcp__server`, `mcp__server__*`, `mcp__*`, `*`."""

    text: str
    _pieces: Pieces = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pieces", pieces_of(self.text))

    @property
    def is_glob(self) -> bool:
        """Whether the pattern can name more than one tool by a star."""
        return len(self._pieces) > 1

    def matches(self, name: str) -> bool:
        """Return whether a tool of that name is meant. `mcp__server` means all of its tools."""
        if fits(self._pieces, name):
            return True
        if self.is_glob:
            return False
        return self.text.startswith(_MCP) and name.startswith(f"{self.text}__")

    def among(self, names: Collection[str]) -> list[str]:
        """Return which of many names are meant."""
        match self._pieces:
            case (first, last):  # one star, as most have
                least = len(first) + len(last)
                return [
                    name
                    for name in names
                    if name.startswith(first) and len(name) >= least and name.endswith(last)
                ]
            case _:
                return [name for name in names if self.matches(name)]

    def matches_any(self, names: Iterable[str]) -> bool:
        """Return whether one of a tool's names is meant."""
        return any(self.matches(name) for name in names)


def names_of(tool: AnyTool) -> tuple[str, ...]:
    """Return every name by which a rule can mean `tool`.

    One of a server goes by its full name only, as the server says it and as a name may be written:
    a server cannot call its tool by the name of another.
    """
    if tool.mcp is None:
        own = (tool.name, *tool.aliases)
        return tuple(dict.fromkeys((*own, *map(canonical, own))))
    full = f"{_MCP}{tool.mcp.server}__{tool.mcp.tool}"
    own = tuple(name for name in (tool.name, *tool.aliases) if name.startswith(_MCP))
    return tuple(dict.fromkeys((full, _NOT_IN_NAMES.sub("_", full), *own)))


def whole_tool(rule: str) -> NamePattern | None:
    """Return which tools a rule names as a whole: `Bash`, `Bash(*)`, `Bash()`.

    Or None if it only concerns some of their calls.
    """
    name, bracket, rest = rule.strip().partition("(")
    if bracket and rest.removesuffix(")").strip() not in _EVERY_CALL:
        return None
    return NamePattern(name.strip()) if name.strip() else None


def tool_part(entry: str) -> NamePattern:
    """Return the tool part of an entry such as `Agent(explore, plan)`."""
    return NamePattern(entry.strip().partition("(")[0].strip())
