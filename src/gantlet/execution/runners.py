"""The tasks that run calls: one task takes many of them, one after the other, while none waits.

A task is the dearest part of a call that ends at once. So whoever runs a call goes on with the next
one when it ends, and as soon as it waits another task takes over what is left. Another task takes
over, too, where the next call could feel what the last one left behind in the task itself.
"""

import asyncio
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from itertools import count
from typing import Any, TypeAlias

import anyio
from anyio._backends._asyncio import _task_states
from anyio.abc import TaskGroup

#: For how long one task goes on before it lets everybody else work: a reader, a surface, Ctrl-C.
_MAX_SECONDS = 0.01
_stretches = count(1)


class Host:
    """A task, and the innermost scope that it was in when something began to run there.

    Attributes:
        stretch: The same number as long as nobody else has had a turn, and nothing that may change
            things has run. Whoever looked at something in this stretch need not look again.
    """

    __slots__ = ("_state", "scope", "stretch", "task")

    def __init__(self, task: "asyncio.Task[Any]") -> None:
        self.task = task
        self.stretch = next(_stretches)
        self._state = state = _task_states.get(task)
        self.scope: anyio.CancelScope | None = None if state is None else state.cancel_scope

    @classmethod
    def current(cls) -> "Host":
        """Return the task that is running."""
        task = asyncio.current_task()
        assert task is not None
        return cls(task)

    @property
    def innermost(self) -> anyio.CancelScope | None:
        """The innermost scope that the task is in now. There is no public way to ask."""
        state = self._state
        if state is None:  # it had never been in one
            self._state = state = _task_states.get(self.task)
        return None if state is None else state.cancel_scope

    def end_stretch(self) -> None:
        """Take note that something may have changed."""
        self.stretch = next(_stretches)

    def is_as_it_was(self, asked: int) -> bool:
        """Return whether the task is in no further scope, and was not asked to end more often."""
        task, state = self.task, self._state
        innermost = self.innermost if state is None else state.cancel_scope
        if innermost is not self.scope:
            return False
        must_cancel: bool = task._must_cancel  # type: ignore[attr-defined]  # no public way
        return task.cancelling() <= asked and not must_cancel


#: What is run: it returns nothing if it ended at once, or else what is left to do.
Run: TypeAlias = Callable[[Host], Coroutine[Any, Any, None] | None]


class _Rest:
    """What is left of a run that does not end at once, in a context of its own. Await it once."""

    def __init__(self, rest: Coroutine[Any, Any, None], context: Context, awaited: object) -> None:
        self._rest = rest
        self._context = context
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, None]:
        enter, rest, awaited = self._context.run, self._rest, self._awaited
        while True:
            try:
                try:
                    sent = yield awaited
                except BaseException as error:  # noqa: BLE001 - it belongs to the run
                    awaited = enter(rest.throw, error)
                else:
                    awaited = enter(rest.send, sent)
            except StopIteration:
                return


class Runners:
    """Runs what is started, each thing as if in a task of its own, in the order it was started."""

    def __init__(self, group: TaskGroup) -> None:
        self._group = group
        self._waiting: deque[tuple[Run, Context]] = deque()
        self._running: dict[int, anyio.CancelScope] = {}
        self._unbegun: dict[int, Coroutine[Any, Any, None]] = {}
        self._numbers = count()
        self._taker = -1  # which of them takes what waits
        self._one_ended = anyio.Event()
        self._is_closing = False

    def start(self, run: Run, context: Context | None = None) -> None:
        """Have something run, once whoever asks waits for something; nobody else in `context`."""
        self._waiting.append((run, context or copy_context()))
        if self._taker < 0:
            self._add_taker()

    async def close(self) -> None:
        """Cancel what runs, and what is still to begin as soon as it does; wait for their end."""
        self._is_closing = True
        for scope in self._running.values():
            scope.cancel()
        if self._waiting:
            self._add_taker()  # the one there was may have been ended before it began
        while self._running or self._waiting:
            self._one_ended = anyio.Event()
            await self._one_ended.wait()

    def _add_taker(self) -> None:
        """Let one more task take what waits."""
        self._taker = number = next(self._numbers)
        self._unbegun[number] = taking = self._take(number)
        self._group.create_task(taking)

    def forget(self) -> None:
        """Drop the tasks that were ended before they began, once all are over."""
        while self._unbegun:
            self._unbegun.popitem()[1].close()

    async def _take(self, number: int) -> None:
        """Run what waits until one of them waits itself, or another task is better for the next."""
        host = Host.current()
        task, scope = host.task, host.scope
        assert scope is not None
        del self._unbegun[number]
        self._running[number] = scope
        if self._is_closing or is_cancelled():
            scope.cancel()  # so that whoever wants to know need not ask those around it
        until, holders = time.monotonic() + _MAX_SECONDS, sys.getrefcount(task)
        waiting = self._waiting
        try:
            while waiting:
                run, context = waiting.popleft()
                rest = context.run(run, host)
                if rest is not None and await self._wait_for(rest, context):
                    return
                if task.cancelling() or _is_ended(scope) or time.monotonic() > until:
                    return
                if sys.getrefcount(task) > holders:
                    return  # somebody may cancel the task for what has ended, as a timeout does
        finally:
            del self._running[number]
            if self._taker == number:
                self._hand_over()
            self._one_ended.set()

    async def _wait_for(self, rest: Coroutine[Any, Any, None], context: Context) -> bool:
        """Do what is left of a run; return whether it had to wait."""
        try:
            awaited = context.run(rest.send, None)
        except StopIteration:
            return False
        self._hand_over()
        await _Rest(rest, context, awaited)
        return True

    def _hand_over(self) -> None:
        """Leave what waits to another task, if anything does."""
        self._taker = -1
        if self._waiting:
            self._add_taker()


def _is_ended(scope: anyio.CancelScope) -> bool:
    """Return the same of the task that is in `scope`, without looking for it."""
    return scope._effectively_cancelled  # type: ignore[attr-defined,no-any-return]  # no public way


def is_cancelled() -> bool:
    """Return whether the current task is in a scope that was cancelled, however far out."""
    return anyio.current_effective_deadline() == -math.inf
