"""A command that was started: what it says, how it ends, and how it is ended."""

import os
import threading
from collections.abc import Callable
from typing import Protocol

import anyio

from gantlet.system.supervisor.pump import Pump
from gantlet.system.supervisor.values import Ending, Launch, Lost, NotStarted, Process, ending_of
from gantlet.system.thread_event import ThreadEvent

_READ_BYTES = 1 << 16
#: How many of those a pipe can hold, and more.
_MOST_READS = 64
#: How long the output of a command that left nothing may stay open.
_AFTERMATH_SECONDS = 0.2
_LIST_SECONDS = 2.0


class Keeper(Protocol):
    """Whoever keeps a command."""

    def say(self, word: str, seconds: float = 0.0) -> None:
        """Send a word to it: `list`, `stop`, `kill` or `lifetime`."""


class Running:
    """A started command. Its output goes to `on_output`, in the pump's thread, as it comes.

    Attributes:
        ending: How the command itself ended, once it has.
        left: What it left running, as last told.
        place: The directory it ended in, if it said so.
        hit_limit: The limit for which it was ended, or nothing.
        started: Set when it has begun, or could not.
        gone: Set when nothing of it is left.
    """

    def __init__(
        self,
        launch: Launch,
        keeper: Keeper,
        pump: Pump,
        output: int | None,
        on_output: Callable[[bytes], None],
    ) -> None:
        self.launch = launch
        self._keeper = keeper
        self._pump = pump
        self._output = output
        self._on_output = on_output
        self._listed = ThreadEvent()
        self.pid = 0
        self.keeper_pid = 0
        self.ending: Ending | None = None
        self.left: tuple[Process, ...] = ()
        self.place = ""
        self.hit_limit = ""
        self.started = ThreadEvent()
        self.ended = ThreadEvent()
        self.silent = ThreadEvent()
        self.gone = ThreadEvent()
        self._lock = threading.Lock()
        self._reading = threading.RLock()  # what is read first is passed on first, and then closed
        self._has_finished = False
        self._on_gone: list[Callable[[], None]] = []
        if output is None:
            self.silent.set()
            return
        os.set_blocking(output, False)
        pump.watch(output, self._read_output)

    async def wait(self) -> Ending:
        """Wait until the command has ended and all it said is read.

        What it left running keeps its output open; that is not waited for.
        """
        await self.ended.wait()
        if self.left:
            with anyio.move_on_after(self.launch.aftermath_seconds):
                await self.gone.wait()
        if not self.left or self.gone.is_set():
            with anyio.move_on_after(_AFTERMATH_SECONDS):
                await self.silent.wait()
        return self.ending or Lost()

    async def processes(self) -> tuple[Process, ...]:
        """Return what of the command runs now, children of children and daemons included."""
        if self.gone.is_set():
            return ()
        self._listed = ThreadEvent()
        self._keeper.say("list")
        with anyio.move_on_after(_LIST_SECONDS):
            await self._listed.wait()
        return self.left

    def stop(self) -> None:
        """Ask everything the command started to end; end by force what does not."""
        if not self.gone.is_set():
            self._keeper.say("stop")

    def kill(self) -> None:
        """End everything the command started, at once."""
        if not self.gone.is_set():
            self._keeper.say("kill")

    def live_for(self, seconds: float) -> None:
        """Give the command so much time from now on; then everything it started is ended."""
        if not self.gone.is_set():
            self._keeper.say("lifetime", seconds)

    def when_gone(self, call: Callable[[], None]) -> None:
        """Call a function, in the pump's thread, once nothing of the command is left."""
        with self._lock:
            is_late = self._has_finished
            if not is_late:
                self._on_gone.append(call)
        if is_late:
            call()

    def note(self, told: dict[str, object]) -> None:
        """Take note of what the keeper tells."""
        if "pid" in told:
            self.pid, self.keeper_pid = int(str(told["pid"])), int(str(told["keeper"]))
        if "failed" in told:
            self.ending = NotStarted(str(told["failed"]), str(told["reason"]))
        if "pid" in told or "failed" in told:
            self.started.set()
        if "limit" in told:
            self.hit_limit = str(told["limit"])
        if "processes" in told:
            self.left = _processes(told["processes"])
            self._listed.set()
        if "ended" in told:
            self._note_end(told)
        if "gone" in told:
            self.finish()

    def _note_end(self, told: dict[str, object]) -> None:
        """Take note of how the command itself ended."""
        status = told["ended"]
        known = status if isinstance(status, int) else None
        out_of_memory = bool(told["out_of_memory"])
        self.ending = self.ending or ending_of(known, out_of_memory=out_of_memory)
        self.left = _processes(told["left"])
        self.place = str(told["place"])
        if not self.left:
            self.finish()
        self._drain()
        self.ended.set()

    def finish(self) -> None:
        """Take note that nothing of the command is left, or that nobody can tell any more."""
        with self._lock:
            if self._has_finished:
                return
            self._has_finished = True
            told, self._on_gone = self._on_gone, []
        self.ending = self.ending or Lost()
        self.left = ()
        self._drain()
        self.started.set()
        for call in told:  # before anybody who waits goes on
            call()
        self.ended.set()
        self.gone.set()

    def stop_reading(self) -> None:
        """Close the output; whatever is still said is lost."""
        with self._reading:  # a number that is closed may be another's by then
            output, self._output = self._output, None
            if output is not None:
                self._pump.forget(output)
                os.close(output)
                self.silent.set()

    def _read_output(self) -> bool:
        """Pass on what the command has said; return whether there may be more."""
        with self._reading:
            if self._output is None:
                return False
            try:
                data = os.read(self._output, _READ_BYTES)
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if data:
                self._on_output(data)
            else:
                self.stop_reading()
            return bool(data)

    def _drain(self) -> None:
        """Read what a command had said when it ended, and nobody has read yet.

        That is no more than a pipe holds; what it left running may say more without end.
        """
        for _ in range(_MOST_READS):
            if not self._read_output():
                return


def _processes(told: object) -> tuple[Process, ...]:
    """Return the processes a keeper has listed."""
    listed = told if isinstance(told, list) else []
    return tuple(Process(int(pid), str(command)) for pid, command in listed)
