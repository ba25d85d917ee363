"""The pipes to and from a child, moved by the event loop as the other end allows."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from typing import Final

import anyio

from gantlet.system.process_groups import end_writers

_CHUNK: Final = 65_536
_CLOSED: Final = -1


def _nothing() -> None:
    """Tell nobody."""


class Inflow:
    """What a child is told. One that does not listen is not waited for."""

    def __init__(self, data: bytes) -> None:
        self._left = memoryview(data)
        if data:
            self.childs_end, self._fd = os.pipe()
            os.set_blocking(self._fd, False)
        else:
            self.childs_end, self._fd = subprocess.DEVNULL, _CLOSED
        self._is_watched = False

    def begin(self) -> None:
        """Close the child's end and write as much as goes in."""
        self.childs_end = _shut(self.childs_end)
        self._write()

    def _write(self) -> None:
        """Write what the pipe takes; watch it while something is left."""
        try:
            while self._left:
                self._left = self._left[os.write(self._fd, self._left) :]
        except BlockingIOError:
            if not self._is_watched:
                asyncio.get_running_loop().add_writer(self._fd, self._write)
                self._is_watched = True
            return
        except OSError:  # the child does not listen, which is its right
            pass
        self.close()

    def close(self) -> None:
        """Stop writing."""
        if self._is_watched:
            asyncio.get_running_loop().remove_writer(self._fd)
            self._is_watched = False
        self.childs_end = _shut(self.childs_end)
        self._fd = _shut(self._fd)


class Outflow:
    """What a child says, up to a bound. After that nothing more is read."""

    def __init__(self, max_bytes: int) -> None:
        self._fd, self.childs_end = os.pipe()
        os.set_blocking(self._fd, False)
        self._space = max_bytes
        self._chunks: list[bytes] = []
        self._on_full: Callable[[], None] = _nothing
        self._found: Callable[[bytes], bool] | None = None
        self._on_found: Callable[[], None] = _nothing
        self._end: anyio.Event | None = None
        self._is_watched = False
        self.has_ended = False
        self.is_full = False

    def begin(self) -> None:
        """Close the child's end and listen."""
        self.childs_end = _shut(self.childs_end)
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        self._is_watched = True

    def when_full(self, tell: Callable[[], None]) -> None:
        """Have somebody told when more was said than is kept, also if it was already."""
        self._on_full = tell
        if self.is_full:
            tell()

    def watch_for(self, found: Callable[[bytes], bool], tell: Callable[[], None]) -> None:
        """Have somebody told as soon as what was said so far is what they wait for."""
        self._found, self._on_found = found, tell

    async def ended(self) -> None:
        """Wait for the end of what is said."""
        if not self.has_ended:
            self._end = anyio.Event()
            await self._end.wait()

    def taken(self) -> bytes:
        """Return what was said so far."""
        return b"".join(self._chunks)

    def _read(self) -> None:
        """Take what is there."""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._finish()
            return
        self._chunks.append(chunk[: self._space])
        self._space -= len(chunk)
        if self._found is not None and self._found(self.taken()):
            self._found = None
            self._on_found()
        if self._space < 0:
            self.is_full = True
            self._unwatch()
            self._on_full()

    def _finish(self) -> None:
        """Note that all was said."""
        self.has_ended = True
        self._unwatch()
        if self._end is not None:
            self._end.set()

    def end_holders(self) -> None:
        """Kill the processes that still hold the other end, if it is open and they can be found."""
        if not self.has_ended and self._fd != _CLOSED:
            end_writers(self._fd)

    def _unwatch(self) -> None:
        """Stop listening."""
        if self._is_watched:
            asyncio.get_running_loop().remove_reader(self._fd)
            self._is_watched = False

    def close(self) -> None:
        """Close both ends."""
        self._unwatch()
        self.childs_end = _shut(self.childs_end)
        self._fd = _shut(self._fd)


def _shut(fd: int) -> int:
    """Close a descriptor once."""
    if fd >= 0:
        os.close(fd)
    return _CLOSED
