"""What hooks cost: nothing where there are none, and little more than their program where one is.

Run it with `python benchmarks/bench_hooks.py`. The programs of both sides are the same, get the
same input through the same pipes, lead a session of their own, as hooks do, and run in turns, so
that noise hits both; times are medians, and the ratio that counts is the median of the pairs'
ratios. A missed bar is printed as such. The last line is the same beside a floor without a session:
on a busy machine the kernel schedules a new session later, whoever starts it.
"""

import os
import statistics
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from types import CoroutineType

import anyio

from gantlet.hooks import (
    EVERYTHING,
    Command,
    Handler,
    HookEntry,
    HookEvent,
    HookPorts,
    HookRunner,
    HookSession,
    Moment,
    call_occasion,
    hook_environment,
)
from gantlet.messages import FrozenDict, ToolUse, dumps
from gantlet.rules import Source, SourceKind
from gantlet.system import run_child
from gantlet.tool import AgentIdentity, Surroundings, Tool, ToolContext

BAR = 1.3
PAIRS = 200
LINE = "cat > /dev/null; echo done"
MAX_IDLE_NANOSECONDS = 500.0
SESSION = HookSession("session", project_dir="/")


class Fake(Tool[object]):
    """A tool that hooks are told of."""

    name = "Fake"
    description = "Do nothing."
    input_schema = FrozenDict(type="object")

    async def run(self, args: object, context: ToolContext) -> str:
        """Do nothing."""
        return ""


MOMENT = Moment(
    ToolUse("c1", "Fake", {"path": "a" * 100}),
    Fake(),
    None,
    Surroundings(cwd=str(Path.cwd())),
    AgentIdentity(),
)


async def in_turns(
    what: str, ours: Callable[[], Awaitable[object]], floor: Callable[[], Awaitable[object]]
) -> None:
    """Print one line: our time, the floor's, and their ratio."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAIRS):
        for work, kept in zip((ours, floor), times, strict=True):
            started = perf_counter()
            await work()
            kept.append((perf_counter() - started) * 1_000)
    ratio = statistics.median(mine / bare for mine, bare in zip(*times, strict=True))
    mine, bare = map(statistics.median, times)
    met = "met" if ratio <= BAR else "MISSED"
    print(f"{what:<34} {mine:6.2f} ms  floor {bare:6.2f} ms  {ratio:5.2f} x  bar {BAR} x: {met}")


async def programs() -> None:
    """Compare a command hook, and the primitive below it, with `anyio.run_process`."""
    variables = dict(os.environ)
    runner = HookRunner(
        SESSION,
        [
            HookEntry(
                HookEvent.PRE_TOOL_USE,
                EVERYTHING,
                Handler(Command(LINE)),
                Source(SourceKind.USER),
            )
        ],
        ports=HookPorts(variables=variables),
    )
    stdin = dumps(call_occasion(HookEvent.PRE_TOOL_USE, MOMENT).payload(SESSION))
    env = hook_environment(variables, {}, SESSION)

    async def floor(*, is_session: bool = True) -> object:
        return await anyio.run_process(
            ["/bin/sh", "-c", LINE],
            input=stdin,
            env=env,
            cwd=MOMENT.surroundings.cwd,
            start_new_session=is_session,
        )

    async def child() -> object:
        return await run_child(
            ["/bin/sh", "-c", LINE],
            stdin=stdin,
            env=env,
            cwd=MOMENT.surroundings.cwd,
            seconds=60,
        )

    async def hook() -> object:
        return await runner.before(MOMENT)

    async with runner:
        await in_turns("run_child, deadline and group", child, floor)
        await in_turns("one command hook, told and heard", hook, floor)
        await in_turns("the same, floor without a session", hook, partial(floor, is_session=False))


def nobody_listens() -> None:
    """Show that without hooks there is a lookup and nothing else."""
    runner = HookRunner(SESSION)
    lookup = {HookEvent.STOP: ()}

    def asked() -> None:
        for _ in range(1_000):
            runner.wants(HookEvent.PRE_TOOL_USE, "Fake")

    def floor() -> None:
        for _ in range(1_000):
            lookup.get(HookEvent.PRE_TOOL_USE)

    answered = runner.wants(HookEvent.PRE_TOOL_USE, "Fake")
    assert answered is False, "and it is no coroutine"
    assert not isinstance(answered, CoroutineType)
    asked()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    asked()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    mine, bare = (
        statistics.median(_nanoseconds(work) for _ in range(200)) for work in (asked, floor)
    )
    met = "met" if mine <= MAX_IDLE_NANOSECONDS and kept < 1_000 else "MISSED"
    print(
        f"{'no hooks: one question':<34} {mine:6.0f} ns  lookup {bare:5.0f} ns"
        f"  bytes kept by 1,000: {kept}  no await: {met}"
    )


def _nanoseconds(work: Callable[[], None]) -> float:
    """Return how long one of the thousand takes."""
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1_000_000


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, {PAIRS} pairs in turns, medians")
    nobody_listens()
    anyio.run(programs)
