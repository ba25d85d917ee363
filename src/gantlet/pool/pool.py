"""The tools of a session, in an order that never moves."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain

from gantlet.messages.value import value
from gantlet.pool.gate import Gate, whole_tools
from gantlet.pool.nearest import nearest
from gantlet.system import Environment
from gantlet.tool import AnyTool, Problem


@value
class Pool:
    """Tools of this process first, then those of MCP servers, each part sorted by name."""

    own: tuple[AnyTool, ...] = ()
    mcp: tuple[AnyTool, ...] = ()
    problems: tuple[Problem, ...] = ()
    _by_name: Mapping[str, AnyTool] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", _index(self.tools))

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """Every tool that can be called, in order."""
        return self.own + self.mcp

    @property
    def names(self) -> Collection[str]:
        """Every name and alias by which a tool can be found."""
        return self._by_name.keys()

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.own) + len(self.mcp)

    def find(self, name: str) -> AnyTool | None:
        """Return the tool of that name or alias."""
        return self._by_name.get(name)

    def nearest(self, name: str, count: int = 3) -> list[str]:
        """Return the names that look most like `name`, for a call that missed."""
        return nearest(name, (tool.name for tool in self), count)

    def kept(self, wanted: Callable[[AnyTool], bool]) -> "Pool":
        """Return a pool of only the tools that `wanted` says yes to."""
        own = tuple([tool for tool in self.own if wanted(tool)])
        mcp = tuple([tool for tool in self.mcp if wanted(tool)])
        if len(own) == len(self.own) and len(mcp) == len(self.mcp):
            return self
        return Pool(own, mcp, self.problems)


def assemble(
    own: Iterable[AnyTool],
    mcp: Iterable[AnyTool] = (),
    *,
    environment: Environment | None = None,
    denied: Sequence[str] = (),
) -> Pool:
    """Build the pool: what exists here, is not denied as a whole, and has a name of its own.

    One bad tool is left out with a problem; it never takes the others with it. A tool with an
    MCP identity counts as a server's, whichever way it was handed over. `denied` are the deny
    rules; those that concern only some calls of a tool leave it in.
    """
    gate = Gate(environment or Environment(), whole_tools(denied))
    admitted = gate.admitted(chain(own, mcp))
    theirs = [tool for tool in admitted if tool.mcp is not None]
    ours = [tool for tool in admitted if tool.mcp is None] if theirs else admitted
    taken = {tool.name: tool for tool in admitted}
    if len(taken) < len(admitted):
        taken = {}
        for tool in ours + theirs:
            if taken.setdefault(tool.name, tool) is not tool:
                gate.problems.append(Problem(tool.name, "another tool has this name already"))
    by_name = [taken[name] for name in sorted(taken)]
    if not theirs:
        return Pool(tuple(by_name), (), (*gate.problems, *_clashes(by_name)))
    own_part = tuple(tool for tool in by_name if tool.mcp is None)
    mcp_part = tuple(tool for tool in by_name if tool.mcp is not None)
    return Pool(own_part, mcp_part, (*gate.problems, *_clashes([*own_part, *mcp_part])))


def _index(tools: Sequence[AnyTool]) -> dict[str, AnyTool]:
    """Map names, then aliases that nobody else bears, to their tools."""
    index = {tool.name: tool for tool in tools}
    for tool in tools:
        if tool.aliases:
            for alias in tool.aliases:
                index.setdefault(alias, tool)
    return index


def _clashes(tools: Sequence[AnyTool]) -> Iterator[Problem]:
    """Yield a problem for each alias that is another tool's name or alias."""
    named = [tool for tool in tools if tool.aliases]
    index = _index(tools) if named else {}
    for tool in named:
        for alias in tool.aliases:
            if index[alias] is not tool:
                yield Problem(tool.name, f"its alias {alias!r} belongs to {index[alias].name}")
