"""Rules about one field of a call's input: `Agent(model:opus)`, `Bash(run_in_background:true)`."""

import json
from collections.abc import Mapping
from dataclasses import field

from gantlet.messages.value import value
from gantlet.rules.folding import fold
from gantlet.rules.globs import TextGlob


@value
class ParamPattern:
    """One top-level field and the values meant; used only where a rule forbids."""

    name: str
    value: str
    _glob: TextGlob = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_glob", TextGlob(fold(self.value)))

    def matches(self, given: Mapping[str, object]) -> bool:
        """Return whether the input holds the field with such a value; an absent one never does."""
        value = given.get(self.name)
        if isinstance(value, str):
            return self._glob.matches(fold(value))
        if isinstance(value, bool | int | float):
            return self._glob.matches(json.dumps(value))
        return False
