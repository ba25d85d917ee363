"""Which calls may go: none that conflicts with an earlier call that is not finished."""

from dataclasses import field

from gantlet.execution.conflicts import ConflictIndex
from gantlet.messages.value import slotted
from gantlet.tool import Footprint


@slotted
class Scheduler:
    """Reservations by position.

    Says who must wait, for whom, and who may go when somebody is done. As long as there are only
    calls that are in nobody's way, as in most replies, nothing is looked up.
    """

    _harmless: dict[int, Footprint] = field(default_factory=dict)  # none while others are there
    _index: ConflictIndex = field(default_factory=ConflictIndex)
    _reserved: dict[int, Footprint] = field(default_factory=dict)
    _going: set[int] = field(default_factory=set)
    _waiting_for: dict[int, int] = field(default_factory=dict)
    _waiters: dict[int, list[int]] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)
    _waited_for: dict[int, dict[int, None]] = field(default_factory=dict)

    def add(self, position: int, footprint: Footprint) -> bool:
        """Reserve what a call touches; return whether it may go at once."""
        if not self._reserved and footprint.is_harmless:
            self._harmless[position] = footprint
            return True
        self._let_in_harmless()
        self._reserved[position] = footprint
        self._index.add(position, footprint)
        if self._index.blocker(position, footprint) is not None:
            return self._try(position)
        self._going.add(position)
        return True

    def finish(self, position: int) -> list[int]:
        """Give a call's reservation back; return who may go now, earliest first."""
        if self._harmless.pop(position, None) is not None:
            return []
        footprint = self._reserved.pop(position, None)
        if footprint is None:
            return []
        self._index.remove(position, footprint)
        self._going.discard(position)
        self._changed.discard(position)
        if self._waiting_for:
            self._stop_waiting(position)
        return self._wake(position) if self._waiters else []

    def change(self, position: int, footprint: Footprint) -> tuple[bool, list[int]]:
        """Give a call another reservation at its old position.

        Returns:
            Whether it may go at once, and who else may go because of what it gave back. A call
            whose input changed also waits for later ones that are already going, so that no two
            conflicting calls overlap.
        """
        self._let_in_harmless()
        old = self._reserved.pop(position)
        self._index.remove(position, old)
        self._going.discard(position)
        self._stop_waiting(position)
        self._reserved[position] = footprint
        self._index.add(position, footprint)
        self._changed.add(position)
        freed = self._wake(position)
        return self._try(position), freed

    def refresh(self, position: int, footprint: Footprint) -> bool:
        """Give a call that has not gone yet another reservation; return whether it may go."""
        self._let_in_harmless()
        self._index.remove(position, self._reserved[position])
        self._stop_waiting(position)
        self._reserved[position] = footprint
        self._index.add(position, footprint)
        return self._try(position)

    def has(self, position: int) -> bool:
        """Return whether a call has something reserved."""
        return position in self._harmless or position in self._reserved

    def footprint_of(self, position: int) -> Footprint:
        """Return what a call has reserved."""
        return self._harmless.get(position) or self._reserved[position]

    def blocker_of(self, position: int) -> int | None:
        """Return the call for which another one waits, or None if it may go."""
        return self._waiting_for.get(position)

    def waited_for(self, position: int) -> list[int]:
        """Return the calls for which another one has waited, each once, in order."""
        return list(self._waited_for[position]) if position in self._waited_for else []

    @property
    def waiting(self) -> list[int]:
        """Those that may not go yet, earliest first."""
        return sorted(self._waiting_for)

    def _let_in_harmless(self) -> None:
        """Reserve what harmless calls touch, now that somebody may be in their way."""
        for position, footprint in self._harmless.items():
            self._reserved[position] = footprint
            self._index.add(position, footprint)
            self._going.add(position)
        self._harmless.clear()

    def _try(self, position: int) -> bool:
        """Let a call go if nothing stands in its way, else note what does."""
        footprint = self._reserved[position]
        blocker = self._index.blocker(position, footprint)
        if blocker is None and position in self._changed:
            blocker = self._going_conflict(position, footprint)
        if blocker is None:
            self._going.add(position)
            return True
        self._waiting_for[position] = blocker
        self._waited_for.setdefault(position, {})[blocker] = None
        self._waiters.setdefault(blocker, []).append(position)
        return False

    def _going_conflict(self, position: int, footprint: Footprint) -> int | None:
        """Return a later call that is going already and conflicts."""
        for other in sorted(self._going):
            if other != position and footprint.conflicts(self._reserved[other]):
                return other
        return None

    def _wake(self, position: int) -> list[int]:
        """Ask those who waited for a call again; return who may go."""
        if position not in self._waiters:
            return []
        waiters = sorted(self._waiters.pop(position, ()))
        for waiter in waiters:
            self._waiting_for.pop(waiter, None)
        return [waiter for waiter in waiters if self._try(waiter)]

    def _stop_waiting(self, position: int) -> None:
        """Take a call off the list of whomever it waits for."""
        blocker = self._waiting_for.pop(position, None)
        if blocker is not None:
            self._waiters[blocker].remove(position)
