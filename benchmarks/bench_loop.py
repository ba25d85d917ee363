"""The whole loop against the least a Python client can do, same server, same bodies, interleaved.

Each program is a process of its own and measures its steps inside; where a process's start
counts, it is measured from outside, until its one request is answered. A ratio is the median of
ours over the median of the floor, taken in turns in one run.
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

HERE = Path(__file__).parent
ROUNDS = 5
#: Programs are compiled once, as they are where they are installed.
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def server(turns: int, calls: int) -> Iterator[str]:
    """Run the server for a while; give its port."""
    command = [sys.executable, str(HERE / "loop_server.py"), str(turns), str(calls)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def steps(program: str, port: str, *rest: str) -> list[float]:
    """Run a client and return the seconds of its steps."""
    command = [sys.executable, str(HERE / program), port, *rest]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    seconds: list[float] = json.loads(done.stdout)["seconds"]
    return seconds


def whole(program: str, port: str, *rest: str) -> float:
    """Run a client and return the seconds it took from start to end."""
    began = time.perf_counter()
    steps(program, port, *rest)
    return time.perf_counter() - began


def compare(  # noqa: PLR0917 - a table of scenarios below
    what: str, bar: float, turns: int, calls: int, result_chars: int, last: int
) -> None:
    """Compare the steps of both, or only the last ones, and print a line."""
    floors: list[float] = []
    ours: list[float] = []
    with server(turns, calls) as port:
        for _ in range(ROUNDS):
            for program, taken in (("loop_floor.py", floors), ("loop_ours.py", ours)):
                seconds = steps(program, port, str(result_chars))[1:-1]
                taken.append(
                    statistics.median(seconds[-last:]) if last else statistics.median(seconds)
                )
    show(what, statistics.median(floors), statistics.median(ours), bar, per=calls)


def compare_start(what: str, bar: float, tools: int) -> None:
    """Compare whole processes that make one request."""
    floors, ours = [], []
    with server(0, 0) as port:
        for _ in range(ROUNDS):
            floors.append(whole("loop_floor.py", port, "0", str(tools)))
            ours.append(whole("loop_ours.py", port, "0", str(tools)))
    show(what, statistics.median(floors), statistics.median(ours), bar)


def show(what: str, floor: float, ours: float, bar: float, per: int = 1) -> None:
    """Print one line."""
    unit = 1000 / per
    print(
        f"{what:<44} ours {ours * unit:8.3f} ms  floor {floor * unit:8.3f} ms"
        f"  ratio {ours / floor:5.2f}  (bar {bar:g})"
    )


if __name__ == "__main__":
    compare("100 turns of 1 call, a turn", 6, 100, 1, 10, 0)
    compare("10 turns of 20 calls, a call", 3, 10, 20, 10, 0)
    compare("turn 400 with 2 KB results, a turn", 3, 400, 1, 2_000, 20)
    compare_start("process start to first reply", 4, 0)
    compare_start("1,000 tools, process start to first reply", 1.5, 1_000)
