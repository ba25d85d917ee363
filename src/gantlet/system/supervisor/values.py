"""What a command needs to be started, and how it ended."""

import os
import signal
from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from gantlet.messages.value import value

#: Where a command may say in which directory it ended.
PLACE_DESCRIPTOR = 199


@value
class Limits:
    """What one command may take; None leaves it to the system.

    Attributes:
        processes: How many processes it may have at once.
        memory_bytes: How much memory each of its processes may have.
        file_bytes: How large a file it may write.
        open_files: How many files each of its processes may have open.
        cpu_seconds: How long each of its processes may compute.
    """

    processes: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    cpu_seconds: int | None = None

    def rlimits(self) -> list[tuple[str, int]]:
        """Return the limits that the kernel keeps for each process."""
        named = (
            ("RLIMIT_DATA", self.memory_bytes),
            ("RLIMIT_FSIZE", self.file_bytes),
            ("RLIMIT_NOFILE", self.open_files),
            ("RLIMIT_CPU", self.cpu_seconds),
        )
        return [(name, value) for name, value in named if value is not None]


@value
class Launch:
    """A command to start.

    Attributes:
        argv: The program by its absolute path, and its words.
        descriptors: Descriptors of ours, by the number under which the command gets them.
        input: A descriptor of ours that is its stdin; without one, there is nothing to read.
        output: A descriptor of ours that takes what it says; without one, we read it.
        lifetime_seconds: How long it may run; 0 for as long as it likes.
        tells_place: The command says on descriptor 199 in which directory it ended.
        grace_seconds: How long it has to end when it is asked to, before it is ended by force.
        outlives: It goes on when this program ends.
        aftermath_seconds: How long what it leaves behind is waited for when it has ended.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    limits: Limits = field(default_factory=Limits)
    descriptors: Mapping[int, int] = field(default_factory=dict)
    input: int | None = None
    output: int | None = None
    lifetime_seconds: float = 0.0
    tells_place: bool = False
    grace_seconds: float = 2.0
    outlives: bool = False
    aftermath_seconds: float = 0.2


@value
class Process:
    """A process that runs: its number, and its command line as far as it can be read."""

    pid: int
    command: str = ""

    def __str__(self) -> str:
        return f"{self.pid} {self.command}".rstrip()


@value
class Exited:
    """The command ended by itself, with an exit code."""

    code: int


@value
class Signalled:
    """A signal ended the command."""

    signal: int
    out_of_memory: bool = False

    @property
    def code(self) -> int:
        """The exit code a shell would give it."""
        return 128 + self.signal

    @property
    def name(self) -> str:
        """The signal's name."""
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"


@value
class NotStarted:
    """The command could not be started: its directory or its program is not there, and so on."""

    stage: str
    reason: str
    code: int = 126


@value
class Lost:
    """Whoever watched the command is gone; how it ended is not known."""

    code: int = 137


Ending: TypeAlias = Exited | Signalled | NotStarted | Lost


def ending_of(status: int | None, *, out_of_memory: bool) -> Ending:
    """Return how a process ended, from what the kernel says of it."""
    if status is None:
        return Lost()
    code = os.waitstatus_to_exitcode(status)
    return Exited(code) if code >= 0 else Signalled(-code, out_of_memory)
