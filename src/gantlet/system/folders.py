"""Where our own files lie."""

import os
import pwd
from pathlib import Path

from gantlet.system.environment import Environment

HOME_VARIABLE = "GANTLET_HOME"


def home_folder(environment: Environment) -> Path:
    """Return the folder for what we write ourselves: `$GANTLET_HOME`, else `~/.gantlet`."""
    given = environment.variables.get(HOME_VARIABLE)
    return Path(given).expanduser().absolute() if given else Path.home() / ".gantlet"


def account_home() -> Path | None:
    """Return the home directory that the system knows of this user, whatever variables say."""
    try:
        return Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    except KeyError:  # a number without a name, as in containers
        return None
