"""Time that a test owns: it stands still until everything waits, then jumps to what comes next."""

import asyncio
import heapq
import itertools
from collections import deque
from types import TracebackType
from typing import Any, Self, TypeAlias
from weakref import WeakSet

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint

_Tasks: TypeAlias = "WeakSet[asyncio.Task[Any]]"

_NOTHING: deque[object] = deque()
#: How often in a row nothing may be seen to run before it is believed: a task can be about to be
#: woken by callbacks of callbacks, which cannot be seen.
_QUIET_ROUNDS = 10
#: Tasks that only watch the others: those that settle, and those that move a clock after that.
_settling: _Tasks = WeakSet()
_moving: _Tasks = WeakSet()


class VirtualClock:
    """A clock for tests. Inside `async with clock:` time moves by itself whenever nothing else can.

    Without the context, `advance` moves it by hand. Work in threads is not seen: a test with this
    clock should not depend on it.
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._sleepers: list[tuple[float, int, anyio.Event]] = []
        self._order = itertools.count()
        self._groups: list[TaskGroup] = []

    async def __aenter__(self) -> Self:
        group = anyio.create_task_group()
        await group.__aenter__()
        self._groups.append(group)
        group.start_soon(self._move_by_itself)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        group = self._groups.pop()
        group.cancel_scope.cancel()
        return await group.__aexit__(kind, error, trace)

    def now(self) -> float:
        """Return the time."""
        return self._now

    @property
    def next_moment(self) -> float | None:
        """The next moment for which somebody waits, or None."""
        return self._sleepers[0][0] if self._sleepers else None

    async def sleep_until(self, when: float) -> None:
        """Wait until the clock shows `when`."""
        if when <= self._now:
            await checkpoint()
            return
        due = anyio.Event()
        sleeper = (when, next(self._order), due)
        heapq.heappush(self._sleepers, sleeper)
        try:
            await due.wait()
        finally:
            if not due.is_set():  # whoever gave up waiting must not make time jump
                self._sleepers.remove(sleeper)
                heapq.heapify(self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Wait for so many of the clock's seconds."""
        await self.sleep_until(self._now + seconds)

    async def advance(self, seconds: float) -> None:
        """Move time on, waking sleepers in order.

        After each, everything runs until it waits again.
        """
        target = self._now + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            self._wake_next()
            await settle()
        self._now = target

    async def _move_by_itself(self) -> None:
        """Jump to the next sleeper whenever everything waits."""
        me = asyncio.current_task()
        assert me is not None
        _moving.add(me)
        while True:
            await _until_quiet(me, (_moving,))
            if self._sleepers:
                self._wake_next()
            else:
                await asyncio.sleep(0.001)  # something outside, such as a thread, must move first

    def _wake_next(self) -> None:
        """Jump to the next moment and wake all who sleep until then."""
        when = self._sleepers[0][0]
        self._now = max(self._now, when)
        while self._sleepers and self._sleepers[0][0] <= when:
            heapq.heappop(self._sleepers)[2].set()


async def settle() -> None:
    """Let every other task run until it waits for something. Time does not move meanwhile."""
    me = asyncio.current_task()
    assert me is not None
    _settling.add(me)
    try:
        await _until_quiet(me, (_settling, _moving))
    finally:
        _settling.discard(me)


async def _until_quiet(me: "asyncio.Task[Any]", watchers: tuple[_Tasks, ...]) -> None:
    """Wait until no task would run but those that only watch, too."""
    loop = asyncio.get_running_loop()
    quiet_rounds = 0
    while quiet_rounds < _QUIET_ROUNDS:
        await checkpoint()
        if getattr(loop, "_ready", None) == _NOTHING:
            return  # nothing at all is about to run: no task and no callback
        running = any(
            task is not me and _can_run(task) and not any(task in those for those in watchers)
            for task in asyncio.all_tasks()
        )
        quiet_rounds = 0 if running else quiet_rounds + 1


def _can_run(task: "asyncio.Task[Any]") -> bool:
    """Return whether a task would run if it were given the chance."""
    waiter = getattr(task, "_fut_waiter", None)
    return not task.done() and (waiter is None or waiter.done())
