"""JSON with line numbers: where in a text each member and each item stands."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from gantlet.messages.value import value

_SPACE = " \t\r\n"
_COMMENTS = ("//", "/*", "#")

#: How deeply a text may be nested. Whoever walks through it may call itself.
MAX_DEPTH = 100

#: What a decoder gives: as loose as JSON itself.
Value: TypeAlias = object


class BrokenJsonError(ValueError):
    """A text is no JSON: what is wrong, and on which line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@value
class Spot:
    """A value, and where in the text it begins."""

    value: Value
    at: int


@value
class LocatedJson:
    """A text that is JSON, whose parts can be found again.

    Raises:
        BrokenJsonError: The text is no JSON.
    """

    text: str
    _decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            content = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise BrokenJsonError(_explained(self.text, error), error.lineno) from error
        except (RecursionError, ValueError) as error:
            raise BrokenJsonError("it is nested too deeply, or a number is too long", 1) from error
        if _is_deep(content):
            raise BrokenJsonError(f"it is nested too deeply, more than {MAX_DEPTH} levels", 1)

    @property
    def root(self) -> Spot:
        """The outermost value."""
        return self._read(self._skip(0))[0]

    def line(self, at: int) -> int:
        """Return the number of the line a position is on, from 1."""
        return bisect_right(self._starts, at)

    def find(self, path: Sequence[str | int]) -> Spot:
        """Return the value at a path from the root, or the nearest above it that is there."""
        spot = self.root
        for step in path:
            below = self._child(spot, step)
            if below is None:
                break
            spot = below
        return spot

    def _child(self, spot: Spot, step: str | int) -> Spot | None:
        """Return a member or an item; of members with one name, the last."""
        if isinstance(spot.value, dict) and isinstance(step, str):
            return dict(self.members(spot)).get(step)
        if isinstance(spot.value, list) and isinstance(step, int) and step < len(spot.value):
            return next(islice(self.items(spot), step, None))
        return None

    def members(self, spot: Spot) -> Iterator[tuple[str, Spot]]:
        """Yield every member of an object in order, also those whose name comes again."""
        at = self._skip(spot.at + 1)
        while self.text[at] != "}":
            name, end = self._read(at)
            value, end = self._read(self._skip(self._skip(end) + 1))
            yield str(name.value), value
            at = self._next(end)

    def items(self, spot: Spot) -> Iterator[Spot]:
        """Yield every item of an array in order."""
        at = self._skip(spot.at + 1)
        while self.text[at] != "]":
            value, end = self._read(at)
            yield value
            at = self._next(end)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins."""
        starts = [0]
        starts.extend(at + 1 for at, char in enumerate(self.text) if char == "\n")
        return starts

    def _read(self, at: int) -> tuple[Spot, int]:
        """Return the value that begins at a position, and where it ends."""
        value, end = self._decoder.raw_decode(self.text, at)
        return Spot(value, at), end

    def _next(self, end: int) -> int:
        """Return where the next part begins, behind a comma if there is one."""
        at = self._skip(end)
        return self._skip(at + 1) if self.text[at] == "," else at

    def _skip(self, at: int) -> int:
        """Return the first position that is no space."""
        while at < len(self.text) and self.text[at] in _SPACE:
            at += 1
        return at


def _is_deep(content: object) -> bool:
    """Return whether a value is nested more deeply than anybody means it."""
    level: list[object] = [content]
    for _ in range(MAX_DEPTH):
        boxes = [item for item in level if isinstance(item, dict | list)]
        if not boxes:
            return False
        level = [part for box in boxes for part in (box.values() if isinstance(box, dict) else box)]
    return True


def _explained(text: str, error: json.JSONDecodeError) -> str:
    """Return what is wrong with a text, with what to do about the usual mistakes."""
    rest = text[error.pos :].lstrip(_SPACE + ",")
    before = text[: error.pos].rstrip(_SPACE)
    reason = f"{error.msg}, column {error.colno}"
    if not text.strip():
        return "it is empty; write {} for no settings"
    if rest.startswith(_COMMENTS):
        return f"{reason}; JSON has no comments, remove them"
    if rest[:1] in {"}", "]"} and "," in (before[-1:], text[error.pos : error.pos + 1]):
        return f"{reason}; remove the comma before the {rest[0]!r}"
    if rest.startswith("'"):
        return f"{reason}; JSON wants double quotes"
    return reason
