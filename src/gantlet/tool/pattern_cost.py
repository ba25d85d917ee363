"""How long a regular expression may take: what repeats inside a repeat may take for ever. Pure."""

import math
import re
from typing import NamedTuple

#: How many ways of matching a name are tried at most, as a power of two.
MAX_BITS = 24.0
#: What one repeat without an end may multiply them with: a name has about so many characters.
_ENDLESS_BITS = 7.0
_COUNTED = re.compile(r"\{(\d*)(,?)(\d*)\}")
_GROUP_START = re.compile(r"\?(?:P?<[^>=!]*>|P=[^)]*|<?[=!]|[aiLmsux-]*:|#[^)]*|>|\()?")
_MAX_COUNT = 1_000


class _Part(NamedTuple):
    """What is known of a part of a pattern: how many ways it has, and whether there is a choice."""

    bits: float
    has_choice: bool


class _Branches:
    """A group being read: the ways of the branch so far, and of the costliest one before."""

    def __init__(self) -> None:
        self.bits = 0.0
        self.most = 0.0
        self.has_choice = False
        self.last = _Part(0.0, has_choice=False)

    def add(self, part: _Part) -> None:
        """Take the next part of the branch."""
        self.bits += part.bits
        self.has_choice |= part.has_choice
        self.last = part

    def turn(self) -> None:
        """Begin the next branch."""
        self.most, self.bits = max(self.most, self.bits), 0.0
        self.has_choice = True
        self.last = _Part(0.0, has_choice=False)

    def repeat(self, least: int, most: float) -> bool:
        """Repeat the last part; return whether that may take for ever."""
        if most <= 1 and least == most:
            return False
        if self.last.has_choice and most > 1:
            return True
        ways = _ENDLESS_BITS if most == math.inf else math.log2(most - least + 1)
        self.bits += ways
        self.has_choice |= ways > 0
        self.last = _Part(0.0, has_choice=ways > 0)
        return False

    @property
    def part(self) -> _Part:
        """The whole group as one part."""
        return _Part(max(self.most, self.bits), self.has_choice)


def may_take_for_ever(pattern: str) -> bool:
    """Return whether matching may take longer than anybody waits.

    A choice inside of a repeat is refused, and so are many repeats in a row, though some of them
    would be fast: whoever writes them can write them otherwise.
    """
    groups, at = [_Branches()], 0
    while at < len(pattern):
        at, is_bad = _step(pattern, at, groups)
        if is_bad:
            return True
    return any(group.part.bits > MAX_BITS for group in groups)


def _step(pattern: str, at: int, groups: list[_Branches]) -> tuple[int, bool]:
    """Read what stands at a place; return where the next begins, and whether it is too much."""
    char = pattern[at]
    if char == "(":
        start = _GROUP_START.match(pattern, at + 1)
        groups.append(_Branches())
        return (start.end() if start is not None else at + 1), False
    if char == ")" and len(groups) > 1:
        group = groups.pop()
        groups[-1].add(group.part)
        return at + 1, group.part.bits > MAX_BITS
    if char == "|":
        groups[-1].turn()
        return at + 1, False
    times = _times(pattern, at)
    if times is not None:
        end, least, most = times
        if end < len(pattern) and pattern[end] in "?+":  # lazy or possessive: no more ways
            end += 1
        return end, groups[-1].repeat(least, most)
    groups[-1].add(_Part(0.0, has_choice=False))
    return _end_of_one(pattern, at), False


def _times(pattern: str, at: int) -> tuple[int, int, float] | None:
    """Return where a repeat ends and how often it repeats, at least and at most; or None."""
    simple = {"*": (0, math.inf), "+": (1, math.inf), "?": (0, 1.0)}.get(pattern[at])
    if simple is not None:
        return at + 1, *simple
    counted = _COUNTED.match(pattern, at)
    if counted is None or not (counted[1] or counted[2]):
        return None
    least = int(counted[1][:4] or 0)
    most = float(counted[3][:4]) if counted[3] else (math.inf if counted[2] else float(least))
    return counted.end(), least, (math.inf if most > _MAX_COUNT else most)


def _end_of_one(pattern: str, at: int) -> int:
    """Return where one character, escape or class ends."""
    if pattern[at] == "\\":
        return at + 2
    if pattern[at] != "[":
        return at + 1
    end = at + 1
    if pattern[end : end + 1] == "^":
        end += 1
    if pattern[end : end + 1] == "]":
        end += 1
    while end < len(pattern) and pattern[end] != "]":
        end += 2 if pattern[end] == "\\" else 1
    return end + 1
