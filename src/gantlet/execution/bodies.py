"""Where calls run.

In a group that belongs to the session, because one of them may refuse to end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from itertools import count
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
from anyio._backends._asyncio import _task_states

from gantlet.execution.deadlines import Deadlines
from gantlet.messages.value import value
from gantlet.system import Clock, RealClock

_T = TypeVar("_T")
_Part = TypeVar("_Part")

#: A body that was asked to end and cancelled this often will never stop by itself.
_MAX_CANCELLATIONS = 100
#: How often a coroutine is closed before it counts as one that cannot be.
_MAX_CLOSINGS = 10


class AbandonedError(Exception):
    """A body would not stop, and is not waited for any longer."""


class TimedOutError(Exception):
    """A body took longer than its tool allows, and was stopped."""


@value
class Abandoned:
    """A call whose body would not stop."""

    call_id: str
    tool_name: str


class Body(Generic[_T]):
    """A coroutine, driven step by step, so that it can be dropped if it will not end.

    Await it once. Cancelling the surrounding scope cancels the coroutine as usual; `abandon`
    drops it wherever it is, and the await raises `AbandonedError`.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, _T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[Any] | None = None
        self._part: Body[Any] | None = None
        self._is_waiting = False
        self._is_to_end = False
        self._is_abandoned = False
        self._was_woken = False
        self._cancellations = 0

    @property
    def is_in_part(self) -> bool:
        """Whether a part of it runs just now."""
        return self._part is not None

    def ask_to_end(self) -> None:
        """Take note that whatever surrounds the coroutine is cancelled: soon it must be over.

        Its own timeouts cancel it, too. Only from now on is it a sign of bad will if it goes on.
        """
        self._is_to_end = True
        if self._part is not None:
            self._part.ask_to_end()

    def abandon(self) -> None:
        """Stop waiting for the coroutine, or for the part that it drives just now.

        Does nothing once it has ended.
        """
        if self._part is not None:
            self._part.abandon()
            return
        was_abandoned, self._is_abandoned = self._is_abandoned, True
        if self._task is not None and self._is_waiting and not was_abandoned:
            self._was_woken = self._task.cancel()

    async def drive(self, part: "Body[_Part]") -> _Part:
        """Await a part of this body, which is the one to be abandoned while it runs.

        Raises:
            AbandonedError: It would not stop.
        """
        self._part = part
        try:
            return await part
        finally:
            self._part = None

    def __await__(self) -> Generator[Any, None, _T]:
        self._task = task = asyncio.current_task()
        assert task is not None
        scope = _scope_of(task)
        thrown: BaseException | None = None
        while True:
            try:
                awaited = (
                    self._coroutine.send(None) if thrown is None else self._coroutine.throw(thrown)
                )
            except StopIteration as end:
                self._task = None  # the task may hold whoever holds us
                value: _T = end.value
                return value
            thrown = None
            try:
                self._is_waiting = True
                yield awaited
            except asyncio.CancelledError as cancellation:
                if self._is_given_up():
                    self._drop(task, scope)
                    raise AbandonedError from None
                thrown = cancellation
            except BaseException as error:  # noqa: BLE001 - it belongs to the coroutine
                thrown = error
            finally:
                self._is_waiting = False

    def _is_given_up(self) -> bool:
        """Return whether a cancellation is the last thing the coroutine was to see."""
        if self._part is not None:
            return False
        self._cancellations += self._is_to_end
        return self._is_abandoned or self._cancellations > _MAX_CANCELLATIONS

    def _drop(self, task: "asyncio.Task[Any]", outer: anyio.CancelScope | None) -> None:
        """Close the coroutine, or keep it for ever if it will not be closed."""
        if self._was_woken:
            task.uncancel()
        _close(self._coroutine)
        while (scope := _scope_of(task)) is not None and scope is not outer:
            scope.__exit__(None, None, None)  # the coroutine will never leave it


def _scope_of(task: "asyncio.Task[Any]") -> anyio.CancelScope | None:
    """Return the innermost scope that a task is in. There is no public way to ask."""
    state = _task_states.get(task)
    return None if state is None else state.cancel_scope


def _close(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Close a coroutine and those it awaits, as often as it takes."""
    parts: list[Any] = []
    alive: list[Any] = []
    for _ in range(_MAX_CLOSINGS):
        parts += (part for part in _chain(coroutine) if part not in parts)
        alive = [part for part in parts if _is_alive(part)]
        if not alive:
            return
        for part in alive:
            with suppress(BaseException):  # whatever it says, nobody listens any longer
                part.close()
    for part in alive:
        _keep_for_ever(part)


def _keep_for_ever(part: object) -> None:
    """Let nobody collect a coroutine that will not be closed, not even when the program ends.

    Collecting it would close it once more, and one that swallows everything and finds no event loop
    any longer would never come back from that.
    """
    import ctypes  # noqa: PLC0415 - heavy, and almost never needed

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(part))


def _chain(coroutine: object) -> list[object]:
    """Return a coroutine and those it awaits, outermost first."""
    chain: list[object] = []
    while coroutine is not None and hasattr(coroutine, "close"):
        chain.append(coroutine)
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    return chain


def _is_alive(part: object) -> bool:
    """Return whether a coroutine or generator is neither at its end nor closed."""
    return (
        getattr(part, "cr_frame", None) is not None or getattr(part, "gi_frame", None) is not None
    )


class Bodies:
    """The session's group of running calls, its deadlines, and the list of those given up on."""

    def __init__(self, clock: Clock | None = None, grace_seconds: float = 5.0) -> None:
        self.clock = clock or RealClock()
        self.deadlines = Deadlines(self.clock)
        self.grace_seconds = grace_seconds
        self.abandoned: list[Abandoned] = []
        self._group = anyio.create_task_group()
        self._watching = anyio.CancelScope(shield=True)
        self._driven: set[Body[Any]] = set()
        self._running: dict[int, anyio.TaskHandle[None]] = {}
        self._numbers = count()
        self._one_ended = anyio.Event()
        self._is_closing = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.start_soon(self._watch)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """End every call: ask, wait the grace, then go without those that stay."""
        self._is_closing = True
        for handle in self._running.values():
            handle.cancel()
        for body in self._driven:
            self._end(body)
        with anyio.CancelScope(shield=True):
            while self._running:
                self._one_ended = anyio.Event()
                await self._one_ended.wait()
        self._watching.cancel()
        self._group.cancel_scope.cancel()
        return await self._group.__aexit__(kind, error, trace)

    @property
    def is_closing(self) -> bool:
        """Whether the session ends, so that nothing may start any more."""
        return self._is_closing

    def start(self, run: Callable[[], Awaitable[None]]) -> None:
        """Run something in the session's group."""
        number = next(self._numbers)
        self._running[number] = self._group.create_task(self._run(run, number))

    async def _run(self, run: Callable[[], Awaitable[None]], number: int) -> None:
        """Run it and take note of its end."""
        try:
            await run()
        finally:
            del self._running[number]
            self._one_ended.set()

    async def _watch(self) -> None:
        """Keep the deadlines to the very end, also when everything around is cancelled."""
        with self._watching:
            await self.deadlines.watch()

    async def drive(self, body: Body[_T]) -> _T:
        """Await a body, and know of it while it runs.

        Raises:
            AbandonedError: It would not stop.
        """
        self._driven.add(body)
        try:
            return await body
        finally:
            self._driven.discard(body)

    def _end(self, body: Body[Any]) -> None:
        """Ask a body to end, and give up on it when its grace is over."""
        body.ask_to_end()
        self.deadlines.after(self.grace_seconds, body.abandon)
