"""Texts with stars in them: what fits, found in one pass, and which glob covers which."""

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from gantlet.messages.value import value

Pieces: TypeAlias = tuple[str, ...]


def pieces_of(pattern: str) -> Pieces:
    """Return what stands between the stars of `pattern`; one piece means that there is none."""
    first, *others = pattern.split("*")
    return (first, *filter(None, others[:-1]), *others[-1:])


def fits(pieces: Sequence[str], text: str) -> bool:
    """Return whether `text` is these pieces, in order, with anything between them.

    Each piece is taken as far left as it goes. That is always right where only stars stand
    between, and needs no second try: a pattern of a thousand stars costs no more than its length.
    """
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


@value
class TextGlob:
    """A text in which each `*` stands for any characters."""

    text: str
    _pieces: Pieces = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pieces", pieces_of(self.text))

    @property
    def has_star(self) -> bool:
        """Whether more than one text can fit."""
        return len(self._pieces) > 1

    def matches(self, text: str) -> bool:
        """Return whether `text` fits."""
        return fits(self._pieces, text)

    def covers(self, other: "TextGlob") -> bool:
        """Return whether every text that fits `other` fits this one too; no is not certain.

        A star of the other is a character that only a star of ours takes.
        """
        return fits(self._pieces, other.text)
