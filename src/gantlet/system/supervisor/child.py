"""The supervisor's own process: keeps commands, and ends all that they start.

Run as a script by a Python that imports nothing else (`-I -S`), so this file stands alone. It
forks a keeper for each command that runs at a time. The keeper is the subreaper of what its command
starts: whatever loses its parent becomes the keeper's child, so nothing gets out of sight. If the
program that asked dies, its end of the sockets closes, and everything it started is ended.
"""

# ruff: noqa: PTH123, PTH208 - this process imports as little as it can, and no pathlib

import ctypes
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

CONTROL = 3
HEADER = struct.Struct("!IB")
REQUEST, WORD = 0, 1
#: Where a command may say in which directory it ended.
PLACE = 199
MAX_NAMED = 20
_MAX_PLACE_BYTES = 8192
_SET_SUBREAPER = 36
_ENDING_SECONDS = 10
_KILLING_SECONDS = 8.0
_GRACE_AT_END = 1.0
_PAUSE_SECONDS = 0.02
_WATCH_MILLISECONDS = 100
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
#: What Python ignores or has taken for itself, and a command must not inherit.
_DEFAULT_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGCHLD", "SIGTERM", "SIGHUP", "SIGQUIT")
]


def become_subreaper() -> None:
    """Have orphans below this process become its children, where the system is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Return the processes below one, parents first."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        children = children_of(waiting.pop())
        found += children
        waiting += children
    return found


def children_of(pid: int) -> list[int]:
    """Return the children of a process, of all its threads."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += map(int, file.read().split())
    return children


def named(pid: int) -> list[object]:
    """Return a process's number and its command line, as far as it can be read."""
    words = b""
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        words = file.read(400).replace(b"\0", b" ").strip()
    return [pid, words.decode("utf-8", "replace")]


def is_zombie(pid: int) -> bool:
    """Return whether a process has ended and only waits to be looked at."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


def out_of_memory_kills() -> int:
    """Return how many processes the kernel has ended for want of memory since it started."""
    with suppress(OSError, ValueError), open("/proc/vmstat", "rb") as file:
        for line in file:
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
    return 0


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(OSError):
        os.kill(pid, number)


class Command:
    """What a keeper knows of the command it keeps."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request
        self.number = int(request["number"])
        self.max_processes = int(request["max_processes"])
        self.outlives = bool(request["outlives"])
        self.pid = -1
        self.status: int | None = None
        self.has_told = False
        self.is_killed = False
        self.seen_kills = 0
        self.deadline: float | None = None
        lifetime = float(request["lifetime"])
        if lifetime:
            self.deadline = time.monotonic() + lifetime

    @property
    def patience(self) -> float | None:
        """How many milliseconds may pass until it must be looked at again; None for ever."""
        waits = [float(_WATCH_MILLISECONDS)] if self.max_processes else []
        if self.deadline is not None:
            waits.append(max(0.0, self.deadline - time.monotonic()) * 1000 + 1)
        return min(waits, default=None)


