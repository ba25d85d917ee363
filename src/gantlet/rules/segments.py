"""One segment of a path pattern: a name, or a name with `*`, `?`, `[a-z]` and escapes in it."""

from collections.abc import Iterator
from typing import TypeAlias

from gantlet.messages.value import value
from gantlet.rules.folding import fold
from gantlet.rules.globs import TextGlob


class PatternError(ValueError):
    """A pattern that means nothing; the message says why and what to write instead."""


@value
class AnyDepth:
    """Stands for any number of names: `**`."""


@value
class Name:
    """Exactly this name."""

    text: str

    def matches(self, name: str) -> bool:
        """Return whether that is the name."""
        return name == self.text


@value
class Starred:
    """A name in which stars stand for any characters."""

    glob: TextGlob

    def matches(self, name: str) -> bool:
        """Return whether the name fits."""
        return self.glob.matches(name)


@value
class _AnyChar:
    """One character, whichever: `?`."""

    def takes(self, char: str) -> bool:
        """Return yes."""
        return True


@value
class _OneOf:
    """One character of a set: `[a-z_]`, or one that is not in it: `[!0-9]`."""

    ranges: tuple[tuple[str, str], ...]
    is_negated: bool

    def takes(self, char: str) -> bool:
        """Return whether the character is one of those meant."""
        return any(low <= char <= high for low, high in self.ranges) is not self.is_negated


@value
class _Char:
    """This character."""

    char: str

    def takes(self, char: str) -> bool:
        """Return whether it is this one."""
        return char == self.char


_Token: TypeAlias = _AnyChar | _OneOf | _Char | None  # None is a star


@value
class Mixed:
    """A name in which single characters vary. Matching goes back to the last star only."""

    tokens: tuple[_Token, ...]

    def matches(self, name: str) -> bool:
        """Return whether the name fits."""
        at_token = at = 0
        star, mark = -1, 0
        while at < len(name):
            token = self.tokens[at_token] if at_token < len(self.tokens) else _NOTHING
            if token is None:
                star, mark, at_token = at_token, at, at_token + 1
            elif token.takes(name[at]):
                at_token, at = at_token + 1, at + 1
            elif star < 0:
                return False
            else:
                mark += 1
                at_token, at = star + 1, mark
        return all(token is None for token in self.tokens[at_token:])


Segment: TypeAlias = AnyDepth | Name | Starred | Mixed

ANY_DEPTH = AnyDepth()
ANY_NAME = Starred(TextGlob("*"))
_NOTHING = _OneOf((), is_negated=False)


def read_segment(text: str, *, folds: bool) -> Segment:
    """Return what one segment of a pattern means; `folds` makes it blind to case.

    Raises:
        PatternError: A bracket is not closed, or an escape escapes nothing.
    """
    if text == "**":
        return ANY_DEPTH
    if folds:
        text = fold(text)
    if not any(char in text for char in "*?[\\"):
        return Name(text)
    if not any(char in text for char in "?[\\"):
        return Starred(TextGlob(text))
    tokens = tuple(_tokens(text))
    if all(isinstance(token, _Char) for token in tokens):
        return Name("".join(token.char for token in tokens if isinstance(token, _Char)))
    return Mixed(tokens)


def _tokens(text: str) -> Iterator[_Token]:
    """Take a segment apart."""
    at = 0
    while at < len(text):
        match text[at]:
            case "*":
                yield None
            case "?":
                yield _AnyChar()
            case "\\":
                at += 1
                if at == len(text):
                    raise PatternError("it ends in a backslash that escapes nothing")
                yield _Char(text[at])
            case "[":
                at, token = _read_set(text, at + 1)
                yield token
            case char:
                yield _Char(char)
        at += 1


def _read_set(text: str, at: int) -> tuple[int, _OneOf]:
    """Read a set of characters whose `[` was read; return where its `]` stands, and the set."""
    is_negated = text[at : at + 1] in {"!", "^"}
    at += is_negated
    ranges: list[tuple[str, str]] = []
    start = at
    while at < len(text) and (text[at] != "]" or at == start):
        at, low = _set_char(text, at)
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in {"", "]"}:
            at, high = _set_char(text, at + 1)
        ranges.append((low, high))
    if at >= len(text):
        raise PatternError("a '[' is never closed; write '\\[' for the character itself")
    return at, _OneOf(tuple(ranges), is_negated)


def _set_char(text: str, at: int) -> tuple[int, str]:
    """Read one character of a set, escaped or not; return what follows it, and the character."""
    if text[at] == "\\":
        at += 1
    elif text[at : at + 2] == "[:":
        raise PatternError("named sets such as '[:alpha:]' are not known; write the characters")
    if at >= len(text):
        raise PatternError("a '[' is never closed; write '\\[' for the character itself")
    return at + 1, text[at]
