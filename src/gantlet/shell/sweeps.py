"""Which files a command changes by where they lie, whatever its program."""

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand
from gantlet.shell.find_sweeps import fd_sweeps, find_sweeps, xargs_sweeps
from gantlet.shell.git_sweeps import git_sweeps
from gantlet.shell.sweep import Sweep

_READERS = {
    "fd": fd_sweeps,
    "fdfind": fd_sweeps,
    "find": find_sweeps,
    "gfind": find_sweeps,
    "git": git_sweeps,
    "gxargs": xargs_sweeps,
    "xargs": xargs_sweeps,
}
#: How a command is reached that another one may be once its variables are known.
_GUESS = "expansion"


def sweeps_of(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return which files a command changes by where they lie, without naming each of them."""
    read = _READERS.get(command.program or "")
    if read is None or _GUESS in command.via:
        return ()
    found = read(command)
    if command.cwd is not None or command.program == "git":
        return found
    return tuple(one for sweep in found if (one := _anywhere(sweep)) is not None)


def _anywhere(sweep: Sweep) -> Sweep | None:
    """Return what is changed in a directory that is not known; files of some name are no matter."""
    if sweep.root.startswith(("/", "~")):
        return sweep
    return None if sweep.named else replace(sweep, is_known=False)
