"""Names that look like a name nobody bears."""

import difflib
import heapq
from collections.abc import Iterable

#: A tool's name has at most 64 characters, so nothing is near to a text like this.
_MAX_CHARS = 200
#: How many names are compared letter by letter, which is slow.
_MAX_COMPARED = 100
_SHORT_CHARS = 10
_CUTOFF = 0.5


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Return the `names` that look most like `name`, letters large or small, best first."""
    if len(name) > _MAX_CHARS:
        return []
    wanted = name.lower()
    spelt: dict[str, str] = {}
    for candidate in names:
        spelt.setdefault(candidate.lower(), candidate)
    compared = _likely(wanted, spelt) if len(spelt) > _MAX_COMPARED else spelt
    near = difflib.get_close_matches(wanted, compared, n=count, cutoff=_CUTOFF)
    return [spelt[match] for match in near]


def _likely(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that hold most pieces of `wanted`, and are about as long."""
    length = len(wanted)
    pieces = {wanted[at : at + 3] for at in range(0, length - 2, 2)}
    if length <= _SHORT_CHARS:  # a slip of the fingers can leave no three letters together
        pieces = {wanted[at : at + 2] for at in range(length - 1)} | set(wanted)

    def likeness(name: str) -> int:
        return 2 * sum(map(name.__contains__, pieces)) - abs(len(name) - length)

    return heapq.nlargest(_MAX_COMPARED, names, key=likeness)
