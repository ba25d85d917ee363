"""The pipes to and from a child, moved by the event loop as the other end allows."""

import asyncio
import fcntl
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import anyio

from gantlet.system.process_groups import end_writers

_CHUNK: Final = 262_144
_CLOSED: Final = -1
#: How long a child that said a little is left alone before it is heard again. Whoever wakes for
#: every line of one that says very many takes the processor from it.
_REST_SECONDS: Final = 0.002
#: What a child can say meanwhile without having to wait, where the system allows it.
_PIPE_BYTES: Final = 1_048_576
#: How often one has to read to take all that a pipe holds, and to see that this was the end.
_MOST_READS: Final = _PIPE_BYTES // _CHUNK + 2


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
    """What a child says, up to a bound. After that nothing more is read.

    It is heard at once when it begins to speak, and then now and then, until somebody waits for
    the end.
    """

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
        self._rest: asyncio.TimerHandle | None = None
        self._is_wide = False
        self.has_ended = False
        self.is_full = False

    def begin(self) -> None:
        """Close the child's end and listen."""
        self.childs_end = _shut(self.childs_end)
        self._watch()

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
            self._listen()
            await self._end.wait()

    def has_said_all(self) -> bool:
        """Take what is there, without waiting, and return whether nobody can say more."""
        self._end = self._end or anyio.Event()
        self._end_rest()
        for _ in range(_MOST_READS):
            if self.has_ended or self.is_full or not self._read():
                break
        return self.has_ended

    def taken(self) -> bytes:
        """Return what was said so far."""
        if self._rest is not None:
            self._listen()
        return b"".join(self._chunks)

    def _listen(self) -> None:
        """Take what is there, and what comes as soon as it comes."""
        self._end_rest()
        if not self._is_watched and not self.is_full and self._fd != _CLOSED:
            self._watch()
            self._read()

    def _read(self) -> bool:
        """Take what is there; return whether something was. Then rest, unless somebody waits."""
        chunk = self._chunk()
        if not chunk:
            if chunk is not None:
                self._finish()
            return False
        self._keep(chunk)
        if self._end is None and not self.is_full and len(chunk) < _CHUNK:
            self._begin_rest()
        return True

    def _chunk(self) -> bytes | None:
        """Return some of what was said; nothing at the end, and None where there is nothing yet."""
        try:
            return os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _keep(self, chunk: bytes) -> None:
        """Keep what there is room for, and tell those who wait for it."""
        self._chunks.append(chunk[: self._space])
        self._space -= len(chunk)
        if self._found is not None and self._found(b"".join(self._chunks)):
            self._found = None
            self._on_found()
        if self._space < 0:
            self.is_full = True
            self._unwatch()
            self._on_full()

    def _begin_rest(self) -> None:
        """Hear nothing for a moment."""
        self._unwatch()
        if not self._is_wide:
            self._is_wide = True
            _widen(self._fd)
        self._rest = asyncio.get_running_loop().call_later(_REST_SECONDS, self._listen)

    def _end_rest(self) -> None:
        """Hear everything again."""
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

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

    def _watch(self) -> None:
        """Be told when something is said."""
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        self._is_watched = True

    def _unwatch(self) -> None:
        """Stop listening."""
        if self._is_watched:
            asyncio.get_running_loop().remove_reader(self._fd)
            self._is_watched = False

    def close(self) -> None:
        """Close both ends."""
        self._end_rest()
        self._unwatch()
        self.childs_end = _shut(self.childs_end)
        self._fd = _shut(self._fd)


def _widen(fd: int) -> None:
    """Let a pipe hold more, where the system allows it."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _shut(fd: int) -> int:
    """Close a descriptor once."""
    if fd >= 0:
        os.close(fd)
    return _CLOSED
