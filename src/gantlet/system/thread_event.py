"""An event that any thread can set, and any event loop can wait for."""

import asyncio
import threading


class ThreadEvent:
    """Set once, from any thread; waited for in any event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    def is_set(self) -> bool:
        """Return whether it has happened."""
        return self._is_set

    def set(self) -> None:
        """Let everybody go who waits, now and later."""
        with self._lock:
            self._is_set = True
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(_settle, future)
            except RuntimeError:  # the loop is closed: nobody waits any more
                continue

    async def wait(self) -> None:
        """Wait until it is set."""
        with self._lock:
            if self._is_set:
                return
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, future))
        await future


def _settle(future: "asyncio.Future[None]") -> None:
    """Let one waiter go."""
    if not future.done():
        future.set_result(None)
