"""The shell tools: commands in the foreground and in the background, and what they share."""

from gantlet.tools.shell.bash import Bash
from gantlet.tools.shell.monitor import Monitor
from gantlet.tools.shell.power_shell import PowerShell
from gantlet.tools.shell.repl import REPL
from gantlet.tools.shell.session import SHELL, ShellSession
from gantlet.tools.shell.settings import SHELL_KEYS, ShellSettings, read_settings
from gantlet.tools.shell.sleep import Sleep
from gantlet.tools.shell.task_output import TaskOutput
from gantlet.tools.shell.task_stop import TaskStop

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
