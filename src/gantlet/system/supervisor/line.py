"""The line to one keeper: requests go there, news come back."""

import json
import socket
import struct
import threading
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress

from gantlet.system.supervisor.pump import Pump
from gantlet.system.supervisor.running import Running

HEADER = struct.Struct("!IB")
REQUEST, WORD = 0, 1
SEND_SECONDS = 10.0
_READ_BYTES = 1 << 16


def send(line: socket.socket, kind: int, message: object, descriptors: Sequence[int] = ()) -> None:
    """Send a message with its descriptors.

    Raises:
        OSError: Nobody listens.
    """
    body = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))]
    line.sendmsg([HEADER.pack(len(body), kind)], rights if descriptors else [])
    line.sendall(body)


class Line:
    """A keeper as we see it. It keeps one command at a time, and is free again afterwards."""

    def __init__(
        self,
        line: socket.socket,
        pump: Pump,
        on_free: Callable[["Line"], None],
        on_lost: Callable[["Line"], None],
    ) -> None:
        self._socket = line
        self._pump = pump
        self._on_free = on_free
        self._on_lost = on_lost
        self._lock = threading.Lock()
        self._telling = threading.Lock()  # what comes first is told first
        self._heard = b""
        self._number = 0
        self._running: Running | None = None
        self.is_lost = False
        line.settimeout(SEND_SECONDS)
        pump.watch(line, self._read)

    @property
    def command_pid(self) -> int:
        """The process of the command that is kept, or 0 if there is none."""
        running = self._running
        return running.pid if running is not None else 0

    def begin(self, request: dict[str, object], descriptors: Sequence[int]) -> None:
        """Ask for a command.

        Raises:
            OSError: The keeper is gone.
        """
        self._number += 1
        self._send(REQUEST, {**request, "number": self._number}, descriptors)

    def attach(self, running: Running) -> None:
        """Have a command told what the keeper tells from now on, and what it has told already."""
        with self._lock:
            self._running = running
        self._take(b"")

    def say(self, word: str, seconds: float = 0.0) -> None:
        """Send a word about the command; nobody may be there to hear it."""
        with suppress(OSError):
            self._send(WORD, {"word": word, "seconds": seconds, "number": self._number}, ())

    def close(self) -> None:
        """Let go of the keeper, which ends its command and itself."""
        with self._lock:
            if self.is_lost:
                return
            self.is_lost = True
        self._pump.forget(self._socket)
        self._socket.close()
        running, self._running = self._running, None
        if running is not None:
            running.finish()

    def _send(self, kind: int, message: object, descriptors: Sequence[int]) -> None:
        """Send a message, one at a time."""
        with self._lock:
            send(self._socket, kind, message, descriptors)

    def _read(self) -> None:
        """Read what the keeper tells."""
        try:
            data = self._socket.recv(_READ_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._take(data)
        else:
            self._on_lost(self)

    def _take(self, data: bytes) -> None:
        """Pass whole lines on to the command; without one, keep them."""
        with self._telling:
            self._tell(data)
            is_free = self._running is not None and self._running.gone.is_set()
            if is_free:
                self._running = None
        if is_free:
            self._on_free(self)

    def _tell(self, data: bytes) -> None:
        """Tell the command every whole line that has come."""
        with self._lock:
            self._heard += data
            if self._running is None:
                return
            *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            told = json.loads(line)
            running = self._running
            if running is not None and told["number"] == self._number:
                running.note(told)
