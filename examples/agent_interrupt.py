"""Speak to an agent while it works, then stop it: no call is left without its result.

Run it with `python examples/agent_interrupt.py`. No key and no network are needed.
"""

import anyio

from gantlet import Agent, ScriptedModel, script_of, tool
from gantlet.messages import CallFinished, CallStarted, ResultBlock, ToolUse, blocks_of
from gantlet.models.scripted import check_history


@tool(read_only=True)
async def build(target: str, seconds: float = 0.0) -> str:
    """Build a target."""
    await anyio.sleep(seconds)
    return f"{target} built"


SCRIPT = script_of(
    ["I build it.", {"call": "build", "id": "docs", "input": {"target": "docs", "seconds": 0.2}}],
    [
        "Now the rest, without the tests.",
        {"call": "build", "id": "app", "input": {"target": "app", "seconds": 60}},
        {"call": "build", "id": "icons", "input": {"target": "icons"}},
    ],
    "Good. I wait for you.",
)


def shown(block: object) -> str:
    """Return a block in one line."""
    if isinstance(block, ToolUse):
        return f"call {block.id} of {block.name}"
    if isinstance(block, ResultBlock):
        return f"result of {block.tool_use_id}: {block.content}"
    return str(getattr(block, "text", block))


async def main() -> None:
    """Send a message during the first step, interrupt the second, and go on afterwards."""
    agent = Agent(ScriptedModel(SCRIPT), tools=[build])
    async with agent.stream("Build everything.") as events:
        async for event in events:
            if event == CallStarted("docs", "build"):
                agent.send("Leave the tests out.")  # is delivered with the results of this step
            if isinstance(event, CallFinished) and event.call_id == "icons":
                agent.interrupt()  # the app would take a minute
    await agent.run("Stop for now.")

    for message in agent.messages:
        for block in blocks_of(message):
            print(f"{type(message).__name__.removesuffix('Message'):<10}{shown(block)}")
    print(f"\nThe first prompt ended with the reason {events.result.reason}.")
    print(f"What the API would object to: {check_history(agent.messages) or 'nothing'}.")


if __name__ == "__main__":
    anyio.run(main)
