"""Standard output for programs: whole lines, written beside the event loop, none lost."""

import asyncio
import errno
import os
import queue
import select
import threading
from collections.abc import Callable, Mapping

from gantlet.messages import JsonValue, dumps

#: How long a reader that does not read is waited for at the end.
DRAIN_SECONDS = 30.0
#: The longest line; readers have a bound of about a mebibyte for theirs.
MAX_LINE_BYTES = 1_000_000
_CUT = "… [cut: the line would have been longer than readers take]"
_END = None


class Outlet:
    """Writes lines to a descriptor, in order.

    In an event loop, the lines of one moment are written together at its end. What could block is
    written from a thread. One thread puts lines in. On a terminal they are without anything that it
    would obey: what a model says, and what it has read, is not ours.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._is_terminal = os.isatty(descriptor)
        self._put_in = self._written = 0
        self._moment: list[bytes] = []
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="outlet", daemon=True)
        self._is_started = False
        self.is_broken = False
        #: Told, from any thread, when nobody reads any more.
        self.when_broken: Callable[[object], None] = lambda _: None

    def put(self, frame: Mapping[str, JsonValue]) -> None:
        """Write one JSON object as a line."""
        line = dumps(frame)
        if len(line) > MAX_LINE_BYTES:
            line = dumps(shortened(frame, MAX_LINE_BYTES))
        self.put_bytes(line + b"\n")

    def put_bytes(self, text: bytes) -> None:
        """Write bytes as they are."""
        self._moment.append(text)
        if len(self._moment) > 1:
            return
        try:
            asyncio.get_running_loop().call_soon(self.flush)
        except RuntimeError:
            self.flush()

    def flush(self) -> None:
        """Write what has come in this moment."""
        text, self._moment = b"".join(self._moment), []
        if not text:
            return
        if self._is_terminal:
            # Its patterns take a millisecond to compile, which programs in a pipe need not pay.
            from gantlet.system.terminal_text import plain  # noqa: PLC0415 - the seam

            text = plain(text.decode("utf-8", "replace")).encode()
        if len(text) <= select.PIPE_BUF and self._put_in == self._written and self._is_free():
            self._write(text)
            return
        self._put_in += 1
        if not self._is_started:
            self._is_started = True
            self._thread.start()
        self._lines.put(text)

    def _is_free(self) -> bool:
        """Return whether a short write would not block; a pipe then has room for all of it."""
        ready = self._poll.poll(0)
        return bool(ready) and ready[0][1] == select.POLLOUT

    def close(self) -> bool:
        """Wait until all is written, for as long as a reader may take; return whether it is."""
        self.flush()
        if self._is_started:
            self._lines.put(_END)
            self._thread.join(DRAIN_SECONDS)
        return not self._thread.is_alive() and not self.is_broken

    def _write_all(self) -> None:
        """Write what comes, several texts at once where several wait."""
        while True:
            batch = [self._lines.get()]
            while batch[-1] is not _END and not self._lines.empty():
                batch.append(self._lines.get())
            texts = [text for text in batch if text is not None]
            self._write(b"".join(texts))
            self._written += len(texts)
            if batch[-1] is _END:
                return

    def _write(self, text: bytes) -> None:
        """Write bytes to the end; what nobody reads any more is dropped."""
        rest = memoryview(text)
        while rest and not self.is_broken:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except OSError as error:
                self.is_broken = error.errno in {errno.EPIPE, errno.ENOSPC, errno.EBADF, errno.EIO}
                if not self.is_broken and error.errno != errno.EAGAIN:
                    raise
                if self.is_broken:
                    self.when_broken(None)


def shortened(frame: Mapping[str, JsonValue], limit: int) -> Mapping[str, JsonValue]:
    """Return a message whose longest texts are cut so that its line fits."""
    room = limit // 2
    while room > 64:
        shorter = _cut(dict(frame), room)
        if isinstance(shorter, dict) and len(dumps(shorter)) <= limit:
            return shorter
        room //= 2
    kept = {name: frame[name] for name in ("type", "session_id", "uuid") if name in frame}
    return {**kept, "cut": True}


def _cut(item: JsonValue, room: int) -> JsonValue:
    """Return a value whose texts are at most this long; names and ids stay whole."""
    if isinstance(item, str):
        return item if len(item) <= room else item[:room] + _CUT
    if isinstance(item, dict):
        return {name: _cut(inner, room) for name, inner in item.items()}
    if isinstance(item, list | tuple):
        return [_cut(inner, room) for inner in item]
    return item
