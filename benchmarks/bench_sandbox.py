"""What the sandbox adds to the start of a command: planning, bubblewrap, the last step inside.

Run it with `python benchmarks/bench_sandbox.py`. Each line is the median of rounds taken in turns,
with the ratio to `bash -c true` started the same way without a sandbox. There is no bar: the cost
is reported. Needs bubblewrap.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import anyio

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.system.sandbox import Absent, NetworkList, Policy, Sandbox, minimal_environment

ROUNDS = 25
COMMAND = ("/bin/bash", "-c", "true")


def start(argv: Sequence[str], environment: dict[str, str]) -> Callable[[], None]:
    """Return what runs a command to its end."""

    def run() -> None:
        subprocess.run(argv, env=environment, check=True, stdin=subprocess.DEVNULL)

    return run


def medians(runs: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Return the median seconds of each, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begun = perf_counter()
            run()
            taken[name].append(perf_counter() - begun)
    return {name: statistics.median(times) for name, times in taken.items()}


def timed_planning(sandbox: Sandbox, cwd: str) -> float:
    """Return the median seconds of planning one command."""

    async def plan() -> float:
        times = []
        for _ in range(ROUNDS * 4):
            begun = perf_counter()
            await sandbox.wrap(COMMAND, cwd)
            times.append(perf_counter() - begun)
        return statistics.median(times)

    return anyio.run(plan)


async def self_test_seconds(policy: Policy, home: Path) -> tuple[float, float]:
    """Return how long the first answer takes, and the next program's."""
    taken = []
    for _ in range(2):
        begun = perf_counter()
        state = await Sandbox(policy, home).state()
        taken.append(perf_counter() - begun)
        if isinstance(state, Absent):
            sys.exit(f"bench_sandbox: there is no sandbox here: {state.reason}")
    return taken[0], taken[1]


async def measure(place: Path) -> None:
    """Measure and print."""
    workspace, home = place / "workspace", place / "home"
    await anyio.run_process(["git", "init", "-q", str(workspace)])
    (workspace / ".claude").mkdir()
    environment = minimal_environment(os.environ)
    policy = Policy((str(workspace),), environment=environment)
    first, known = await self_test_seconds(policy, home)
    hosts, _ = read_hosts(["example.com"], ())
    listed = replace(policy, network=NetworkList(hosts))
    async with Sandbox(policy, home) as plain, Sandbox(listed, home) as with_list:
        wrapped = await plain.wrap(COMMAND, str(workspace))
        proxied = await with_list.wrap(COMMAND, str(workspace))
        bare = wrapped.argv[: wrapped.argv.index("--") + 1]
        runs = {
            "bash -c true": start(COMMAND, environment),
            "bubblewrap alone": start((*bare, *COMMAND), environment),
            "the whole sandbox": start(wrapped.argv, dict(wrapped.environment)),
            "with a list of hosts": start(proxied.argv, dict(proxied.environment)),
        }
        found = await anyio.to_thread.run_sync(medians, runs)
        planning = await anyio.to_thread.run_sync(timed_planning, plain, str(workspace))
    floor = found["bash -c true"]
    for name, seconds in found.items():
        print(f"{name:<24} {seconds * 1000:7.1f} ms  {seconds / floor:5.1f} x")
    print(f"{'planning (no process)':<24} {planning * 1000:7.2f} ms")
    print(f"{'self-test, first time':<24} {first * 1000:7.1f} ms")
    print(f"{'self-test, known':<24} {known * 1000:7.1f} ms")


def main() -> None:
    """Measure in a place of our own."""
    if shutil.which("bwrap") is None:
        print("bench_sandbox: bubblewrap is not installed; nothing was measured.")
        return
    place = Path(tempfile.mkdtemp(prefix="gantlet-bench-"))
    try:
        anyio.run(measure, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
