"""Five hundred tools of servers, of which the model sees only the names until it asks for more.

Run it with `python examples/a_pool_with_search.py`. No model and no network are needed.
"""

import anyio

from gantlet import Environment, Tool, ToolContext
from gantlet.assembly import Toolbox, open_toolbox
from gantlet.messages import ToolUse
from gantlet.pool import DEFAULT_FLAGS
from gantlet.tool import McpIdentity, Parsed, RequestView, Surroundings, parse

SERVICES = ("calendar", "chat", "mail", "tickets", "wiki")
VERBS = ("archive", "assign", "copy", "create", "delete", "export", "find", "list", "move", "share")
NOUNS = ("comment", "event", "file", "folder", "label", "message", "page", "report", "task", "user")
REQUEST = RequestView()


class Served(Tool[object]):
    """A tool such as an MCP server brings."""

    def __init__(self, service: str, verb: str, noun: str) -> None:
        self.name = f"mcp__{service}__{verb}_{noun}"
        self.mcp = McpIdentity(service, f"{verb}_{noun}")
        self.description = f"{verb.title()} one {noun} of the {service}, by its number or title."
        self.input_schema = {
            "type": "object",
            "properties": {
                noun: {"type": "string", "description": f"Number or title of the {noun}."},
                "note": {"type": "string", "description": "What to write into the history."},
            },
            "required": [noun],
        }


def session(tool_search: str) -> Toolbox:
    """Open the tools of a session with search switched on or off."""
    tools = [
        Served(service, verb, noun) for service in SERVICES for verb in VERBS for noun in NOUNS
    ]
    variables = {"ENABLE_TOOL_SEARCH": tool_search}
    return open_toolbox(mcp=tools, environment=Environment("linux", variables, DEFAULT_FLAGS))


async def search(toolbox: Toolbox, query: str) -> str:
    """Call ToolSearch as a model would, and return what the model reads."""
    tool = toolbox.pool.find("ToolSearch")
    call = ToolUse("toolu_1", "ToolSearch", {"query": query, "max_results": 2})
    assert tool is not None
    parsed = parse(tool, call.input)
    assert isinstance(parsed, Parsed)
    return str(await tool.run(parsed.args, ToolContext(call, Surroundings("/"))))


async def main() -> None:
    """Show what deferral saves, and how a model gets at what it does not see."""
    everything = session("false").for_request(REQUEST)
    toolbox = session("true")
    first = toolbox.for_request(REQUEST)

    whole, small = len(everything.tools_part), len(first.tools_part)
    print(f"Tools in the pool:               {len(toolbox.pool):>7,}")
    print(f"Bytes of definitions, all sent:  {whole:>7,}")
    print(f"Bytes of definitions, deferred:  {small:>7,}")
    print(f"Bytes of the names announced:    {len(first.announcement):>7,}")

    query = "+tickets share report"
    print(f"\nThe model searches for {query!r} and reads:\n")
    for line in (await search(toolbox, query)).splitlines():
        print(f"  {line[:94]}{'…' if len(line) > 94 else ''}")

    second = toolbox.for_request(REQUEST)
    print("\nThe next request carries, after the tools it carried before:\n")
    for tool in second.view.appended:
        print(f"  {tool.name}")
    assert second.tools_part.startswith(first.tools_part.removesuffix(b"]"))
    print("\nNot a byte before them has changed, so the prompt cache holds up to there.")


if __name__ == "__main__":
    anyio.run(main)
