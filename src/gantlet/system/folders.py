"""Where our own files lie."""

import os
import pwd
from functools import lru_cache
from pathlib import Path

from gantlet.system.environment import Environment

HOME_VARIABLE = "GANTLET_HOME"


def home_folder(environment: Environment) -> Path:
    """Return the folder for what we write ourselves: `$GANTLET_HOME`, else `~/.gantlet`."""
    given = environment.variables.get(HOME_VARIABLE)
    if given:
        return Path(given).expanduser().absolute()
    return _below(os.path.expanduser("~"))  # noqa: PTH111 - asked many times for one session


@lru_cache(maxsize=4)
def _below(home: str) -> Path:
    """Return our folder in a home directory. Making a path takes longer than all the rest."""
    return Path(home) / ".gantlet"


def account_home() -> Path | None:
    """Return the home directory that the system knows of this user, whatever variables say."""
    try:
        return Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    except KeyError:  # a number without a name, as in containers
        return None
