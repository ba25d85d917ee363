"""Which of the tools a user asked for: everything, nothing, or a list."""

import re
from collections.abc import Collection, Iterable
from itertools import chain

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

    def of(
        self, pool: Pool, among: Collection[AnyTool] | None = None
    ) -> tuple[Pool, tuple[Problem, ...]]:
        """Return the chosen part of `pool`, and the entries that name nothing in it.

        Given some of its own tools to choose `among`, the others are there in any case.
        """
        if self.entries is None:
            return pool, ()
        known = [*pool.names, *chain.from_iterable(map(names_of, pool.mcp))]
        unknown = self._unknown(known)
        may_go = set(map(id, pool.own if among is None else among))
        if not may_go:  # as where a program has only its own tools
            return pool, unknown
        wanted = frozenset[str]().union(*(pattern.among(known) for pattern in self._patterns))
        own = [
            tool
            for tool in pool.own
            if tool.name in wanted or not wanted.isdisjoint(tool.aliases) or id(tool) not in may_go
        ]
        chosen = pool if len(own) == len(pool.own) else Pool(tuple(own), pool.mcp, pool.problems)
        return chosen, unknown

    def _unknown(self, known: Collection[str]) -> tuple[Problem, ...]:
        """Return the entries that mean none of the names."""
        return tuple(
            Problem(entry, "no tool has this name")
            for entry, pattern in zip(self.entries or (), self._patterns, strict=True)
            if not pattern.matches_any(known)
        )

    def names(self, names: Iterable[str]) -> bool:
        """Return whether an entry means a tool that goes by these names."""
        if self.entries is None:
            return True
        patterns = self._patterns
        for name in names:
            for pattern in patterns:
                if pattern.matches(name):
                    return True
        return False

    @lazy
    def _patterns(self) -> list[NamePattern]:
        """The tools that each entry means."""
        return [tool_part(entry) for entry in self.entries or ()]
