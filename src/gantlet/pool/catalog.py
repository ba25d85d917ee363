"""Look deferred tools up and reveal them: what stands behind the ToolSearch tool."""

import json

from gantlet.messages import Text, ToolReference
from gantlet.pool.deferral import View
from gantlet.pool.definitions import Definitions
from gantlet.pool.gate import shown
from gantlet.pool.nearest import nearest
from gantlet.pool.search import Index, Query, select
from gantlet.tool import AnyTool, RequestView, ResultContent

#: For how many unknown names the nearest ones are looked up.
_MAX_HINTS = 5


class Catalog:
    """The deferred tools of a session and which of them were revealed, in the order they were.

    What is revealed during a turn is taken up when the next request is planned, all of it at once.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._view = View(())
        self._request = RequestView()
        self._index = Index(())
        self._deferred: frozenset[str] = frozenset()
        self._revealed: dict[str, None] = {}

    @property
    def revealed(self) -> tuple[str, ...]:
        """The names of revealed tools, oldest first."""
        return tuple(self._revealed)

    def show(self, view: View, request: RequestView) -> None:
        """Take note of what the current request shows."""
        if view.deferred != self._view.deferred:
            self._deferred = frozenset(tool.name for tool in view.deferred)
        self._view = view
        self._request = request

    def reveal(self, name: str) -> None:
        """Mark a tool as revealed: found by a search, or called by its exact name."""
        if name in self._deferred:
            self._revealed.setdefault(name)

    def look_up(self, query: str, max_results: int) -> ResultContent:
        """Answer a query in the form the model's API takes, and mark what was found as revealed."""
        parsed = Query.parse(query)
        if parsed.names:
            found, missing = select(parsed.names, self._view.deferred)
            loaded, missing = select(missing, self._view.loaded)
        else:
            found, loaded, missing = self._searched(parsed, max_results), [], []
        usable = [tool for tool in found if self._definitions.one(tool, self._request)]
        broken = [tool for tool in found if tool not in usable]
        for tool in usable:
            self.reveal(tool.name)
        return self._answer(query, usable, self._remarks(loaded, broken, missing))

    def _searched(self, query: Query, max_results: int) -> list[AnyTool]:
        """Search by words; the index is brought up to date when it is needed."""
        self._index = self._index.of(self._view.deferred)
        return self._index.search(query, max_results)

    def _remarks(
        self, loaded: list[AnyTool], broken: list[AnyTool], missing: list[str]
    ) -> list[str]:
        """Say what else there is to say about the tools asked for."""
        remarks = []
        if loaded:
            remarks.append(f"Already loaded: {', '.join(tool.name for tool in loaded)}.")
        for tool in broken:
            reason = self._definitions.problems[tool.name].reason
            remarks.append(f"{tool.name} cannot be loaded: {reason.rstrip('.')}. Use another tool.")
        for name in missing[:_MAX_HINTS]:
            near = nearest(name, (tool.name for tool in self._view.deferred))
            hint = f" Nearest: {', '.join(near)}." if near else " Search with other words."
            remarks.append(f"No tool is named {shown(name)}.{hint}")
        if len(missing) > _MAX_HINTS:
            remarks.append(f"{len(missing) - _MAX_HINTS} more names are unknown.")
        return remarks

    def _answer(self, query: str, found: list[AnyTool], remarks: list[str]) -> ResultContent:
        """Put what was found into blocks the API expands, or into whole definitions."""
        if not found:
            count = len(self._view.deferred)
            tools = "1 deferred tool" if count == 1 else f"{count} deferred tools"
            nothing = f"Nothing fits {shown(query)} among {tools}. Try fewer or other words."
            return "\n".join(remarks or [nothing])
        if self._view.by_reference:
            references = tuple(ToolReference(tool.name) for tool in found)
            return (*references, Text("\n".join(remarks))) if remarks else references
        definitions = (self._definitions.one(tool, self._request) for tool in found)
        lines = [json.dumps(one, ensure_ascii=False) for one in definitions if one is not None]
        heading = "These tools can be called from your next message on:"
        return "\n".join([heading, *lines, *remarks])
