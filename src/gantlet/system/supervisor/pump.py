"""One thread that reads whatever running commands send, whether an event loop runs or not."""

import selectors
import socket
import threading
from collections.abc import Callable
from typing import Protocol

#: How long the thread stays when there is nothing to read.
_LINGER_SECONDS = 5.0


class Readable(Protocol):
    """Something with a descriptor."""

    def fileno(self) -> int:
        """Return the descriptor."""


class Pump:
    """Calls a function each time a descriptor can be read, in a thread of its own.

    The thread starts when there is something to read, and ends when there has been nothing for some
    time. It is a daemon: it never keeps the program alive.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._waked, self._waker = socket.socketpair()
        self._waked.setblocking(False)
        self._selector.register(self._waked, selectors.EVENT_READ, self._drain)
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def watch(self, readable: int | Readable, on_ready: Callable[[], object]) -> None:
        """Call a function, in the pump's thread, each time there is something to read."""
        with self._lock:
            self._selector.register(readable, selectors.EVENT_READ, on_ready)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gantlet pump", daemon=True)
                self._thread.start()

    def forget(self, readable: int | Readable) -> None:
        """Stop watching a descriptor; more than once is no harm."""
        with self._lock:
            if not self._is_closed:
                try:
                    self._selector.unregister(readable)
                except (KeyError, ValueError):
                    return

    def close(self) -> None:
        """End the thread."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            thread, self._thread = self._thread, None
        self._waker.close()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self._selector.close()
        self._waked.close()

    def _run(self) -> None:
        """Read until there is nothing left to watch."""
        while not self._is_closed:
            events = self._selector.select(_LINGER_SECONDS)
            for key, _ in events:
                key.data()
            if not events and self._is_idle():
                return

    def _is_idle(self) -> bool:
        """Return whether there is nothing to watch; then a new thread is needed for the next."""
        with self._lock:
            idle = len(self._selector.get_map()) <= 1
            if idle and not self._is_closed:
                self._thread = None
            return idle

    def _drain(self) -> None:
        """Take note that the pump is closed."""
