"""Work that goes on while the conversation does: what tools and surfaces may ask of it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from gantlet.tool.ports import Port


class TaskStatus(StrEnum):
    """How a task in the background stands."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "killed"

    @property
    def is_final(self) -> bool:
        """Whether the task has ended."""
        return self is not TaskStatus.RUNNING


class BackgroundTask(Protocol):
    """One piece of work in the background: a command, a sub-agent, a monitor."""

    @property
    def id(self) -> str:
        """The name under which it is asked for."""

    @property
    def kind(self) -> str:
        """What it is: `local_bash`, `local_agent`, `monitor`."""

    @property
    def description(self) -> str:
        """What it does, in one line: its command or its description."""

    @property
    def status(self) -> TaskStatus:
        """How it stands."""

    @property
    def exit_code(self) -> int | None:
        """The exit code of a command that has ended."""

    @property
    def output_path(self) -> str:
        """The file its output is written to, or nothing."""

    def output(self, max_chars: int) -> str:
        """Return what it has said so far, the end of it where that is too much. Blocks."""

    def new_output(self, max_chars: int) -> str:
        """Return what it has said since the last time. Blocks."""

    async def wait(self) -> None:
        """Wait until it has ended."""

    async def stop(self) -> None:
        """End it, and return when it has ended."""


class BackgroundTasks(Protocol):
    """The tasks of a session, and what is to be told of them."""

    def add(self, task: BackgroundTask) -> None:
        """Take a task on."""

    def find(self, name: str) -> BackgroundTask | None:
        """Return a task by its id, or None."""

    def all(self) -> Sequence[BackgroundTask]:
        """Return the tasks, the oldest first."""

    def tell(self, text: str, *, is_urgent: bool = True) -> None:
        """Have the model told something with the next message. Any thread may call this.

        What is urgent is worth a turn of its own if nothing else is going on.
        """

    async def wait_for_news(self) -> None:
        """Wait until there is something to tell."""


BACKGROUND_TASKS: Port[BackgroundTasks] = Port("background tasks")
