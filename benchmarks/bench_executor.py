"""What executor and pipeline cost of their own, without a model.

Times of single calls are CPU seconds of this thread, so that a busy machine does not count; where
calls wait, real time is measured, against the ideal or a floor of one bare task per call in the
same run.
"""

import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import anyio

from gantlet.execution import Bodies, ExecutionSettings, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.messages import Event, ToolUse
from gantlet.permissions import ReadOnlyPermission
from gantlet.pool import assemble
from gantlet.tool import (
    READS_ONLY,
    Access,
    File,
    Surroundings,
    Tool,
    ToolContext,
    ToolInput,
    Traits,
)

SAMPLES = 10_000
WAIT_SECONDS = 0.05


class WorkInput(ToolInput):
    """How long to take, what to touch, how much to return."""

    seconds: float = 0.0
    read: str = ""
    write: str = ""
    chars: int = 0


class Work(Tool[WorkInput]):
    """Waits, touches files by name, returns text."""

    name = "Work"
    description = "Works."
    input_type = WorkInput

    def traits(self, args: WorkInput) -> Traits:
        """Say what is touched; a write counts as reading to permission, for the bench's sake."""
        if not args.read and not args.write:
            return READS_ONLY
        access = Access(
            reads=[File(args.read)] if args.read else [],
            writes=[File(args.write)] if args.write else [],
        )
        return Traits(read_only=True, access=access, open_world=False)

    async def run(self, args: WorkInput, context: ToolContext) -> str:
        """Work."""
        if args.seconds:
            await anyio.sleep(args.seconds)
        return "x" * args.chars if args.chars else "ok"


def nobody(event: Event) -> None:
    """Hear nothing."""


def services(folder: str) -> Services:
    """Return what the pipeline needs."""
    spill = Spill(Path(folder) / "results")
    return Services(assemble([Work()]), ReadOnlyPermission(), NoHooks(), spill, nobody)


async def reply(
    parts: Services, bodies: Bodies, calls: Sequence[dict[str, object]], cap: float = float("inf")
) -> Executor:
    """Run one reply's calls to their end."""
    settings = ExecutionSettings(max_concurrency=cap)
    async with Executor(parts, bodies, Surroundings("/tmp"), settings) as executor:
        for number, given in enumerate(calls):
            executor.submit(ToolUse(f"c{number}", "Work", given))  # type: ignore[arg-type]
        await executor.drain()
    return executor


def bare(seconds: float) -> tuple[float, float]:
    """Return median and p99, in ms, of work that makes objects and nothing else for so long.

    What it deviates by is the machine's, whose other programs take turns on the same processors.
    """

    def work(count: int) -> float:
        began = time.thread_time()
        kept = [{"number": number, "text": str(number)} for number in range(count)]
        return time.thread_time() - began if kept else 0.0

    count = max(1, int(1_000 * seconds / statistics.median(work(1_000) for _ in range(50))))
    taken = sorted(work(count) for _ in range(SAMPLES))
    return taken[SAMPLES // 2] * 1e3, taken[int(SAMPLES * 0.99)] * 1e3


async def one_by_one(parts: Services, bodies: Bodies) -> None:
    """Measure single calls, and how the cost grows with the number of calls in a reply."""
    taken = []
    for number in range(SAMPLES + 200):
        began = time.thread_time()
        await reply(parts, bodies, [{}])
        if number >= 200:
            taken.append(time.thread_time() - began)
    taken.sort()
    median, late = taken[SAMPLES // 2] * 1e3, taken[int(SAMPLES * 0.99)] * 1e3
    print(f"one no-op call at a time     median {median:.3f} ms (bar 0.2)", end="")
    print(f"  p99 {late:.3f} ms (bar 0.4)")
    calm, disturbed = bare(median / 1e3)
    print(
        f"bare work of that length     median {calm:.3f} ms  p99 {disturbed:.3f} ms: this machine"
    )
    each = []
    for count in (1, 10, 100, 1000):
        runs = []
        for _ in range(5):
            began = time.thread_time()
            await reply(parts, bodies, [{}] * count)
            runs.append((time.thread_time() - began) / count * 1e3)
        each.append((count, statistics.median(runs)))
    shown = "  ".join(f"{count}: {cost:.3f} ms" for count, cost in each)
    print(f"a call, by calls in a reply  {shown}  ratio 1000:10 {each[3][1] / each[1][1]:.2f}")


async def arriving(parts: Services, bodies: Bodies) -> None:
    """Measure eight calls that arrive 100 ms apart, the first taking 1 s, the others 50 ms."""
    late = []
    for _ in range(3):
        began = time.perf_counter()
        async with Executor(parts, bodies, Surroundings("/tmp")) as executor:
            for number in range(8):
                seconds = 1.0 if number == 0 else WAIT_SECONDS
                executor.submit(ToolUse(f"c{number}", "Work", {"seconds": seconds}))
                if number < 7:
                    await anyio.sleep_until(anyio.current_time() + 0.1)
            await executor.drain()
        late.append((time.perf_counter() - began - 1.0) * 1e3)
    print(f"8 calls 100 ms apart         finished {min(late):.1f} ms after the ideal (bar 15)")


async def many_waiting(parts: Services, bodies: Bodies) -> None:
    """Measure 1,000 calls of 50 ms at once against one bare task each."""

    async def bare() -> None:
        await anyio.sleep(WAIT_SECONDS)

    floors, ours = [], []
    for _ in range(5):
        began = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(1000):
                group.start_soon(bare)
        floors.append(time.perf_counter() - began)
        began = time.perf_counter()
        await reply(parts, bodies, [{"seconds": WAIT_SECONDS}] * 1000)
        ours.append(time.perf_counter() - began)
    ratio = statistics.median(ours) / statistics.median(floors)
    shown = (
        f"{statistics.median(ours) * 1e3:.0f} ms, floor {statistics.median(floors) * 1e3:.0f} ms"
    )
    print(f"1,000 calls of 50 ms at once {shown}  ratio {ratio:.2f} (bar 4)")


async def mixed(parts: Services, bodies: Bodies, folder: str) -> None:
    """Measure edits of different files and reads against their critical path."""
    calls: list[dict[str, object]] = []
    for number in range(6):
        file = f"{folder}/{number}.txt"
        calls.append({"seconds": WAIT_SECONDS, "write": file})
        calls.append({"seconds": WAIT_SECONDS, "read": file})
    calls.append({"seconds": WAIT_SECONDS, "read": f"{folder}/other.txt"})
    began = time.perf_counter()
    await reply(parts, bodies, calls)
    reached = (time.perf_counter() - began) * 1e3
    one_by_one_ms = len(calls) * WAIT_SECONDS * 1e3
    critical = 2 * WAIT_SECONDS * 1e3
    print(
        f"6 edits each with its read   {reached:.0f} ms; critical path {critical:.0f} ms,"
        f" one by one {one_by_one_ms:.0f} ms"
    )


async def memory(parts: Services, bodies: Bodies) -> None:
    """Measure what stays of 50 results of 1 MB."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = await reply(parts, bodies, [{"chars": 1_000_000}] * 50, cap=1)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(
        f"50 results of 1 MB, spilled  {(after - before) / 1e6:.1f} MB stay"
        f" with {len(kept.answers())} answers"
    )


async def main() -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as folder:
        parts = services(folder)
        async with Bodies() as bodies:
            await one_by_one(parts, bodies)
            await arriving(parts, bodies)
            await many_waiting(parts, bodies)
            await mixed(parts, bodies, folder)
            await memory(parts, bodies)


if __name__ == "__main__":
    anyio.run(main)
