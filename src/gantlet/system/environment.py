"""Where we run: what decides which tools exist."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import field

from gantlet.messages.value import value

#: Flags that the environment itself can switch on, by the variable that does it.
FLAG_PREFIX = "GANTLET_FLAG_"


@value
class Environment:
    """The machine and the settings as a tool may see them.

    Attributes:
        for_children: Variables that settings give to the programs that tools run. They are none of
            ours: a trusted project may set them.
    """

    platform: str = sys.platform
    variables: Mapping[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    for_children: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def current(cls, flags: frozenset[str] = frozenset()) -> "Environment":
        """Return this process's environment.

        `GANTLET_FLAG_NAME=1` switches flag `name` on, `=0` off.
        """
        variables = dict(os.environ)
        switched = {
            name.removeprefix(FLAG_PREFIX).lower(): is_on(value)
            for name, value in variables.items()
            if name.startswith(FLAG_PREFIX) and name != FLAG_PREFIX
        }
        on = {name for name, wanted in switched.items() if wanted}
        off = {name for name, wanted in switched.items() if not wanted}
        return cls(variables=variables, flags=(flags | on) - off)

    def has_program(self, name: str) -> bool:
        """Return whether a program of that name would be found."""
        return shutil.which(name, path=self.variables.get("PATH", os.defpath)) is not None

    def is_set(self, variable: str) -> bool:
        """Return whether a variable is set to something that means yes."""
        return is_on(self.variables.get(variable, ""))


def is_on(value: str) -> bool:
    """Return whether a variable's value means yes."""
    return value.strip().lower() not in {"", "0", "false", "no", "off"}
