"""How a child lives: told of its end, and ended with all that belongs to it."""

import signal
import subprocess
from typing import Protocol

import anyio

from gantlet.system.exits import ExitWatch
from gantlet.system.process_groups import Group

#: How long we wait for the kernel to end what was killed.
_KILL_SECONDS = 5.0


class Leftover(Protocol):
    """What a child that has ended left running. Whoever took it ends it."""

    def is_alive(self) -> bool:
        """Return whether any of it still runs."""

    async def end(self, grace: float) -> None:
        """Ask all of it to end, and after `grace` seconds make it."""


class Life(Protocol):
    """A child between its start and its end."""

    @property
    def has_ended(self) -> bool:
        """Whether the child itself has ended."""

    def exit_code(self) -> int | None:
        """Return its exit code, or minus the signal's number; None while it runs.

        Raises:
            OSError: It turned out that it could not be started.
        """

    async def wait(self) -> None:
        """Wait for the child's end, or until somebody wakes us."""

    def wake(self) -> None:
        """End the wait before the child does."""

    def leftover(self) -> Leftover | None:
        """Return what it left running, if it has ended and left anything."""

    async def end(self, grace: float) -> None:
        """End the child with all that belongs to it."""

    def close(self) -> None:
        """Stop watching."""


class OwnLife:
    """A child of ours. What belongs to it is its process group."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._watch = ExitWatch(process.pid)
        self._group = Group(process.pid)

    @property
    def has_ended(self) -> bool:
        """Whether the child itself has ended."""
        return self._watch.has_ended

    def exit_code(self) -> int | None:
        """Return its exit code, or minus the signal's number; None while it runs."""
        return self._watch.exit_code()

    async def wait(self) -> None:
        """Wait for the child's end, or until somebody wakes us."""
        await self._watch.wait()

    def wake(self) -> None:
        """End the wait before the child does."""
        self._watch.wake()

    def leftover(self) -> Leftover | None:
        """Return its group, if the child has ended and others of it still run."""
        self._reap()
        return self._group if self.has_ended and self._group.is_alive() else None

    async def end(self, grace: float) -> None:
        """Ask the group to end, then make it."""
        if not self.has_ended:
            self._group.signal(signal.SIGTERM)
            await self._exit_within(grace)
        if not self.has_ended:
            self._group.signal(signal.SIGKILL)
            await self._exit_within(_KILL_SECONDS)
        self._reap()
        if self._group.is_alive():
            await self._group.end(grace)

    async def _exit_within(self, seconds: float) -> None:
        """Wait for the end for a while."""
        with anyio.move_on_after(seconds):
            while not self.has_ended:
                await self._watch.wait()

    def _reap(self) -> None:
        """Take the zombie away, if the process has ended."""
        if self.has_ended:
            self._process.poll()

    def close(self) -> None:
        """Stop watching, and reap what has ended."""
        self._watch.close()
        self._reap()
