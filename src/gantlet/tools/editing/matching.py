r"""Where an old text stands in a file, and what a new text looks like there.

A match is exact. Only what a model cannot see may differ: a line ending given as `\n` matches the
file's own, and a replacement character matches the byte it was shown for.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from gantlet.messages.value import value
from gantlet.system import FileText, with_newlines

_NEWLINE = re.compile("\r\n|\n|\r")
_PAIR = re.compile("\r\n")
_LONE = re.compile("[\ud800-\udfff]")
#: Beyond this many matches only their number counts.
MAX_COUNTED = 1_000


@value
class Match:
    """A stretch of a text that is meant by an old text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        is_exact: Whether it is the old text character by character.
        lone: The bytes that are no text, in the order of the replacement characters given for them.
    """

    start: int
    end: int
    is_exact: bool = True
    lone: tuple[str, ...] = ()


def find_apart(text: str, old: str, most: int | None = None) -> list[Match]:
    """Return the matches of `old` from left to right, none of which begins inside another."""
    return list(islice(_matches(text, old, overlapping=False), most))


def find_all(text: str, old: str) -> list[Match]:
    """Return every place where `old` matches, also those that overlap, up to `MAX_COUNTED`."""
    return list(islice(_matches(text, old, overlapping=True), MAX_COUNTED))


def _matches(text: str, old: str, *, overlapping: bool) -> Iterator[Match]:
    """Yield exact matches; only where there is none, those that differ in what cannot be seen.

    A plain line end in the old text means whichever the file has: it is never the half of one.
    """
    is_plain = "\n" in old and "\r" not in old and "\r" in text
    start = -1 if is_plain else text.find(old)
    if start < 0:
        yield from _loose_matches(text, old, overlapping=overlapping)
    while start >= 0:
        yield Match(start, start + len(old))
        start = text.find(old, start + (1 if overlapping else len(old)))


def _loose_matches(text: str, old: str, *, overlapping: bool) -> Iterator[Match]:
    """Yield matches that differ in line endings or in bytes that are no text.

    Both are made alike first, and what is found is looked up in the text as it is.
    """
    if not ("\r" in text or "\r" in old or "\ufffd" in old):
        return
    plain, wanted = _plain(text), _plain(old)
    pairs = [found.start() - number for number, found in enumerate(_PAIR.finditer(text))]
    holes = [at for at, char in enumerate(wanted) if char == "\ufffd"]
    start = plain.find(wanted)
    while start >= 0:
        begin, end = (at + bisect_left(pairs, at) for at in (start, start + len(wanted)))
        lone = tuple(text[start + at + bisect_left(pairs, start + at)] for at in holes)
        yield Match(begin, end, is_exact=False, lone=lone)
        start = plain.find(wanted, start + (1 if overlapping else len(wanted)))


def _plain(text: str) -> str:
    """Return a text with plain line ends, and a replacement for each byte that is no text."""
    return _LONE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def fitted(new: str, old: str, match: Match, file: FileText) -> str:
    """Return a new text as it goes in place of a match: with the line endings that are there.

    An old text that spells out a carriage return matched as it is; then so is the new one taken.
    """
    if match.lone:
        new = _with_bytes(new, match.lone)
    if "\n" not in new and "\r" not in new:
        return new
    if not match.is_exact:
        return with_newlines(new, _newline_at(file, match))
    if "\r" in old or "\r" not in file.text:
        return new
    newline = _newline_at(file, match)
    return new if "\r" in new or newline == "\n" else with_newlines(new, newline)


def _with_bytes(new: str, lone: tuple[str, ...]) -> str:
    """Put the bytes back that are no text, one for each replacement character, in order."""
    pieces = new.split("\ufffd")
    bytes_of = iter(lone)
    joined = pieces[0]
    for piece in pieces[1:]:
        joined += next(bytes_of, "\ufffd") + piece
    return joined


def _newline_at(file: FileText, match: Match) -> str:
    """Return the line ending where a match stands: inside it, else after it, else before it."""
    inside = _NEWLINE.search(file.text, match.start, match.end)
    nearest = inside or _NEWLINE.search(file.text, match.end)
    if nearest is not None:
        return nearest.group()
    return file.form.newline
