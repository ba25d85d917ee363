"""The shell tools: commands in the foreground and in the background, and what they share."""

from gantlet.tools.shell.bash import Bash
from gantlet.tools.shell.session import SHELL, ShellSession
from gantlet.tools.shell.settings import SHELL_KEYS, ShellSettings, read_settings

__all__ = ["SHELL", "SHELL_KEYS", "Bash", "ShellSession", "ShellSettings", "read_settings"]
