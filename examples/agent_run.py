"""Run one prompt: the model asks for two tools, reads their results, and answers.

Run it with `python examples/agent_run.py`. The model plays a script, so no key and no network are
needed; `Agent("claude-sonnet-5-5", tools=[…])` asks a real one.
"""

import anyio

from gantlet import Agent, ScriptedModel, script_of, tool

STOCK = {"apples": 12, "pears": 0}


@tool(read_only=True)
async def in_stock(fruit: str) -> str:
    """Tell how many of a fruit are in stock."""
    return f"{STOCK.get(fruit, 0)} {fruit}"


@tool(read_only=True)
def price(fruit: str) -> str:
    """Tell what a fruit costs."""
    return f"{fruit} cost 0.40 each"


SCRIPT = script_of(
    [
        "Let me look.",
        {"call": "in_stock", "input": {"fruit": "apples"}},
        {"call": "in_stock", "input": {"fruit": "pears"}},
        {"call": "price", "input": {"fruit": "apples"}},
    ],
    "There are {{ result.1.text }} and {{ result.2.text }}, and {{ result.3.text }}.",
)


async def main() -> None:
    """Ask, and print what came of it."""
    agent = Agent(ScriptedModel(SCRIPT), tools=[in_stock, price])

    result = await agent.run("Which fruit can I sell, and for how much?")

    print(f"text:   {result.text}")
    print(f"turns:  {result.turns} requests to the model")
    print(f"usage:  {result.usage.input_tokens} tokens read, {result.usage.output_tokens} written")
    print(f"reason: {result.reason}")
    assert not result.is_error


if __name__ == "__main__":
    anyio.run(main)
