"""The shell of a session, wired together: its tools, its tasks, its sandbox."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from gantlet.agents.background import TaskBoard
from gantlet.assembly.configuration import Configuration
from gantlet.config import Settings
from gantlet.messages import Event, Notice, NoticeLevel
from gantlet.messages.value import replace
from gantlet.permissions import ContextHolder
from gantlet.system import Environment, run_in_thread
from gantlet.tool import Port
from gantlet.tool.background import BACKGROUND_TASKS
from gantlet.tools.shell import SHELL, SHELL_KEYS, ShellSession, read_settings


class OpenSandbox(Protocol):
    """The sandbox of a session."""

    @property
    def shelter(self) -> object:
        """What puts commands into it."""

    async def enter(self) -> bool:
        """Open it; return whether it holds."""

    async def leave(self) -> None:
        """Close it."""


class SessionShell:
    """What the shell tools of a session share. Nothing is started before the first command."""

    def __init__(
        self, session: ShellSession, board: TaskBoard, sandbox: OpenSandbox | None = None
    ) -> None:
        self.session = session
        self.board = board
        self._sandbox = sandbox
        self._is_open = False
        if sandbox is not None:
            session.shelter = sandbox.shelter

    @property
    def ports(self) -> dict[Port[Any], object]:
        """What is offered to the tools."""
        return {SHELL: self.session, BACKGROUND_TASKS: self.board}

    async def enter(self, emit: Callable[[Event], None]) -> bool:
        """Open the sandbox, if one is wanted and not open; whoever opened it ends it, by `leave`.

        From then on permission knows whether commands run in a sandbox that holds.
        """
        if self._sandbox is None or self._is_open:
            return False
        holds = await self._sandbox.enter()
        self._is_open = True
        if not holds:
            text = "Commands are to run in a sandbox, and there is none that holds."
            emit(Notice(NoticeLevel.WARNING, text))
        return True

    async def leave(self) -> None:
        """Close the sandbox; commands that still run in it lose their way to the network."""
        if self._sandbox is not None and self._is_open:
            self._is_open = False
            await self._sandbox.leave()

    async def close(self) -> None:
        """End every command, then close the sandbox."""
        await run_in_thread(self.session.close)
        await self.leave()


def open_shell(
    project: str, environment: Environment, settings: Mapping[str, object] | None = None
) -> SessionShell:
    """Return the shell of a session that works in a project, without a sandbox.

    Raises:
        UserError: The settings make no sense.
    """
    board = TaskBoard()
    settings_read = read_settings(environment, settings)
    return SessionShell(ShellSession(project, environment, board, settings_read), board)


def open_session_shell(
    project: str,
    configuration: Configuration,
    holder: ContextHolder,
    hook_file: Path | None = None,
) -> SessionShell:
    """Return the shell of a session as its settings want it, with a sandbox if they do.

    Args:
        project: Where the session works.
        configuration: Its settings.
        holder: What calls are judged against.
        hook_file: Where hooks write variables for commands.

    Raises:
        UserError: The settings make no sense.
    """
    settings, environment = configuration.settings, configuration.environment
    opened = open_shell(project, environment, _shell_values(settings))
    trusted = replace(opened.session.settings, is_trusted=settings.trust.is_whole)
    opened.session.settings = trusted
    opened.session.hook_file = str(hook_file or "")
    sandbox: OpenSandbox | None = None
    if _wants_sandbox(settings):
        from gantlet.assembly.sandboxing import (  # noqa: PLC0415 - heavy, and not always wanted
            open_sandbox,
        )

        sandbox = open_sandbox(configuration, holder)
    return SessionShell(opened.session, opened.board, sandbox)


def _wants_sandbox(settings: Settings) -> bool:
    """Return whether there may be a sandbox; what cannot be read may have asked for one."""
    return settings.is_on("sandbox.enabled") or any(
        problem.key.startswith("sandbox.") for problem in settings.problems
    )


def _shell_values(settings: Settings) -> dict[str, object]:
    """Return what settings say about the shell, by their whole keys."""
    return {key: settings.value(key) for key in SHELL_KEYS}
