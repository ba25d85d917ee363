"""The small process that starts commands for us and ends all that they start."""

import os
import signal
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from gantlet.system.supervisor.line import REQUEST, SEND_SECONDS, Line, send
from gantlet.system.supervisor.pump import Pump
from gantlet.system.supervisor.running import Running
from gantlet.system.supervisor.values import Launch

_CHILD = Path(__file__).with_name("child.py")
_CONTROL = 3
_END_SECONDS = 15.0
_PAUSE_SECONDS = 0.01
#: How many keepers without a command are kept for the next one.
_MAX_FREE = 4


class StartError(OSError):
    """The supervisor cannot be reached, so that no command can be started."""


class Supervisor:
    """Starts commands in a process of its own. That process starts with the first command.

    It is the one that has the commands as children, and not this program: whatever they leave
    behind is found there, and ended when this program ends, in whichever way.
    """

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._lock = threading.Lock()
        self._pump: Pump | None = None
        self._child: _Child | None = None
        self._free: list[Line] = []
        self._lines: set[Line] = set()
        self._running: weakref.WeakSet[Running] = weakref.WeakSet()

    @property
    def pid(self) -> int:
        """The process that starts commands, or 0 if there has been no command yet."""
        return self._child.pid if self._child is not None else 0

    def start(self, launch: Launch, on_output: Callable[[bytes], None]) -> Running:
        """Start a command; what it says goes to `on_output`, in another thread, as it comes.

        Raises:
            StartError: The process that starts commands cannot be started itself.
        """
        if launch.output is not None:
            return self._begun(launch, self._ask(launch, launch.output), None, on_output)
        output, said = os.pipe()
        try:
            line = self._ask(launch, said)
        except StartError:
            os.close(output)
            raise
        finally:
            os.close(said)
        return self._begun(launch, line, output, on_output)

    def _begun(
        self, launch: Launch, line: Line, output: int | None, on_output: Callable[[bytes], None]
    ) -> Running:
        """Return a command that a keeper was asked for."""
        running = Running(launch, line, self._reader(), output, on_output)
        self._running.add(running)
        line.attach(running)
        return running

    def close(self) -> None:
        """End every command and the process itself; return when nothing is left.

        A command that is asked for later starts another process.
        """
        with self._lock:
            child, self._child = self._child, None
            lines, self._lines = self._lines, set()
            self._free.clear()
        lasting = [one.keeper_pid for one in self._running if one.launch.outlives]
        for line in lines:
            line.close()
        if child is not None:
            child.close(lasting)
        for running in list(self._running):
            running.stop_reading()
        pump, self._pump = self._pump, None
        if pump is not None:
            pump.close()

    def _reader(self) -> Pump:
        """Return what reads, made when it is first needed."""
        with self._lock:
            if self._pump is None:
                self._pump = Pump()
            return self._pump

    def _ask(self, launch: Launch, said: int) -> Line:
        """Ask a free keeper for a command, or a new one."""
        request = _request(launch)
        descriptors = [said, *_given(launch).values()]
        while (line := self._free_line()) is not None:
            try:
                line.begin(request, descriptors)
            except OSError:
                self._drop(line)
                continue
            return line
        try:
            line = self._new_line()
            line.begin(request, descriptors)
        except OSError as error:
            raise StartError(error.errno, f"No command can be started: {error}") from error
        return line

    def _free_line(self) -> Line | None:
        """Return the line to a keeper without a command, if there is one."""
        with self._lock:
            return self._free.pop() if self._free else None

    def _new_line(self) -> Line:
        """Have a keeper forked, by a new process if the old one is gone."""
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                if self._child is None or not self._child.has_forked_keeper(theirs):
                    self._child = _Child(self._python)
                    self._child.fork_keeper(theirs)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        line = Line(ours, self._reader(), self._set_free, self._lose)
        self._lines.add(line)
        return line

    def _set_free(self, line: Line) -> None:
        """Keep the line to a keeper whose command is gone for the next one."""
        with self._lock:
            if line in self._lines and len(self._free) < _MAX_FREE and not line.is_lost:
                self._free.append(line)
                return
        self._drop(line)

    def _lose(self, line: Line) -> None:
        """Let go of a keeper that has ended, and have what it kept ended too."""
        with self._lock:
            if line in self._free:
                self._free.remove(line)
            child = self._child
        if child is not None:
            child.sweep()
        _end_session(line.command_pid)
        self._drop(line)

    def _drop(self, line: Line) -> None:
        """Let go of a keeper."""
        with self._lock:
            self._lines.discard(line)
        line.close()


