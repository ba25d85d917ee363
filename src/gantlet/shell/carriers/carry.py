"""What one command carries, by whichever way."""

from collections.abc import Sequence

from gantlet.shell.analysis import SimpleCommand
from gantlet.shell.carriers.code import CODE_PROGRAMS, base_name, read_code
from gantlet.shell.carriers.load import Load
from gantlet.shell.carriers.shells import SHELL_PROGRAMS, read_shell
from gantlet.shell.carriers.unwrap import CARRIERS, unwrap

#: Programs that may carry something; all others carry nothing.
CARRYING = CARRIERS | SHELL_PROGRAMS | CODE_PROGRAMS | {"jobs"}


def is_carrying(name: str | None) -> bool:
    """Return whether a program may carry something; one that is not known may."""
    return name is None or name in CARRYING or base_name(name) in CARRYING


def load_of(command: SimpleCommand, stdin: Sequence[str]) -> Load | None:
    """Return what a command carries, or None if it cannot carry anything."""
    name = command.program
    if not command.assignments and (name is None or not is_carrying(name)):
        return None
    load = Load()
    name = name or ""
    unwrap(name, command, load)
    read_shell(name, command, stdin, load)
    read_code(name, command, stdin, load)
    return load
