"""The same agent over real HTTP: a server plays the script, the agent talks to it as to any API.

Run it with `python examples/agent_http.py`. The server listens on a free port of this machine and
lives in this process; no key and no other network are needed.
"""

import anyio

from gantlet import Agent, script_of, tool
from gantlet.messages import Notice
from gantlet.models.scripted import ScriptServer

SCRIPT = script_of(
    [
        {"text": "I will add these up.", "chunks": 4},
        {"call": "add", "input": {"numbers": [19, 23]}},
    ],
    {"say": "The sum is {{ result.1.text }}.", "fault": {"drop": True, "at": "mid_text"}},
)


@tool(read_only=True)
def add(numbers: list[int]) -> int:
    """Add whole numbers."""
    return sum(numbers)


async def main() -> None:
    """Serve the script, ask over HTTP, and survive a connection that breaks in mid-sentence."""
    async with ScriptServer(SCRIPT) as server:
        print(f"serving a script at {server.url}")
        agent = Agent("claude-sonnet-5-5", base_url=server.url, api_key="any-key", tools=[add])
        async with agent, agent.stream("What is 19 + 23?") as events:
            async for event in events:
                if isinstance(event, Notice):
                    print(f"notice: {event.text}")

    result = events.result
    print(f"text:   {result.text}")
    print(f"turns:  {result.turns}")
    print(f"cost:   ${result.cost_usd:.6f}, if a real model had said it")
    print(f"reason: {result.reason}")


if __name__ == "__main__":
    anyio.run(main)
