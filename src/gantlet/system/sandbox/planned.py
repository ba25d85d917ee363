"""How one command would be sandboxed, whatever the sandbox is made with."""

from gantlet.messages.value import value
from gantlet.system.sandbox.git_folders import Guarded


@value
class Planned:
    """How one command would be sandboxed.

    Attributes:
        prefix: The words before the command's own.
        fillers: What has to stand on the disk meanwhile.
        problems: Why it would not hold.
        notes: What a person should know.
    """

    prefix: tuple[str, ...]
    fillers: tuple[Guarded, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
