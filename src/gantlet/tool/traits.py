"""What a call declares about itself."""

import logging
from enum import StrEnum
from typing import Protocol, TypeVar

from gantlet.messages.value import value
from gantlet.tool.access import EXCLUSIVE, READS_ANYTHING, Access

_log = logging.getLogger(__name__)
_BOOL = frozenset({bool})

_Args = TypeVar("_Args", contravariant=True)


class Interrupt(StrEnum):
    """What happens to a running call when the user sends a new message."""

    CANCEL = "cancel"
    BLOCK = "block"


@value
class Traits:
    """One call's own account of itself. The defaults are the careful ones.

    Attributes:
        read_only: Changes nothing.
        destructive: Does what cannot be undone.
        concurrency_safe: Short for "reads anything, writes nothing", where `access` is not given.
        access: What the call touches; unknown means exclusive.
        interrupt: Unknown means: stop it if it only reads, let it finish if not.
        failure_stops_siblings: Later calls that depend on it make no sense once it has failed.
        open_world: Reaches things outside this machine.
    """

    read_only: bool = False
    destructive: bool = False
    concurrency_safe: bool = False
    access: Access | None = None
    interrupt: Interrupt | None = None
    failure_stops_siblings: bool = False
    open_world: bool = True

    def __post_init__(self) -> None:
        flags = (
            self.read_only,
            self.destructive,
            self.concurrency_safe,
            self.failure_stops_siblings,
            self.open_world,
        )
        if not _BOOL.issuperset(map(type, flags)):
            raise TypeError("A trait is either True or False, nothing that counts as one.")
        if self.access is not None and not isinstance(self.access, Access):
            raise TypeError(f"The access of a call is an Access or None, not {self.access!r}.")
        if self.interrupt is not None:
            object.__setattr__(self, "interrupt", Interrupt(self.interrupt))
        if self.read_only and self.destructive:
            raise ValueError("A call cannot be read-only and destructive at once.")

    @property
    def reach(self) -> Access:
        """What the call touches, with the short form spelled out."""
        if self.access is not None:
            return self.access
        return READS_ANYTHING if self.concurrency_safe else EXCLUSIVE

    @property
    def on_interrupt(self) -> Interrupt:
        """What an interrupt does to the call, with the default spelled out."""
        if self.interrupt is not None:
            return self.interrupt
        return Interrupt.CANCEL if self.read_only else Interrupt.BLOCK


#: Looks at files and such, and disturbs nobody.
READS_ONLY = Traits(read_only=True, concurrency_safe=True, open_world=False)
#: What a call counts as when nothing can be known about it.
MOST_DANGEROUS = Traits(destructive=True, access=EXCLUSIVE, interrupt=Interrupt.BLOCK)


class DeclaresTraits(Protocol[_Args]):
    """Something that can say what a call with these args is like."""

    name: str

    def traits(self, args: _Args) -> Traits:
        """Return the traits of a call with `args`."""


def ask_traits(tool: DeclaresTraits[_Args], args: _Args) -> Traits:
    """Return the traits of a call; a tool that raises or answers nonsense is most dangerous."""
    try:
        traits = tool.traits(args)
    except Exception:  # noqa: BLE001 - a tool's failure becomes a value here
        _log.warning(
            "Asking %s for its traits failed; the call runs alone.", tool.name, exc_info=True
        )
        return MOST_DANGEROUS
    if not isinstance(traits, Traits):
        _log.warning("%s answered %r for its traits; the call runs alone.", tool.name, traits)
        return MOST_DANGEROUS
    return traits
