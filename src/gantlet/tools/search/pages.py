"""Parts of a long answer, and the words that say which part it is."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from gantlet.messages.value import value

_Entry = TypeVar("_Entry")

NO_ENTRIES = "No entries at this offset"


@value
class Page(Generic[_Entry]):
    """Some of the entries of an answer.

    Attributes:
        total: How many there are at least.
        is_total: There are no more than those.
        limit: How many were asked for; 0 is all.
    """

    entries: tuple[_Entry, ...]
    offset: int
    limit: int
    total: int
    is_total: bool = True

    @classmethod
    def of(
        cls, entries: Sequence[_Entry], offset: int, limit: int, *, is_total: bool = True
    ) -> "Page[_Entry]":
        """Return the part of a list that was asked for."""
        end = offset + limit if limit else len(entries)
        return cls(tuple(entries[offset:end]), offset, limit, len(entries), is_total)

    @property
    def has_more(self) -> bool:
        """Whether entries follow that were not asked for."""
        return self.offset + len(self.entries) < self.total

    @property
    def is_past_end(self) -> bool:
        """Whether there are entries, but none where they were asked for."""
        return not self.entries and self.total > 0

    def footer(self, what: str) -> str:
        """Return which part this is, and how to get the next; nothing if it is all there is."""
        last = self.offset + len(self.entries)
        total = f"{self.total:,}" if self.is_total else f"at least {self.total:,}"
        if self.is_past_end:
            return f"{NO_ENTRIES}: there are {total} {what}, and offset is {self.offset:,}."
        if not self.entries or not (self.offset or self.has_more):
            return ""
        more = f" Use offset={last} for the next ones." if self.has_more else ""
        return f"[{what.capitalize()} {self.offset + 1:,}-{last:,} of {total}.{more}]"
