"""The tasks that run calls: one task takes many of them, one after the other, while none waits.

A task is the dearest part of a call that ends at once. So whoever runs a call goes on with the next
one when it ends, and as soon as it waits another task takes over what is left.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from itertools import count
from typing import Any, TypeAlias

import anyio
from anyio._backends._asyncio import _task_states
from anyio.abc import TaskGroup

Run: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class _Shift:
    """One run, in a context of its own. Await it once; says whether it had to wait."""

    def __init__(self, run: Run, context: Context, hand_over: Callable[[], None]) -> None:
        self._run = run
        self._context = context
        self._hand_over = hand_over

    def __await__(self) -> Generator[Any, Any, bool]:
        coroutine = self._run()
        enter = self._context.run
        try:
            awaited = enter(coroutine.send, None)
        except StopIteration:
            return False
        self._hand_over()
        while True:
            try:
                try:
                    sent = yield awaited
                except BaseException as error:  # noqa: BLE001 - it belongs to the run
                    awaited = enter(coroutine.throw, error)
                else:
                    awaited = enter(coroutine.send, sent)
            except StopIteration:
                return True


class Runners:
    """Runs what is started, each thing as if in a task of its own, in the order it was started."""

    def __init__(self, group: TaskGroup) -> None:
        self._group = group
        self._waiting: deque[tuple[Run, Context]] = deque()
        self._running: dict[int, anyio.TaskHandle[None]] = {}
        self._numbers = count()
        self._taker = -1  # which of them takes what waits
        self._one_ended = anyio.Event()
        self._is_closing = False

    def start(self, run: Run) -> None:
        """Have something run, once whoever asks waits for something."""
        self._waiting.append((run, copy_context()))
        if self._taker < 0:
            self._add_taker()

    async def close(self) -> None:
        """Cancel what runs, and what is still to begin as soon as it does; wait for their end."""
        self._is_closing = True
        for handle in self._running.values():
            handle.cancel()
        while self._running:
            self._one_ended = anyio.Event()
            await self._one_ended.wait()

    def _add_taker(self) -> None:
        """Let one more task take what waits."""
        self._taker = number = next(self._numbers)
        self._running[number] = handle = self._group.create_task(self._take(number))
        if self._is_closing:
            handle.cancel()

    async def _take(self, number: int) -> None:
        """Run what waits until one of them waits itself, or was cancelled: then another goes on."""
        task = asyncio.current_task()
        assert task is not None
        scope = scope_of(task)
        assert scope is not None
        if anyio.current_effective_deadline() == -math.inf:
            scope.cancel()  # so that whoever wants to know need not ask those around it
        try:
            while self._waiting:
                run, context = self._waiting.popleft()
                if await _Shift(run, context, self._hand_over):
                    return
                if scope.cancel_called or task.cancelling():
                    return
        finally:
            del self._running[number]
            if self._taker == number:
                self._hand_over()
            self._one_ended.set()

    def _hand_over(self) -> None:
        """Leave what waits to another task, if anything does."""
        self._taker = -1
        if self._waiting:
            self._add_taker()


def scope_of(task: "asyncio.Task[Any]") -> anyio.CancelScope | None:
    """Return the innermost scope that a task is in. There is no public way to ask."""
    state = _task_states.get(task)
    return None if state is None else state.cancel_scope
