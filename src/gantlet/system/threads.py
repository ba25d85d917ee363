"""Run a blocking function beside the event loop, in a thread the program need not wait for."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import anyio

_T = TypeVar("_T")


class _Errand(Generic[_T]):
    """One function's run in a thread, and where its answer goes."""

    def __init__(self, function: Callable[[], _T]) -> None:
        self._function = function
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[_T] = self._loop.create_future()

    def run(self) -> None:
        """Run the function and hand its answer to the loop; a loop that is gone gets none."""
        try:
            value = self._function()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is awaited
            self._hand_over(self._fail, error)
        else:
            self._hand_over(self._succeed, value)

    def _hand_over(self, settle: Callable[..., None], value: object) -> None:
        """Settle the answer in the loop's own thread."""
        try:
            self._loop.call_soon_threadsafe(settle, value)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    def _succeed(self, value: _T) -> None:
        """Give the value to whoever waits."""
        if not self._answer.done():
            self._answer.set_result(value)

    def _fail(self, error: BaseException) -> None:
        """Give the failure to whoever waits."""
        if isinstance(error, StopIteration):
            error = RuntimeError(f"the function raised {error!r}")
        if not self._answer.done():
            self._answer.set_exception(error)

    async def answer(self) -> _T:
        """Wait for the answer, cancelled or not: a thread cannot be stopped."""
        with anyio.CancelScope(shield=True):
            await asyncio.wait([self._answer])
        return self._answer.result()


async def run_in_thread(function: Callable[[], _T]) -> _T:
    """Run `function` in a thread of its own and return its answer.

    A cancelled caller still waits, because the thread goes on whatever we do. Whoever will not wait
    longer abandons the wait; the thread is a daemon and never keeps the program alive.
    """
    errand = _Errand(function)
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(errand.run,), name="gantlet tool", daemon=True
    )
    thread.start()
    return await errand.answer()


def in_loop_thread(function: Callable[[_T], None]) -> Callable[[_T], None]:
    """Return a function for other threads that runs `function` in this event loop's thread."""
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()

    def hand_over(value: _T) -> None:
        try:
            loop.call_soon_threadsafe(function, value, context=context)
        except RuntimeError:  # the loop is closed: nobody listens any more
            return

    return hand_over
