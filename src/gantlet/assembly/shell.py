"""The shell of a session, wired together."""

from collections.abc import Mapping

from gantlet.agents.background import TaskBoard
from gantlet.config import Settings
from gantlet.system import Environment
from gantlet.tool import Ports
from gantlet.tool.background import BACKGROUND_TASKS
from gantlet.tools.shell import SHELL, SHELL_KEYS, ShellSession, read_settings


def shell_ports(
    project: str, environment: Environment, settings: Mapping[str, object] | None = None
) -> Ports:
    """Return what shell tools need: the shell itself, and a board for tasks in the background.

    Nothing is started before the first command.

    Raises:
        UserError: The settings make no sense.
    """
    board = TaskBoard()
    shell = ShellSession(project, environment, board, read_settings(environment, settings))
    return Ports({SHELL: shell, BACKGROUND_TASKS: board})


def shell_of(ports: Ports) -> tuple[ShellSession, TaskBoard]:
    """Return the shell and the board that ports offer."""
    board = ports.need(BACKGROUND_TASKS)
    assert isinstance(board, TaskBoard)
    return ports.need(SHELL), board


def shell_values(settings: Settings) -> dict[str, object]:
    """Return what settings say about the shell, by their whole keys."""
    return {key: settings.value(key) for key in SHELL_KEYS}
