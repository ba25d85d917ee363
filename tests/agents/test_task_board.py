"""News of tasks in the background reach whoever idles, those that come together in one piece."""

from dataclasses import dataclass

import anyio
import pytest

from gantlet.agents.background import GATHERING_SECONDS, TaskBoard
from gantlet.testing import VirtualClock
from gantlet.tool.background import TaskStatus

pytestmark = pytest.mark.anyio


@dataclass
class PaperTask:
    """A task that ends when the test says so."""

    id: str
    status: TaskStatus = TaskStatus.RUNNING
    kind: str = "local_bash"
    description: str = "does nothing"
    exit_code: int | None = None
    output_path: str = ""

    def output(self, max_chars: int) -> str:
        return ""

    def new_output(self, max_chars: int) -> str:
        return ""

    async def wait(self) -> None:
        raise NotImplementedError

    async def stop(self) -> None:
        raise NotImplementedError


class Bench:
    """A board with eight tasks, somebody who idles, and what they were told each time they woke."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.board = TaskBoard(self.clock)
        self.tasks = [PaperTask(f"task-{number}") for number in range(8)]
        self.told: list[list[str]] = []
        for task in self.tasks:
            self.board.add(task)

    def end(self, number: int) -> None:
        self.tasks[number].status = TaskStatus.COMPLETED
        self.board.tell(f"{number} ended")

    async def idle(self) -> None:
        while True:
            await self.board.wait_for_urgent_news()
            self.told.append(self.board.take_news())


async def test_tasks_that_end_together_wake_whoever_idles_once() -> None:
    bench = Bench()

    async with anyio.create_task_group() as group:
        group.start_soon(bench.idle)
        for number in range(7):
            await anyio.wait_all_tasks_blocked()
            bench.end(number)
        await anyio.wait_all_tasks_blocked()
        before = list(bench.told)
        await bench.clock.advance(GATHERING_SECONDS)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()

    assert before == []
    assert bench.told == [[f"{number} ended" for number in range(7)]]


async def test_the_last_task_is_told_at_once() -> None:
    bench = Bench()
    for number in range(8):
        bench.end(number)

    async with anyio.create_task_group() as group:
        group.start_soon(bench.idle)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()

    assert bench.told == [[f"{number} ended" for number in range(8)]]


async def test_what_is_not_urgent_wakes_nobody_and_is_told_with_the_rest() -> None:
    bench = Bench()

    async with anyio.create_task_group() as group:
        group.start_soon(bench.idle)
        bench.board.tell("stopped", is_urgent=False)
        await anyio.wait_all_tasks_blocked()
        await bench.clock.advance(GATHERING_SECONDS)
        await anyio.wait_all_tasks_blocked()
        before = list(bench.told)
        for number in range(8):
            bench.end(number)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()

    assert before == []
    assert bench.told == [["stopped", *(f"{number} ended" for number in range(8))]]
