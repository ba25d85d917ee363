"""Whether a shell's pattern could stand for a path that a rule means. No file is looked at."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice, product

from gantlet.rules.folding import fold
from gantlet.rules.paths import PathParts, PathPattern
from gantlet.rules.segments import Name, Starred

_WILD = re.compile(r"\[.*|[*?]")
_MAX_TRIES = 64


def could_meet(shell_pattern: str, rule: PathPattern) -> bool:
    """Return whether a name exists that both an absolute shell pattern and a rule mean.

    Tried are the names the rule holds, and the pattern with a letter for each star.
    """
    tries = stands_for(shell_pattern, tuple(_examples(rule)))
    return any(rule.matches(PathParts.of(path)) for path in tries)


def stands_for(shell_pattern: str, names: Sequence[str]) -> Iterator[str]:
    """Yield paths that an absolute shell pattern could stand for, with these names in them."""
    segments = posixpath.normpath("/" + shell_pattern.lstrip("/")).split("/")[1:]
    choices = [[*_standing_for(segment, names)] for segment in segments]
    for path in islice(product(*choices), _MAX_TRIES):
        yield "/" + "/".join(path)


def _examples(rule: PathPattern) -> Iterator[str]:
    """Yield names that the segments of a rule mean."""
    for segment in rule.segments:
        if isinstance(segment, Name):
            yield segment.text
        elif isinstance(segment, Starred):
            yield segment.glob.text.replace("*", "x")


def _standing_for(segment: str, names: Sequence[str]) -> Iterator[str]:
    """Yield which of these names, and what else, a segment of a pattern can stand for."""
    if _WILD.search(segment) is None:
        yield segment
        return
    head, bracket, _ = fold(segment).partition("[")
    simple = f"{head}*" if bracket else head
    hides = simple[0] in "*?" and not bracket
    for name in names:
        if fnmatchcase(name, simple) and not (hides and name.startswith(".")):
            yield name
    yield _WILD.sub("x", segment)
