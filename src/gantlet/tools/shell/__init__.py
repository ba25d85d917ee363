"""The shell tools: commands in the foreground and in the background, and what they share.

What a session needs of them is here at once. The tools themselves are fetched when first used, so
that start-up does not pay for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from gantlet.tools.shell.session import SHELL, ShellSession
from gantlet.tools.shell.settings import SHELL_KEYS, ShellSettings, read_settings

if TYPE_CHECKING:
    from gantlet.tools.shell.bash import Bash
    from gantlet.tools.shell.monitor import Monitor
    from gantlet.tools.shell.power_shell import PowerShell
    from gantlet.tools.shell.repl import REPL
    from gantlet.tools.shell.sleep import Sleep
    from gantlet.tools.shell.task_output import TaskOutput
    from gantlet.tools.shell.task_stop import TaskStop

_MODULE_OF = {
    "REPL": "repl",
    "Bash": "bash",
    "Monitor": "monitor",
    "PowerShell": "power_shell",
    "Sleep": "sleep",
    "TaskOutput": "task_output",
    "TaskStop": "task_stop",
}

__all__ = [
    "REPL",
    "SHELL",
    "SHELL_KEYS",
    "Bash",
    "Monitor",
    "PowerShell",
    "ShellSession",
    "ShellSettings",
    "Sleep",
    "TaskOutput",
    "TaskStop",
    "read_settings",
]


def __getattr__(name: str) -> object:
    """Fetch a tool when it is first used."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
