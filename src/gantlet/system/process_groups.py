"""Processes that a child leaves behind: its group, and whoever holds its streams."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import anyio

from gantlet.messages.value import value

_POLL_SECONDS = 0.01
_PROC = Path("/proc")
_SHOWS_PROCESSES = (_PROC / "self" / "stat").exists()


@value
class _Stat:
    """What the system shows of a process."""

    runs: bool
    parent: int
    group: int


@value
class Group:
    """A process group, by the number of the child that led it."""

    pgid: int

    def is_alive(self) -> bool:
        """Return whether a member of the group runs; what only waits to be reaped does not."""
        return self.signal(0) and (not _SHOWS_PROCESSES or self._has_running_member())

    def _has_running_member(self) -> bool:
        """Return whether one of all processes is a member and runs."""
        return any(
            stat.group == self.pgid and stat.runs
            for stat in map(_stat, _processes())
            if stat is not None
        )

    def signal(self, number: int) -> bool:
        """Send a signal to all members. Return whether there were any."""
        try:
            os.killpg(self.pgid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # members that changed their user: alive, and not ours to end
            return True
        return True

    async def end(self, grace: float) -> None:
        """Ask all members to end, and after `grace` seconds make them."""
        if not self.signal(signal.SIGTERM):
            return
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(grace):
                while self.is_alive():  # noqa: ASYNC110 - nobody is told when an orphan ends
                    await anyio.sleep(_POLL_SECONDS)
            self.signal(signal.SIGKILL)


def end_writers(fd: int) -> None:
    """Kill the processes that hold the other end of a pipe, where the system shows who does.

    They left the group; a daemon does. Our own children are spared: one that is just being started
    holds copies of our descriptors for a moment.
    """
    name = f"pipe:[{os.fstat(fd).st_ino}]"
    for pid in _processes():
        if not _holds(pid, name):
            continue
        stat = _stat(pid)
        if stat is not None and stat.parent != os.getpid():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _processes() -> Iterator[int]:
    """Yield the numbers of all other processes."""
    with suppress(OSError):
        for name in os.listdir(_PROC):  # noqa: PTH208 - only the names
            if name.isdecimal() and int(name) != os.getpid():
                yield int(name)


def _holds(pid: int, name: str) -> bool:
    """Return whether a process has a pipe open for writing."""
    try:
        return any(
            str(entry.readlink()) == name and _is_for_writing(pid, entry.name)
            for entry in (_PROC / str(pid) / "fd").iterdir()
        )
    except OSError:  # it is not ours to see, or has ended
        return False


def _is_for_writing(pid: int, fd: str) -> bool:
    """Return whether a descriptor of a process can be written to."""
    text = (_PROC / str(pid) / "fdinfo" / fd).read_text(encoding="ascii")
    flags = next(line for line in text.splitlines() if line.startswith("flags:"))
    return int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY


def _stat(pid: int) -> _Stat | None:
    """Return what the system shows of a process, if it is still there."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, parent, group = text.rpartition(")")[2].split()[:3]
    return _Stat(state not in {"Z", "X"}, int(parent), int(group))
