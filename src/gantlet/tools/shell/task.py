"""One command of the shell: in the foreground, in the background, or first one, then the other."""

import os
import time
from collections.abc import Callable
from enum import StrEnum

import anyio

from gantlet.messages.value import replace, value
from gantlet.system.supervisor import Ending, Exited, Lost, NotStarted, Running, Signalled
from gantlet.system.task_records import TaskFolder, TaskRecord, started_at
from gantlet.system.thread_event import ThreadEvent
from gantlet.tool.background import TaskStatus
from gantlet.tools.shell.capture import Capture

#: How long a command has to be gone after it was told to end.
_STOP_SECONDS = 12.0


class Reason(StrEnum):
    """Why a command was ended by us."""

    NONE = ""
    TIMED_OUT = "timed out"
    STOPPED = "stopped by the user"
    INTERRUPTED = "interrupted"
    FLOOD = "too much output"
    PROCESSES = "too many processes"
    LIFETIME = "its time in the background was over"
    ENDED = "the session ended"


@value
class Order:
    """What a task is about."""

    command: str
    description: str
    cwd: str
    kind: str = "local_bash"


class ShellTask:
    """A command and what it says. Until it is moved to the background only its call knows of it."""

    def __init__(self, task_id: str, order: Order, capture: Capture, folder: TaskFolder) -> None:
        self._id = task_id
        self._order = order
        self._folder = folder
        self.capture = capture
        self.began = time.monotonic()
        self._started_at = time.time()
        self._running: Running | None = None
        self._record: TaskRecord | None = None
        self._on_end: list[Callable[[ShellTask], None]] = []
        self.reason = Reason.NONE
        self.moved = False
        self.note = ""
        self.is_inside = False
        self._read_bytes = 0
        self._is_final = False
        self._ended = ThreadEvent()

    @property
    def id(self) -> str:
        """The name under which it is asked for."""
        return self._id

    @property
    def kind(self) -> str:
        """What it is."""
        return self._order.kind

    @property
    def description(self) -> str:
        """What it does."""
        return self._order.description or self._order.command

    @property
    def command(self) -> str:
        """The command line."""
        return self._order.command

    @property
    def output_path(self) -> str:
        """The file its output is written to."""
        return str(self.capture.path)

    @property
    def running(self) -> Running:
        """The command as a process."""
        assert self._running is not None
        return self._running

    @property
    def ending(self) -> Ending | None:
        """How the command itself ended."""
        return self.running.ending

    @property
    def status(self) -> TaskStatus:
        """How it stands; what a command leaves running is part of it."""
        if not self._is_final:
            return TaskStatus.RUNNING
        if self.reason is not Reason.NONE:
            return TaskStatus.STOPPED
        is_good = isinstance(self.ending, Exited) and self.ending.code == 0
        return TaskStatus.COMPLETED if is_good else TaskStatus.FAILED

    @property
    def exit_code(self) -> int | None:
        """The exit code, as a shell would give it."""
        return None if self.ending is None else self.ending.code

    @property
    def seconds(self) -> float:
        """For how long it has been there."""
        return time.monotonic() - self.began

    @property
    def how_it_ended(self) -> str:
        """How it ended, in words."""
        ending, code = self.ending, self.exit_code
        if self.reason is not Reason.NONE:
            return f"was stopped: {self.reason}"
        match ending:
            case Exited(0):
                return "completed (exit code 0)"
            case Signalled(out_of_memory=True):
                return f"was ended by the system because memory ran out (exit code {code})"
            case Signalled():
                return f"was ended by {ending.name} (exit code {code})"
            case NotStarted(stage, reason):
                return f"could not be started ({stage}: {reason})"
            case Exited():
                return f"failed (exit code {code})"
            case _:
                return "was lost: how it ended is not known"

    def follow(self, running: Running) -> None:
        """Take on the process."""
        self._running = running
        running.when_gone(self._finish)

    def go_on_in_background(self, seconds: float, on_end: "Callable[[ShellTask], None]") -> None:
        """Let the command go on, for so many seconds, with its output in a file.

        `on_end` is called when nothing of it is left, in whichever thread.
        """
        self.moved = True
        self.capture.to_file()
        if seconds:
            self.running.live_for(seconds)
        self._record = TaskRecord(
            id=self._id,
            kind=self.kind,
            command=self.command,
            cwd=self._order.cwd,
            started_at=self._started_at,
            owner=_this_process(),
            keeper=(self.running.keeper_pid, started_at(self.running.keeper_pid)),
            output=self.output_path,
        )
        self._folder.write(self._record)
        self._on_end.append(on_end)
        if self._is_final:
            self._tell_end()

    async def wait(self) -> None:
        """Wait until nothing of it is left."""
        await self._ended.wait()

    async def stop(self, reason: Reason = Reason.STOPPED) -> None:
        """End all of it; return when it is gone, or when that takes too long."""
        if self._ended.is_set():
            return
        self.reason = self.reason or reason
        self.running.stop()
        with anyio.CancelScope(shield=True), anyio.move_on_after(_STOP_SECONDS):
            await self._ended.wait()

    def note_end_of_session(self) -> None:
        """Take note of why it is about to be ended."""
        if not self._ended.is_set():
            self.reason = self.reason or Reason.ENDED

    def flood(self) -> None:
        """End a command that says too much."""
        self.reason = Reason.FLOOD
        if self._running is not None:
            self._running.kill()

    def output(self, max_chars: int) -> str:
        """Return what it has said so far, the end of it where that is too much."""
        self.capture.refresh()
        if self.capture.is_whole:
            text, self._read_bytes = self.capture.since(0)
        else:
            self._read_bytes, text = self.capture.settled(), self.capture.tail()
        return _cut(text, max_chars, self.output_path)

    def new_output(self, max_chars: int) -> str:
        """Return what it has said since the last time."""
        self.capture.refresh()
        text, self._read_bytes = self.capture.since(self._read_bytes)
        return _cut(text, max_chars, self.output_path)

    def _finish(self) -> None:
        """Take note of the end."""
        hit = self.running.hit_limit
        if hit and self.reason is Reason.NONE:
            self.reason = Reason.PROCESSES if hit == "processes" else Reason.LIFETIME
        self.capture.close()
        self._is_final = True
        self._tell_end()
        self._ended.set()

    def _tell_end(self) -> None:
        """Tell whoever wants to know, once."""
        calls, self._on_end = self._on_end, []
        if self.running.launch.outlives and isinstance(self.ending, Lost):
            return  # it goes on without us
        if self._record is not None and calls:
            status, code = self.status.value, self.exit_code
            ended = replace(self._record, status=status, ended_at=time.time(), exit_code=code)
            self._folder.write(ended)
        for call in calls:
            call(self)


def _this_process() -> tuple[int, int]:
    """Return this program's number and when it started."""
    return os.getpid(), started_at(os.getpid())


def _cut(text: str, max_chars: int, path: str) -> str:
    """Return a text, or its end and where the rest is."""
    if len(text) <= max_chars:
        return text
    return f"[Truncated. Full output: {path}]\n\n{text[-max_chars:]}"
