"""Tools made up for tests of the pool."""

from collections.abc import Mapping

from hypothesis import strategies as st

from gantlet.messages import FrozenDict
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Environment
from gantlet.tool import AnyTool, McpIdentity, RequestView, Tool

NO_FIELDS: Mapping[str, object] = {"type": "object", "properties": {}}


class MadeUp(Tool[FrozenDict]):
    """A tool of any name, with any attributes."""

    def __init__(
        self, name: str, /, description: object = "Do something made up.", **attributes: object
    ) -> None:
        self.name = name
        self.input_schema = NO_FIELDS
        attributes["description"] = description
        for attribute, value in attributes.items():
            setattr(self, attribute, value)


class Talkative(MadeUp):
    """A tool whose description says what the request is like."""

    def describe(self, request: RequestView) -> str:
        return f"Used in mode {request.mode} beside {', '.join(request.tool_names)}."


class Mute(MadeUp):
    """A tool that fails when it is asked what it does."""

    def describe(self, request: RequestView) -> str:
        raise RuntimeError("no words")


def of_server(server: str, tool: str, **attributes: object) -> MadeUp:
    """Return a tool of a server, under the name such tools have."""
    identity = McpIdentity(server, tool)
    return MadeUp(f"mcp__{server}__{tool}", mcp=identity, **attributes)


def names(tools: object) -> list[str]:
    """Return the names of tools, in their order."""
    assert isinstance(tools, tuple | list)
    return [tool.name for tool in tools]


def here(*flags: str, **variables: str) -> Environment:
    """Return an environment with the usual flags, these flags and these variables."""
    return Environment("linux", variables, DEFAULT_FLAGS | set(flags))


tool_names = st.text(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", min_size=1, max_size=64
)
short_names = st.text("abAB_", min_size=1, max_size=3)


def pools_of(some_names: st.SearchStrategy[str] = short_names) -> st.SearchStrategy[list[AnyTool]]:
    """Lists of tools, own ones and ones of servers, with names that often clash."""
    own = st.builds(lambda name: MadeUp(name), some_names)
    served = st.builds(lambda name: MadeUp(name, mcp=McpIdentity("srv", name)), some_names)
    return st.lists(own | served, max_size=8)
