"""Which tools a request carries whole, and which it only names."""

from collections.abc import Callable, Iterable

from gantlet.messages import Capabilities
from gantlet.messages.value import value
from gantlet.pool.pool import Pool
from gantlet.tool import AnyTool

SEARCH_TOOL = "ToolSearch"
CHARS_PER_TOKEN = 3.5
#: How many deferred definitions the API takes in one request.
MAX_DEFERRED = 10_000
DEFAULT_PERCENT = 10.0


@value
class Deferral:
    """When tools are deferred.

    Attributes:
        is_on: Whether anything may be deferred at all.
        mcp_percent: Defer MCP tools once all definitions take more than this share of the
            context; 0 means always.
        own_percent: Defer the program's own tools that may be once its own definitions take more
            than this share. Those of servers do not count: they come and go, and our own tools
            stand before the cache breakpoint.
    """

    is_on: bool
    mcp_percent: float = 0.0
    own_percent: float = DEFAULT_PERCENT


@value
class View:
    """What one request shows of the pool.

    Attributes:
        own: The pool's own tools that are sent whole.
        mcp: MCP tools that are sent whole.
        appended: Tools that were deferred and are revealed, where the API cannot reveal them
            itself; in the order in which they were found.
        deferred: Tools announced by name only.
        by_reference: Whether the API takes `defer_loading` and `tool_reference`.
    """

    own: tuple[AnyTool, ...]
    mcp: tuple[AnyTool, ...] = ()
    appended: tuple[AnyTool, ...] = ()
    deferred: tuple[AnyTool, ...] = ()
    by_reference: bool = False

    @property
    def loaded(self) -> tuple[AnyTool, ...]:
        """Every tool that is sent whole."""
        return self.own + self.mcp + self.appended

    @property
    def announcement(self) -> str:
        """The names of the deferred tools, for the model; empty where there are none."""
        if not self.deferred:
            return ""
        names = "\n".join(tool.name for tool in self.deferred)
        heading = f"These tools exist but are not loaded. Load what you need with {SEARCH_TOOL}:"
        return f"{heading}\n{names}"


def plan_view(
    pool: Pool,
    deferral: Deferral,
    capabilities: Capabilities,
    size_of: Callable[[AnyTool], int],
    revealed: tuple[str, ...] = (),
    *,
    expects_mcp: bool = False,
) -> View:
    """Decide which tools a request carries.

    `size_of` gives the length of a definition. `expects_mcp` keeps ToolSearch in place while
    servers are still starting, so that their tools do not move the cached prefix when they come.
    """
    shown = [tool for tool in pool if not tool.hidden]
    search = pool.find(SEARCH_TOOL)
    if search is None or search.hidden or not _is_search(search):
        return _split(shown)  # nobody could find what is hidden
    can_wait = [tool for tool in shown if _can_wait(tool)]
    if not deferral.is_on or not (can_wait or expects_mcp):
        return _split(tool for tool in shown if tool is not search)
    limits = _Limits(deferral, capabilities.context_tokens, size_of)
    waiting = limits.waiting(shown, can_wait)
    loaded = _split(tool for tool in shown if tool.name not in waiting)
    if capabilities.deferred_tools and len(waiting) <= MAX_DEFERRED:
        deferred = tuple(waiting.values())
        return View(loaded.own, loaded.mcp, (), deferred, by_reference=True)
    appended = {name: waiting[name] for name in revealed if name in waiting}
    deferred = tuple(tool for tool in waiting.values() if tool.name not in appended)
    return View(loaded.own, loaded.mcp, tuple(appended.values()), deferred)


def _split(tools: Iterable[AnyTool]) -> View:
    """Return a view that carries all of `tools` whole."""
    shown = list(tools)
    mcp = [tool for tool in shown if tool.mcp is not None]
    own = [tool for tool in shown if tool.mcp is None] if mcp else shown
    return View(tuple(own), tuple(mcp))


def _is_search(tool: AnyTool) -> bool:
    """Return whether this is our own tool that finds deferred ones."""
    return tool.name == SEARCH_TOOL and tool.mcp is None


def _can_wait(tool: AnyTool) -> bool:
    """Return whether a tool may be deferred. What finds the others may not."""
    if tool.always_load or _is_search(tool):
        return False
    return tool.mcp is not None or tool.should_defer


@value
class _Limits:
    """How much of the context definitions may take."""

    deferral: Deferral
    context_tokens: int
    size_of: Callable[[AnyTool], int]

    def waiting(self, shown: list[AnyTool], can_wait: list[AnyTool]) -> dict[str, AnyTool]:
        """Return the tools to be deferred, by name, in order. Measures only what it must."""
        own = [tool for tool in can_wait if tool.mcp is None]
        mcp = [tool for tool in can_wait if tool.mcp is not None]
        ours = [tool for tool in shown if tool.mcp is None]
        waits: list[AnyTool] = []
        if own and self._exceed(ours, self.deferral.own_percent):
            waits += own
        percent = self.deferral.mcp_percent
        if mcp and (percent == 0 or self._exceed(shown, percent)):
            waits += mcp
        return {tool.name: tool for tool in waits}

    def _exceed(self, tools: list[AnyTool], percent: float) -> bool:
        """Return whether the definitions take more than this share of the context."""
        tokens = sum(self.size_of(tool) for tool in tools) / CHARS_PER_TOKEN
        return 100 * tokens / max(1, self.context_tokens) > percent
