"""How long a long session takes to come back: a 12 MB transcript.

The floor reads the same file and parses each line's JSON. Both are taken in the same run, by turns,
and the ratio is that of their medians.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path

import anyio

from gantlet import Agent, AgentParts, Environment, ScriptedModel, script_of, tool
from gantlet.session import new_session, read_lines, restore

TURNS = 400
RESULT_CHARS = 10_000
ROUNDS = 5


@tool(read_only=True)
def look(at: int) -> str:
    """Look at something."""
    return f"{at} " + "word " * (RESULT_CHARS // 5)


async def write(folder: Path) -> Path:
    """Write a session of many turns with big results; return its transcript."""
    session = new_session(folder, str(folder), "0.0.0")
    steps = [[f"Step {n}.", {"call": "look", "input": {"at": n}}] for n in range(TURNS)]
    parts = AgentParts(environment=Environment(), session=session)
    agent = Agent(ScriptedModel(script_of(*steps, "Done.")), tools=[look], cwd=folder, parts=parts)
    await agent.run("Look at everything")
    session.close()
    return session.path


def floor(path: Path) -> None:
    """Read and parse, no more."""
    for line in path.read_bytes().splitlines():
        json.loads(line)


def ours(path: Path) -> None:
    """Read, mend and be ready to go on."""
    lines, _ = read_lines(path)
    restore(lines)


def main() -> None:
    """Print the seconds, and the ratio to the floor."""
    with tempfile.TemporaryDirectory() as folder:
        path = anyio.run(write, Path(folder))
        taken: dict[str, list[float]] = {"floor": [], "ours": []}
        for _ in range(ROUNDS):
            for name, work in (("floor", floor), ("ours", ours)):
                began = time.perf_counter()
                work(path)
                taken[name].append(time.perf_counter() - began)
        floor_time, our_time = (statistics.median(taken[name]) for name in ("floor", "ours"))
        size = path.stat().st_size / 1e6
        print(
            f"resume of {size:.1f} MB: {our_time:.3f} s (bar 1 s),"
            f" {our_time / floor_time:.1f} x reading and parsing ({floor_time:.3f} s)"
        )


if __name__ == "__main__":
    main()
