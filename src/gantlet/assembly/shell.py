"""The shell of a session, wired together."""

from collections.abc import Mapping
from typing import Any

from gantlet.agents.background import TaskBoard
from gantlet.config import Settings
from gantlet.messages.value import value
from gantlet.system import Environment
from gantlet.tool import Port
from gantlet.tool.background import BACKGROUND_TASKS
from gantlet.tools.shell import SHELL, SHELL_KEYS, ShellSession, read_settings


@value
class SessionShell:
    """What the shell tools of a session share. Nothing is started before the first command."""

    session: ShellSession
    board: TaskBoard

    @property
    def ports(self) -> dict[Port[Any], object]:
        """What is offered to the tools."""
        return {SHELL: self.session, BACKGROUND_TASKS: self.board}


def open_shell(
    project: str, environment: Environment, settings: Mapping[str, object] | None = None
) -> SessionShell:
    """Return the shell of a session that works in a project, and a board for its tasks.

    Raises:
        UserError: The settings make no sense.
    """
    board = TaskBoard()
    settings_read = read_settings(environment, settings)
    return SessionShell(ShellSession(project, environment, board, settings_read), board)


def shell_values(settings: Settings) -> dict[str, object]:
    """Return what settings say about the shell, by their whole keys."""
    return {key: settings.value(key) for key in SHELL_KEYS}
