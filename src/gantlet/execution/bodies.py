"""Where calls run.

In a group that belongs to the session, because one of them may refuse to end.
"""

import asyncio
import logging
from collections.abc import Coroutine, Generator
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
from anyio._backends._asyncio import is_anyio_cancellation

from gantlet.execution.deadlines import Deadlines
from gantlet.execution.foreign import EscapedError, is_ending
from gantlet.execution.runners import Host, Runners, is_cancelled
from gantlet.messages.value import value
from gantlet.system import Clock, RealClock

_log = logging.getLogger(__name__)

#: In place of what a coroutine waits for that has not been driven yet.
_NOT_BEGUN = object()

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
    drops it wherever it is, and the await raises `AbandonedError`. Whoever does not want to wait
    for one that ends at once begins it first.

    Attributes:
        has_waited: It has let others work since it began.
        value: What came of it, once it has ended.
    """

    value: _T
    has_waited = False
    _host: Host | None = None
    _asked = 0
    _whole: "Body[Any] | None" = None
    _part: "Body[Any] | None" = None
    _begun: Generator[Any, None, _T] | None = None
    _is_waiting = False
    _is_to_end = False
    _is_abandoned = False
    _was_woken = False
    _cancellations = 0

    def __init__(self, coroutine: Coroutine[Any, Any, _T]) -> None:
        self._coroutine = coroutine

    @property
    def has_begun(self) -> bool:
        """Whether it was begun, and is to be awaited."""
        return self._begun is not None

    @property
    def host(self) -> Host | None:
        """The task it runs in, while it runs."""
        return self._host

    @property
    def is_cancelled(self) -> bool:
        """Whether the scope around it was cancelled while it runs."""
        host = self._host
        return host is not None and host.scope is not None and host.scope.cancel_called

    def cancel(self) -> None:
        """Cancel the scope around it, if it runs."""
        if self._host is not None and self._host.scope is not None:
            self._host.scope.cancel()

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
        if self._host is not None and self._is_waiting and not was_abandoned:
            self._was_woken = self._host.task.cancel()

    def begin(self, host: Host, whole: "Body[Any] | None" = None) -> bool:
        """Take the first step now; return whether the body has ended with it, and has a value.

        If not, await it: it goes on from there. `whole` is the body of which it is a part: it is
        the part that is abandoned while it runs.
        """
        self._host, self._asked = host, host.task.cancelling()
        if whole is not None:
            self._whole, whole._part = whole, self
        try:
            self._begun = self._goes_on(host, self._coroutine.send(None))
        except StopIteration as end:
            self.value = end.value
            if not host.is_as_it_was(self._asked):
                self._begun = self._tidies_up(host)
        except BaseException as error:
            if isinstance(error, Exception) and host.is_as_it_was(self._asked):
                raise
            self._begun = self._tidies_up(host, error)
        finally:
            if self._begun is None:
                self._host = None
                if whole is not None:
                    whole._part = None
        return self._begun is None

    def drive(self, part: "Body[_Part]", host: Host | None = None) -> "Body[_Part]":
        """Return a part of this body to be awaited: the one to be abandoned while it runs.

        `host` is where it runs, if the scope around it is another than around this body.
        """
        if part._begun is None:
            part._whole, part._host = self, host or self._host
        return part

    def __await__(self) -> Generator[Any, None, _T]:
        steps = self._begun
        if steps is None:
            self._host = host = self._host or Host.current()
            self._asked = host.task.cancelling()
            if self._whole is not None:
                self._whole._part = self
            steps = self._goes_on(host)
        try:
            self.value = yield from steps
            return self.value
        finally:
            self._leave()

    def _leave(self) -> None:
        """Forget where the coroutine ran: whoever is there may hold whoever holds us."""
        self._host = self._begun = None
        if self._whole is not None:
            self._whole._part = None

    def _goes_on(self, host: Host, awaited: object = _NOT_BEGUN) -> Generator[Any, None, _T]:
        """Drive the coroutine to its end, from its beginning or from what it waits for."""
        thrown: BaseException | None = None
        while True:
            if awaited is not _NOT_BEGUN:
                thrown = yield from self._waited(host, awaited)
            try:
                awaited = (
                    self._coroutine.send(None) if thrown is None else self._coroutine.throw(thrown)
                )
            except StopIteration as end:
                value: _T = end.value
                if not host.is_as_it_was(self._asked):
                    yield from _tidied(host, self._asked)
                return value
            except BaseException as error:
                try:
                    if not isinstance(thrown, GeneratorExit):  # or we are being cleared away
                        yield from _tidied(host, self._asked, error, thrown)
                finally:
                    thrown = None  # it holds this frame
                raise

    def _tidies_up(
        self, host: Host, error: BaseException | None = None
    ) -> Generator[Any, None, _T]:
        """Undo what the coroutine has left behind, and end as it did."""
        try:
            yield from _tidied(host, self._asked, error)
            if error is not None:
                raise error
        finally:
            del error  # it would hold this frame, which holds it
        return self.value

    def _waited(self, host: Host, awaited: object) -> Generator[Any, None, BaseException | None]:
        """Wait for what the coroutine waits for; return what it is to be told of it."""
        try:
            self._is_waiting = self.has_waited = True
            yield awaited
        except asyncio.CancelledError as cancellation:
            if self._is_given_up():
                self._drop(host)
                raise AbandonedError from None
            return cancellation
        except BaseException as error:  # noqa: BLE001 - it belongs to the coroutine
            return error
        finally:
            self._is_waiting = False
        return None

    def _is_given_up(self) -> bool:
        """Return whether a cancellation is the last thing the coroutine was to see."""
        if self._part is not None:
            return False
        self._cancellations += self._is_to_end
        return self._is_abandoned or self._cancellations > _MAX_CANCELLATIONS

    def _drop(self, host: Host) -> None:
        """Close the coroutine, or keep it for ever if it will not be closed."""
        if self._was_woken:
            host.task.uncancel()
        _close(self._coroutine)
        _leave_scopes(host)


def _tidied(
    host: Host,
    asked: int,
    error: BaseException | None = None,
    thrown: BaseException | None = None,
) -> Generator[Any, None, None]:
    """Undo what a coroutine did to the task it ran in and left behind there.

    `error` is what it ended with, `thrown` is what it was told last: that may come back.

    Raises:
        CancelledError: The coroutine was cancelled, and the error came in place of that.
        EscapedError: It was not, but ended as if: it closed itself, or was cancelled by a scope
            which it left open.
    """
    has_left_scopes = host.innermost is not host.scope
    if has_left_scopes:
        _log.error("A call left a scope or a group of tasks open; what ran in it is ended.")
        _leave_scopes(host)
    if error is None or isinstance(error, Exception):
        yield from _uncancelled(host, asked)
        return
    if not is_ending(error):
        return
    yield from _uncancelled(host, asked)
    while is_cancelled():
        if error is thrown or _is_ours(error):
            return
        yield  # until ours comes: a scope knows no other
    if has_left_scopes or not isinstance(error, asyncio.CancelledError):
        raise EscapedError(error) from error


def _is_ours(error: BaseException) -> bool:
    """Return whether an error is a cancellation by a scope."""
    return isinstance(error, asyncio.CancelledError) and is_anyio_cancellation(error)


def _uncancelled(host: Host, asked: int) -> Generator[Any, None, None]:
    """Take back that a coroutine asked its own task to end."""
    if host.is_as_it_was(asked) or is_cancelled():
        return
    while host.task.cancelling() > asked:
        host.task.uncancel()
    if not host.is_as_it_was(asked):
        with suppress(asyncio.CancelledError):
            yield


def _leave_scopes(host: Host) -> None:
    """Leave the scopes that a coroutine entered and never will leave; end what runs in them."""
    while (scope := host.innermost) is not None and scope is not host.scope:
        scope.cancel()
        scope.__exit__(None, None, None)


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
        self._runners = Runners(self._group)
        #: Runs something in the session's group; in a context that nobody else uses, if given.
        self.start = self._runners.start
        #: Whether the session ends, so that nothing may start any more.
        self.is_closing = False

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
        self.is_closing = True
        for body in self._driven:
            self._end(body)
        with anyio.CancelScope(shield=True):
            await self._runners.close()
        self._watching.cancel()
        self._group.cancel_scope.cancel()
        try:
            return await self._group.__aexit__(kind, error, trace)
        finally:
            self._runners.forget()

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
