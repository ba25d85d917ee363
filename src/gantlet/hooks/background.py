"""Hooks that go on while the turn does, and what they leave running. Each has an owner."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup

from gantlet.system import ChildStarter, Leftover

#: How long hooks in the background may still take when the session ends.
LAST_SECONDS = 1.5
_GRACE_SECONDS = 0.5
_LOOK_SECONDS = 0.5


class Background:
    """Work that nobody waits for. Leaving the context gives it a last moment, then ends it."""

    def __init__(self, last_seconds: float = LAST_SECONDS) -> None:
        self._last_seconds = last_seconds
        self._tasks: TaskGroup | None = None
        self._left: set[Leftover] = set()
        self._starter: ChildStarter | None = None
        self._unfinished = 0
        self._done = anyio.Event()

    @property
    def is_open(self) -> bool:
        """Whether work can be handed over."""
        return self._tasks is not None

    async def __aenter__(self) -> Self:
        self._tasks = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Wait a moment for what still runs, then end it, with the processes that were left."""
        tasks, self._tasks = self._tasks, None
        assert tasks is not None
        if error is None:
            await self._finish()
        tasks.cancel_scope.cancel()
        try:
            return await tasks.__aexit__(kind, error, trace)
        finally:
            await self._end_left()

    async def _end_left(self) -> None:
        """End the processes that were left, and whoever started them."""
        for left in self._left:
            await left.end(_GRACE_SECONDS)
        self._left.clear()
        starter, self._starter = self._starter, None
        if starter is not None:
            await starter.close()

    async def _finish(self) -> None:
        """Wait for the work, for a moment."""
        with anyio.move_on_after(self._last_seconds):
            while self._unfinished:
                self._done = anyio.Event()
                await self._done.wait()

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something while the turn goes on."""
        if self._tasks is None:
            raise RuntimeError("There is no background: open it first.")
        self._unfinished += 1
        self._tasks.start_soon(self._run, work)

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do it and take note of its end."""
        try:
            await work()
        finally:
            self._unfinished -= 1
            self._done.set()

    def starter(self, make: Callable[[], ChildStarter]) -> ChildStarter:
        """Return what starts the programs of hooks, made when first needed. It ends with us."""
        if self._tasks is None:
            raise RuntimeError("There is no background: open it first.")
        if self._starter is None:
            self._starter = make()
        return self._starter

    def keep(self, left: Leftover, seconds: float) -> None:
        """Own processes that a hook left running: end them at its deadline, or with the session."""
        if self._tasks is None:
            raise RuntimeError("There is no background: open it first.")
        self._left.add(left)
        self._tasks.start_soon(self._end_later, left, seconds)

    async def _end_later(self, left: Leftover, seconds: float) -> None:
        """End what was left when its time is over; forget it soon if it has ended by itself."""
        with anyio.move_on_after(seconds):
            while left.is_alive():  # noqa: ASYNC110 - nobody is told when an orphan ends
                await anyio.sleep(_LOOK_SECONDS)
        self._left.discard(left)
        await left.end(_GRACE_SECONDS)
