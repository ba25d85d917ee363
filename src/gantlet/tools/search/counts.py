"""How many lines match in each file: very many counts, of which few are looked at."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

from gantlet.tools.search.records import clean_path


class Count(NamedTuple):
    """How many lines of a file match."""

    path: str
    number: int


class Counts(Sequence[Count]):
    """Counts in the order of their paths, read when they are looked at.

    Each is kept as the path and the number with a NUL between them, and NULs for slashes too: that
    is what they are sorted by.
    """

    def __init__(self, keys: Iterable[bytes]) -> None:
        self._keys = sorted(keys)

    @property
    def total(self) -> int:
        """The sum of all of them."""
        numbers = Counter([key[key.rfind(b"\0") + 1 :] for key in self._keys])
        return sum(int(number) * times for number, times in numbers.items())

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, at: int) -> Count: ...

    @overload
    def __getitem__(self, at: slice) -> list[Count]: ...

    def __getitem__(self, at: int | slice) -> Count | list[Count]:
        found = self._keys[at]
        return _count(found) if isinstance(found, bytes) else [_count(key) for key in found]


def count_keys(output: bytes) -> list[bytes]:
    """Return the counts of an output of paths, a NUL and a number on each line, to be sorted.

    What was cut off at the end is left out. A carriage return may follow the number, which is no
    harm: ripgrep ends its own lines so where it takes that for the end of lines.
    """
    lines = output[: output.rfind(b"\n") + 1]
    if lines.count(b"\n") == lines.count(b"\0"):
        return lines.replace(b"/", b"\0").split(b"\n")[:-1]
    return _keys_of_odd_names(output)


def _keys_of_odd_names(output: bytes) -> list[bytes]:
    """Return the same where names may hold line ends."""
    path, *pieces = output.split(b"\0")  # each piece is a number, a line end, and the next path
    keys: list[bytes] = []
    for piece in pieces:
        number, ended, following = piece.partition(b"\n")
        if ended and number.removesuffix(b"\r").isdigit():
            keys.append(path.replace(b"/", b"\0") + b"\0" + number)
        path = following
    return keys


def counted_path(key: bytes) -> str:
    """Return which file is counted, seen from where the search ran."""
    return clean_path(key[: key.rfind(b"\0")].replace(b"\0", b"/"))


def _count(key: bytes) -> Count:
    """Return what is kept as a value."""
    return Count(counted_path(key), int(key[key.rfind(b"\0") + 1 :]))
