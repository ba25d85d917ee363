"""Why calls stop: a tree of scopes (turn, siblings, call), each with a reason or none."""

from collections.abc import Callable
from dataclasses import field
from enum import IntEnum

from gantlet.messages.value import slotted, value


class AbortKind(IntEnum):
    """What stopped a call; the greater one counts where there are several."""

    MESSAGE = 1
    USER = 2
    LIMIT = 3
    ENDED = 4
    SIBLING = 5
    DISCARDED = 6


@value
class Abort:
    """A reason to stop, and for a failed sibling its description."""

    kind: AbortKind
    description: str = field(default="", compare=False)

    def __lt__(self, other: "Abort") -> bool:
        """Say whether another reason counts for more."""
        return self.kind < other.kind


@slotted
class AbortScope:
    """A part of the work that can be stopped as a whole; what stops it stops everything inside.

    Attributes:
        reason: The greatest reason here and above, or None.
    """

    parent: "AbortScope | None" = None
    on_abort: Callable[[Abort], None] | None = None
    reason: Abort | None = None
    _own: Abort | None = None
    _children: "dict[AbortScope, None] | None" = None

    __eq__ = object.__eq__  # each is its own, whatever it holds
    __hash__ = object.__hash__

    def child(self, on_abort: Callable[[Abort], None] | None = None) -> "AbortScope":
        """Return a scope inside this one."""
        scope = AbortScope(self, on_abort, self.reason)
        if self._children is None:
            self._children = {}
        self._children[scope] = None
        return scope

    def close(self) -> None:
        """Leave the tree: nothing stops this scope any more."""
        if self.parent is not None and self.parent._children is not None:
            self.parent._children.pop(self, None)

    def abort(self, reason: Abort) -> None:
        """Stop this scope and everything inside.

        A lesser reason than the present one does nothing.
        """
        if self._own is not None and not self._own < reason:
            return
        self._own = reason
        self._take(reason)  # so that whoever is told finds it everywhere
        self._tell(reason)

    def _take(self, reason: Abort) -> None:
        """Have a reason here and below."""
        if self.reason is None or self.reason < reason:
            self.reason = reason
        for child in self._children or ():
            child._take(reason)

    def _tell(self, reason: Abort) -> None:
        """Pass a reason on to whoever listens here and below."""
        if self.on_abort is not None:
            self.on_abort(reason)
        for child in list(self._children or ()):
            child._tell(reason)
