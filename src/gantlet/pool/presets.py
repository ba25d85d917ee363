"""Which of the tools a user asked for: everything, nothing, or a list."""

import re
from collections.abc import Collection, Iterable

from gantlet.messages.value import lazy, value
from gantlet.pool.gate import names_of
from gantlet.pool.pool import Pool
from gantlet.rules import NamePattern, tool_part
from gantlet.tool import AnyTool, Problem

DEFAULT = "default"
_ENTRY = re.compile(r"[^\s,(]+(?:\([^)]*\)?)?")


@value
class Selection:
    """A choice among the pool's own tools; None means all of them. MCP tools are always kept."""

    entries: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, text: str) -> "Selection":
        """Read `default`, an empty text for none, or entries split by commas or spaces.

        Commas in brackets split nothing: `Agent(explore, plan)` is one entry.
        """
        entries = tuple(_ENTRY.findall(text))
        return cls() if entries == (DEFAULT,) else cls(entries)

    def of(self, pool: Pool, kept: Collection[AnyTool] = ()) -> tuple[Pool, tuple[Problem, ...]]:
        """Return the chosen part of `pool`, and the entries that name nothing in it.

        What is `kept` is there whether it is chosen or not.
        """
        if self.entries is None:
            return pool, ()
        patterns = self._patterns
        unknown = tuple(
            Problem(entry, "no tool has this name")
            for entry, pattern in zip(self.entries, patterns, strict=True)
            if not any(pattern.matches_any(names_of(tool)) for tool in pool)
        )
        always = {id(tool) for tool in kept}
        return pool.kept(
            lambda tool: tool.mcp is not None or id(tool) in always or self.names(names_of(tool))
        ), unknown

    def names(self, names: Iterable[str]) -> bool:
        """Return whether an entry means a tool that goes by these names."""
        if self.entries is None:
            return True
        patterns = self._patterns
        return any(pattern.matches(name) for name in names for pattern in patterns)

    @lazy
    def _patterns(self) -> list[NamePattern]:
        """The tools that each entry means."""
        return [tool_part(entry) for entry in self.entries or ()]
