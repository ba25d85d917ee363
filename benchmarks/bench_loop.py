"""The whole loop against the least a Python client can do, same server, same bodies, interleaved.

Each program is a process of its own, started in turns with the other. Turns are measured inside it.
The way to the first request is measured until the server has read that request: from the start of
the process, or, for a thousand tools, from the moment when all modules are loaded and no tool is
registered. A ratio is the median of ours over the median of the floor; that of the least times is
shown beside it, because on a busy machine the longer program is disturbed more often.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).parent
ROUNDS = 5
#: Programs are compiled once, as they are where they are installed.
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def server(turns: int, calls: int) -> Iterator[tuple[str, IO[str]]]:
    """Run the server for a while; give its port and what it prints after that."""
    command = [sys.executable, str(HERE / "loop_server.py"), str(turns), str(calls)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.stdout
        finally:
            process.terminate()


def ran(program: str, port: str, *rest: str) -> dict[str, Any]:
    """Run a client and return what it says."""
    command = [sys.executable, str(HERE / program), port, *rest]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def compare(  # noqa: PLR0917 - a table of scenarios below
    what: str, bar: float, turns: int, calls: int, result_chars: int, last: int
) -> None:
    """Compare the steps of both, or only the last ones, and print a line."""
    floors: list[float] = []
    ours: list[float] = []
    with server(turns, calls) as (port, _):
        for _ in range(ROUNDS):
            for program, taken in (("loop_floor.py", floors), ("loop_ours.py", ours)):
                said = ran(program, port, str(result_chars))
                assert said["calls"] == turns * calls
                seconds = said["seconds"][1:-1]
                taken.append(
                    statistics.median(seconds[-last:]) if last else statistics.median(seconds)
                )
    show(what, floors, ours, bar, per=calls)


def compare_start(what: str, bar: float, tools: int, *, is_loaded: bool) -> None:
    """Compare the way to the first request: from the process's start, or once all is loaded."""
    floors: list[float] = []
    ours: list[float] = []
    with server(0, 0) as (port, arrivals):
        for _ in range(ROUNDS):
            for program, taken in (("loop_floor.py", floors), ("loop_ours.py", ours)):
                began = time.monotonic()
                said = ran(program, port, "0", str(tools))
                taken.append(float(arrivals.readline()) - (said["loaded"] if is_loaded else began))
    show(what, floors, ours, bar)


def show(what: str, floors: list[float], ours: list[float], bar: float, per: int = 1) -> None:
    """Print one line."""
    unit = 1000 / per
    floor, own = statistics.median(floors), statistics.median(ours)
    print(
        f"{what:<36} ours {own * unit:8.3f} ms  floor {floor * unit:7.3f} ms"
        f"  ratio {own / floor:5.2f}, of the least {min(ours) / min(floors):5.2f}  (bar {bar:g})"
    )


HOW = """\
Ratios of medians, and of the least times; each program a process of its own, by turns.
Start: built-in tools only, until the server has read the request; the process's end is not counted.
1,000 tools: from "all modules loaded and no tool registered", JSON Schemas only, to the request.
"""

if __name__ == "__main__":
    print(HOW)
    compare("100 turns of 1 call, a turn", 6, 100, 1, 10, 0)
    compare("10 turns of 20 calls, a call", 3, 10, 20, 10, 0)
    compare("turn 400 with 2 KB results, a turn", 3, 400, 1, 2_000, 20)
    compare_start("process start to first request", 4, 0, is_loaded=False)
    compare_start("1,000 tools to first request", 1.5, 1_000, is_loaded=True)
