"""A session with tools of servers, and ways to search it, for the tests of ToolSearch."""

import json
from collections.abc import Sequence

from gantlet.assembly import Toolbox, open_toolbox
from gantlet.messages import Capabilities, ToolReference, ToolUse
from gantlet.tool import AnyTool, Parsed, RequestView, Surroundings, ToolContext, parse
from pool.made_up_tools import MadeUp, here, of_server

APPENDS = RequestView()
REFERS = RequestView(capabilities=Capabilities(deferred_tools=True))
CONTEXT = ToolContext(ToolUse("toolu_1", "ToolSearch", {}), Surroundings("/"))
HEADING = "These tools can be called from your next message on:"

SEND = of_server("slack", "send_message", description="Post a text to a channel.")
CHANNELS = of_server("slack", "list_channels", description="Name every room of the workspace.")
ISSUE = of_server("github", "createIssue", description="Open a ticket.", search_hint="bug report")
CELL = of_server("jupyter", "edit", description="Change it.", search_hint="notebook cell ipynb")
SERVED = [SEND, CHANNELS, ISSUE, CELL]


def toolbox(*served: AnyTool, request: RequestView = REFERS) -> Toolbox:
    """Return the toolbox of a session whose first request has been planned."""
    own = [MadeUp("Alpha"), MadeUp("Beta")]
    chosen = "Alpha,Beta,ToolSearch"
    box = open_toolbox(own, served or SERVED, environment=here(), selected=chosen)
    box.for_request(request)
    return box


async def searched(box: Toolbox, query: str, max_results: int = 5) -> object:
    """Call the real tool and return what the model reads."""
    tool = box.pool.find("ToolSearch")
    assert tool is not None
    answer = parse(tool, {"query": query, "max_results": max_results})
    assert isinstance(answer, Parsed), answer
    return tool.to_result_block(await tool.run(answer.args, CONTEXT))


def references(*tools: AnyTool) -> tuple[ToolReference, ...]:
    """Return what stands for tools where the API expands references."""
    return tuple(ToolReference(tool.name) for tool in tools)


async def found(served: Sequence[AnyTool], query: str, max_results: int = 5) -> list[str]:
    """Return the names that a search finds among these tools, best first."""
    answer = await searched(toolbox(*served), query, max_results)
    if isinstance(answer, str):
        return []
    assert isinstance(answer, tuple)
    return [block.tool_name for block in answer if isinstance(block, ToolReference)]


def sent(box: Toolbox, request: RequestView) -> list[str]:
    """Return the names a request carries, in order."""
    part = json.loads(box.for_request(request).tools_part)
    return [one["name"] for one in part]
