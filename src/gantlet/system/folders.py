"""Where our own files lie."""

from pathlib import Path

from gantlet.system.environment import Environment

HOME_VARIABLE = "GANTLET_HOME"


def home_folder(environment: Environment) -> Path:
    """Return the folder for what we write ourselves: `$GANTLET_HOME`, else `~/.gantlet`."""
    given = environment.variables.get(HOME_VARIABLE)
    return Path(given).expanduser().absolute() if given else Path.home() / ".gantlet"