def _end_session(leader: int) -> None:
    """End what is left in the session of a command whose keeper is gone, where there is /proc.

    The process above the keeper does that too, and finds daemons; but it may be gone as well.
    """
    if leader <= 0 or not os.path.isdir("/proc/self"):  # noqa: PTH112 - asked in the pump's thread
        return
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - no more than names
        with suppress(OSError):
            if os.getsid(int(name)) == leader:
                os.kill(int(name), signal.SIGKILL)


def _given(launch: Launch) -> dict[str, int]:
    """Return the descriptors a command is given, by what they are for."""
    given = {str(wanted): descriptor for wanted, descriptor in launch.descriptors.items()}
    return given if launch.input is None else {**given, "input": launch.input}


def _request(launch: Launch) -> dict[str, object]:
    """Return a request as a keeper reads it."""
    return {
        "argv": launch.argv,
        "cwd": launch.cwd,
        "env": dict(launch.env),
        "rlimits": launch.limits.rlimits(),
        "max_processes": launch.limits.processes or 0,
        "given": list(_given(launch)),
        "place": launch.tells_place,
        "grace": launch.grace_seconds,
        "outlives": launch.outlives,
        "lifetime": launch.lifetime_seconds,
    }


class _Child:
    """The supervisor's process, as long as it lives."""

    def __init__(self, python: str) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(SEND_SECONDS)
        nothing = os.open(os.devnull, os.O_RDWR)
        try:
            self.pid = os.posix_spawn(
                python,
                [python, "-I", "-S", "-B", str(_CHILD), str(os.getpid())],
                {"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, nothing, 0),
                    (os.POSIX_SPAWN_DUP2, nothing, 1),
                    (os.POSIX_SPAWN_DUP2, nothing, 2),
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), _CONTROL),
                ],
                setsid=True,
                setsigmask=[],
                setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT],
            )
        except OSError:
            ours.close()
            raise
        finally:
            os.close(nothing)
            theirs.close()
        self._socket = ours
        weakref.finalize(self, _let_go, ours, self.pid)

    def fork_keeper(self, line: socket.socket) -> None:
        """Have a keeper forked at the other end of a line.

        Raises:
            OSError: The process is gone.
        """
        send(self._socket, REQUEST, {}, [line.fileno()])

    def sweep(self) -> None:
        """Have everything ended that no keeper keeps."""
        with suppress(OSError):
            send(self._socket, REQUEST, {})

    def has_forked_keeper(self, line: socket.socket) -> bool:
        """Have a keeper forked, and return whether the process is still there to do it."""
        try:
            self.fork_keeper(line)
        except OSError:
            self.close()
            return False
        return True

    def close(self, lasting: Sequence[int] = ()) -> None:
        """Tell the process to end everything, and wait for it; `lasting` keepers go on."""
        if lasting:
            with suppress(OSError):
                send(self._socket, REQUEST, {"lasting": lasting})
        self._socket.close()
        deadline = time.monotonic() + _END_SECONDS
        while time.monotonic() < deadline:
            with suppress(ChildProcessError):
                if os.waitpid(self.pid, os.WNOHANG)[0] == 0:
                    time.sleep(_PAUSE_SECONDS)
                    continue
            return


def _let_go(control: socket.socket, pid: int) -> None:
    """Close the way to a process that nobody asks any more; it ends by itself."""
    control.close()
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)