class Keeper:
    """Keeps one command at a time: waits for it, tells how it ended, ends what it left behind."""

    def __init__(self, line: socket.socket, parent: int) -> None:
        self._line = line
        self._command: Command | None = None
        self._place = os.memfd_create("place") if hasattr(os, "memfd_create") else -1
        self._woken, waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, self._asked_to_end)
        become_subreaper()
        self._poller = select.poll()
        self._poller.register(self._woken, select.POLLIN)
        self._poller.register(line.fileno(), select.POLLIN)
        self._owner = watched(parent)
        if self._owner >= 0:
            self._poller.register(self._owner, select.POLLIN)
        self._is_alone = False
        self._is_asked_to_end = False

    def run(self) -> None:
        """Keep command after command, until nobody asks any more and nothing is left."""
        while self._command is not None or not self._is_alone:
            patience = self._command.patience if self._command is not None else None
            ready = [fd for fd, _ in self._poller.poll(patience)]
            if self._woken in ready:
                self._drain()
            if self._line.fileno() in ready:
                self._hear()
            if self._owner in ready:
                self._poller.unregister(self._owner)
                self._leave_alone()
            if self._command is not None:
                self._look_after(self._command)

    def _hear(self) -> None:
        """Do what whoever asks wants now."""
        try:
            heard = receive(self._line)
        except OSError:
            heard = None
        if heard is None:
            self._poller.unregister(self._line.fileno())
            self._leave_alone()
            return
        kind, told, received = heard
        if kind == REQUEST:
            self._begin(Command(told), received)
        elif self._command is not None and told["number"] == self._command.number:
            self._obey(self._command, told["word"], float(told["seconds"]))

    def _obey(self, command: Command, word: str, seconds: float) -> None:
        """Do to the command what a word says."""
        if word == "lifetime":
            command.deadline = time.monotonic() + seconds
        elif word == "list":
            self._tell(command, {"processes": self._living()})
        elif word == "stop":
            self._stop(command, float(command.request["grace"]))
        elif word == "kill":
            self._kill(command)

    def _leave_alone(self) -> None:
        """End the command of a program that is gone, unless it is to outlive it."""
        self._is_alone = True
        if self._command is not None and not self._command.outlives:
            self._stop(self._command, _GRACE_AT_END)

    def _asked_to_end(self, number: int, frame: object) -> None:
        """Take note that another program asks by a signal for the command's end."""
        self._is_asked_to_end = True

    def _begin(self, command: Command, received: list[int]) -> None:
        """Start a command."""
        self._command = command
        stage = "limits"
        try:
            for name, value in command.request["rlimits"]:
                limit(getattr(resource, name), value)
            stage = "directory"
            os.chdir(command.request["cwd"])
            stage = "program"
            command.pid = self._spawn(command.request, received)
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", 0) or 0
            reason = os.strerror(number) if number else str(error)
            self._tell(command, {"failed": stage, "reason": reason})
        else:
            self._tell(command, {"pid": command.pid, "keeper": os.getpid()})
        finally:
            for descriptor in received:
                os.close(descriptor)
        command.seen_kills = out_of_memory_kills()

    def _spawn(self, request: dict[str, Any], received: list[int]) -> int:
        """Start a program with its descriptors where it expects them; return its number."""
        output, *others = received
        given = dict(zip(request["given"], others, strict=True))
        put = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
        actions: list[tuple[Any, ...]] = [*put]
        if "input" in given:
            actions.insert(0, (os.POSIX_SPAWN_DUP2, given.pop("input"), 0))
        else:
            actions.insert(0, (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
        if self._place >= 0 and request["place"]:
            os.ftruncate(self._place, 0)
            os.lseek(self._place, 0, os.SEEK_SET)
            actions.append((os.POSIX_SPAWN_DUP2, self._place, PLACE))
        for wanted, descriptor in given.items():
            if descriptor == int(wanted):
                os.set_inheritable(descriptor, True)
            else:
                actions.append((os.POSIX_SPAWN_DUP2, descriptor, int(wanted)))
        return os.posix_spawn(
            request["argv"][0],
            request["argv"],
            request["env"],
            file_actions=actions,
            setsid=True,
            setsigmask=[],
            setsigdef=_DEFAULT_SIGNALS,
        )

    def _look_after(self, command: Command) -> None:
        """Hold the command to its limits; tell when it has ended, and when nothing is left."""
        self._hold_to_limits(command)
        if self._reaped_all(command):
            self._tell_end(command, [])
            self._command = None
            return
        if command.status is not None and not command.has_told:
            living = self._living()
            if living:
                self._tell_end(command, living)

    def _hold_to_limits(self, command: Command) -> None:
        """End a command that has too many processes, whose time is over, or that is not wanted."""
        if self._is_asked_to_end:
            self._is_asked_to_end = False
            self._stop(command, _GRACE_AT_END)
        if command.max_processes and len(descendants(os.getpid())) > command.max_processes:
            self._tell(command, {"limit": "processes"})
            self._kill(command)
        if command.deadline is not None and time.monotonic() >= command.deadline:
            command.deadline = None
            self._tell(command, {"limit": "lifetime"})
            self._stop(command, float(command.request["grace"]))

    def _reaped_all(self, command: Command) -> bool:
        """Look at every process that has ended; return whether none is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == command.pid:
                command.status = status

    def _living(self) -> list[list[object]]:
        """Return what of the command still runs."""
        found = [pid for pid in descendants(os.getpid()) if not is_zombie(pid)]
        return [named(pid) for pid in found[:MAX_NAMED]]

    def _tell_end(self, command: Command, left: list[list[object]]) -> None:
        """Say how the command ended, once; then that nothing is left."""
        if command.has_told:
            self._tell(command, {"gone": True})
            return
        command.has_told = True
        was_killed = command.status is not None and _was_killed(command.status)
        out_of_memory = (
            was_killed and not command.is_killed and out_of_memory_kills() > command.seen_kills
        )
        told = {"ended": command.status, "left": left, "out_of_memory": out_of_memory}
        self._tell(command, {**told, "place": self._read_place(command)})

    def _read_place(self, command: Command) -> str:
        """Return the directory that the command said it ended in."""
        if self._place >= 0 and command.request["place"]:
            with suppress(OSError):
                return os.fsdecode(os.pread(self._place, _MAX_PLACE_BYTES, 0))
        return ""

    def _tell(self, command: Command, message: dict[str, object]) -> None:
        """Send a line; nobody may be there to read it."""
        with suppress(OSError):
            self._line.sendall(json.dumps({"number": command.number, **message}).encode() + b"\n")

    def _stop(self, command: Command, grace: float) -> None:
        """Ask everything to end, and end by force what has not when the grace is over."""
        for pid in descendants(os.getpid()):
            send_signal(pid, signal.SIGTERM)
            send_signal(pid, signal.SIGCONT)
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline:
            if self._reaped_all(command):
                return
            select.select([self._woken], [], [], _PAUSE_SECONDS)
            self._drain()
        self._kill(command)

    def _kill(self, command: Command) -> None:
        """End everything by force: first halted, so that nothing can start while we look."""
        command.is_killed = True
        deadline = time.monotonic() + _KILLING_SECONDS
        halted: set[int] = set()
        while time.monotonic() < deadline:
            fresh = set(descendants(os.getpid())) - halted
            for pid in fresh:
                send_signal(pid, signal.SIGSTOP)
            if not fresh:
                break
            halted |= fresh
        while time.monotonic() < deadline and not self._reaped_all(command):
            for pid in descendants(os.getpid()):
                send_signal(pid, signal.SIGKILL)
            time.sleep(_PAUSE_SECONDS / 4)

    def _drain(self) -> None:
        """Take note that a process has ended."""
        with suppress(OSError):
            os.read(self._woken, 4096)


def _was_killed(status: int) -> bool:
    """Return whether a status means SIGKILL, to the shell itself or to what it ran."""
    code = os.waitstatus_to_exitcode(status)
    return code in (-signal.SIGKILL, 128 + signal.SIGKILL)


def limit(kind: int, value: int) -> None:
    """Set a limit, as far down as the one that is there already allows."""
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def watched(pid: int) -> int:
    """Return a descriptor that can be read once a process is gone, or -1."""
    with suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return -1


def receive(line: socket.socket) -> tuple[int, dict[str, Any], list[int]] | None:
    """Return one message with its kind and its descriptors, or None if there will be no more."""
    header, ancillary, _, _ = line.recvmsg(HEADER.size, socket.CMSG_LEN(64 * 4), _CLOSE_ON_EXEC)
    if not header:
        return None
    while len(header) < HEADER.size:
        header += line.recv(HEADER.size - len(header))
    size, kind = HEADER.unpack(header)
    body = bytearray()
    while len(body) < size:
        more = line.recv(min(size - len(body), 1 << 20))
        if not more:
            return None
        body += more
    received: list[int] = []
    for level, what, packed in ancillary:
        if level == socket.SOL_SOCKET and what == socket.SCM_RIGHTS:
            received += [one for (one,) in struct.iter_unpack("i", packed[: len(packed) // 4 * 4])]
    return kind, json.loads(body), received


class Keepers:
    """The keepers that were forked. What one leaves behind is ended as soon as it is gone.

    By then it is ours: the kernel hands the children of a process on before it tells of its end.
    The program that asked sees that end earlier, on its line, so that it cannot say when to look.
    """

    def __init__(self, poller: "select.poll") -> None:
        self._poller = poller
        self._known: set[int] = set()
        self._watched: dict[int, int] = {}

    def add(self, pid: int) -> None:
        """Take note of a keeper."""
        self._known.add(pid)
        descriptor = watched(pid)
        if descriptor >= 0:
            self._watched[descriptor] = pid
            self._poller.register(descriptor, select.POLLIN)

    def note(self, ready: set[int]) -> None:
        """Let go of the keepers that are gone, and end what they left behind."""
        gone = ready & set(self._watched)
        for descriptor in gone:
            self._known.discard(self._watched.pop(descriptor))
            self._poller.unregister(descriptor)
            os.close(descriptor)
        if gone:
            self.sweep()

    def sweep(self) -> None:
        """End what a keeper left behind that was itself ended by force."""
        for pid in children_of(os.getpid()):
            if pid not in self._known:
                for below in (*descendants(pid), pid):
                    send_signal(below, signal.SIGKILL)


def end_all(lasting: set[int]) -> NoReturn:
    """Wait until the keepers have ended their commands, and no longer than that may take.

    `lasting` are the keepers of commands that are to go on.
    """
    deadline = time.monotonic() + _ENDING_SECONDS
    while set(children_of(os.getpid())) - lasting:
        if time.monotonic() > deadline:
            break
        time.sleep(_PAUSE_SECONDS)
    os._exit(0)


def next_request(
    control: socket.socket, poller: "select.poll", keepers: Keepers, owner: int
) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for the next request, and look after the keepers; None if there will be no more."""
    while True:
        ready = {fd for fd, _ in poller.poll()}
        keepers.note(ready)
        if control.fileno() in ready:
            asked = receive(control)
            return None if asked is None else asked[1:]
        if owner in ready:
            return None


def serve(control: socket.socket, parent: int) -> None:
    """Fork keepers until the program that asks for them is gone."""
    become_subreaper()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    poller = select.poll()
    poller.register(control.fileno(), select.POLLIN)
    owner = watched(parent)
    if owner >= 0:
        poller.register(owner, select.POLLIN)
    keepers = Keepers(poller)
    lasting: set[int] = set()
    while (asked := next_request(control, poller, keepers, owner)) is not None:
        told, received = asked
        if not received:
            lasting |= set(told.get("lasting", ()))
            keepers.sweep()
            continue
        pid = os.fork()
        if pid == 0:
            be_keeper(control, received[0], parent)
        keepers.add(pid)
        os.close(received[0])
    control.close()
    end_all(lasting)


def be_keeper(control: socket.socket, line: int, parent: int) -> NoReturn:
    """Keep commands in this process, and leave it afterwards whatever happens."""
    try:
        control.close()
        Keeper(socket.socket(fileno=line), parent).run()
    finally:
        os._exit(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=CONTROL), int(sys.argv[1]))
