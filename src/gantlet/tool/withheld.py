"""What permission leaves behind for a call: where its paths are, and what it must not show."""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from gantlet.messages.value import value
from gantlet.system import PathFacts, Place


class Withheld(Protocol):
    """The paths that rules forbid to read. A search leaves them out of what it returns."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is withheld, so that nobody need be asked."""

    def holds(self, place: PathFacts) -> bool:
        """Return whether a place is withheld, by any of its names. This may look at files."""


class NothingWithheld:
    """No rule forbids anything."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is withheld: so it is."""
        return True

    def holds(self, place: PathFacts) -> bool:
        """Return no."""
        return False


NOTHING_WITHHELD = NothingWithheld()


@value
class Judged:
    """What was found out about the paths of a call when it was judged.

    Attributes:
        places: Where each path was, by its name joined to the directory it is seen from.
        withheld: What lies below them and must not be shown.
    """

    places: Mapping[str, Place] = field(default_factory=dict)
    withheld: Withheld = NOTHING_WITHHELD


NOTHING_JUDGED = Judged()
