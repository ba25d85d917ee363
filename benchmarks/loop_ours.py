"""The whole loop over HTTP: the agent, its client, executor, pipeline and permission.

Usage: python benchmarks/loop_ours.py PORT RESULT_CHARS [TOOLS]. Prints one line of JSON when the
model is done: how many calls there were, how long each turn took, and when it had loaded all. With
RESULT_CHARS 0 the agent has TOOLS tools, or else the built-in ones, and calls none.
"""

import json
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

import anyio

from gantlet import Agent, Tool


class Given(Tool[Mapping[str, object]]):
    """A tool with a JSON Schema, as a server gives it."""

    description = "One of many."

    def __init__(self, number: int) -> None:
        self.name = f"given_{number}"
        self.input_schema = {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where to look."},
                "limit": {"type": "integer", "description": "How many."},
            },
            "required": ["path"],
        }


async def run(port: int, result_chars: int, tools: int) -> dict[str, object]:
    """Play the conversation to its end; return the calls and the time of each turn."""
    # Without calls there is no need for a tool that can be called, nor for what it imports.
    noop: Any = result_chars and import_module("loop_noop").Noop("x" * result_chars)
    own = [noop] if result_chars else [Given(number) for number in range(tools)]
    address = f"http://127.0.0.1:{port}"
    chosen = "Noop" if result_chars else "given_*" if tools else "default"
    agent = Agent("bench", base_url=address, api_key="k", tools=own, builtin_tools=chosen)
    result = await agent.run("go")
    assert not result.is_error, result
    if not noop:
        return {"calls": 0, "seconds": []}
    seconds = [later - earlier for earlier, later in pairwise(noop.marks)]
    return {"calls": noop.calls, "seconds": seconds}


if __name__ == "__main__":
    many = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    loaded = time.monotonic()
    done = anyio.run(run, int(sys.argv[1]), int(sys.argv[2]), many)
    print(json.dumps({**done, "loaded": loaded}))
