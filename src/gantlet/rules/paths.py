"""Path patterns: gitignore's grammar below an anchor, matched without looking at any file."""

import posixpath
from collections.abc import Sequence
from functools import lru_cache

from gantlet.messages.value import value
from gantlet.rules.folding import fold
from gantlet.rules.segments import (
    ANY_DEPTH,
    ANY_NAME,
    AnyDepth,
    Name,
    PatternError,
    Segment,
    read_segment,
)
from gantlet.rules.source import Anchors


@value
class PathParts:
    """An absolute path taken apart, as it is written and with its names folded."""

    exact: tuple[str, ...]
    folded: tuple[str, ...]

    @staticmethod
    def of(path: str) -> "PathParts":
        """Take apart a path that is absolute and normal."""
        return _taken_apart(path)


@lru_cache(maxsize=4096)
def _taken_apart(path: str) -> PathParts:
    """Take a path apart. One call's path is asked about by many rules."""
    exact = tuple(name for name in path.split("/") if name)
    return PathParts(exact, tuple(map(fold, exact)))


@value
class PathPattern:
    """Which paths a rule means: those below an anchor that fit, and everything below those.

    Attributes:
        text: The pattern as it was written.
        anchors: The anchor, by each of its names.
        bases: The same, taken apart and spelled as the names that are compared.
        segments: What must follow the anchor.
        is_inside: Only what lies below the last segment is meant: `src/**`, `src/`.
        folds: Case and invisible characters play no part; so it is where a rule forbids.
    """

    text: str
    anchors: tuple[str, ...]
    bases: tuple[tuple[str, ...], ...]
    segments: tuple[Segment, ...]
    is_inside: bool
    folds: bool

    def matches(self, path: PathParts, *, with_root: bool = False) -> bool:
        """Return whether the path is meant; `with_root` adds the directory in front of `/**`."""
        parts = path.folded if self.folds else path.exact
        segments = self.segments
        if self.is_inside and not (with_root or self.folds):
            segments = (*segments, ANY_NAME)
        return any(
            parts[: len(base)] == base and _leads(segments, parts[len(base) :])
            for base in self.bases
        )

    @property
    def key(self) -> str | None:
        """A folded name that every matching path holds, or None where there is none."""
        for segment in reversed(self.segments):
            if isinstance(segment, Name):
                return fold(segment.text)
        names = {base[-1] if base else "" for base in self.bases}
        return fold(names.pop()) or None if len(names) == 1 else None

    @property
    def is_everything(self) -> bool:
        """Whether the pattern means every path of the machine."""
        wild = all(segment in (ANY_DEPTH, ANY_NAME) for segment in self.segments)
        return wild and () in self.bases

    @property
    def roots(self) -> tuple[str, ...]:
        """The directories below which everything that matches lies."""
        if self.folds:
            return self.anchors  # what follows may be spelled otherwise on the disk
        return tuple("/" + "/".join(head) for head in self._heads())

    def covers(self, other: "PathPattern") -> bool:
        """Return whether all that the other means is meant here too; no is not certain."""
        if self.is_everything:
            return True
        if other.folds and not self.folds:
            return False
        theirs = [tuple(map(self._spell, head)) for head in other._heads()]
        if self._is_plain:
            return all(any(_begins(head, mine) for mine in self._heads()) for head in theirs)
        same = self.segments == other.segments and self.is_inside <= other.is_inside
        return same and set(other.bases) <= set(self.bases)

    @property
    def _is_plain(self) -> bool:
        """Whether one directory and all below it is meant, with no wildcard on the way."""
        return all(isinstance(segment, Name) for segment in self.segments)

    def _spell(self, name: str) -> str:
        """Return a name as it is compared here."""
        return fold(name) if self.folds else name

    def _heads(self) -> list[tuple[str, ...]]:
        """Return the names that every match begins with, one list for each name of the anchor."""
        names: list[str] = []
        for segment in self.segments:
            if not isinstance(segment, Name):
                break
            names.append(segment.text)
        return [(*base, *names) for base in self.bases]


def read_path_pattern(text: str, anchors: Anchors, *, forbids: bool) -> PathPattern:
    """Return what a path pattern means.

    `forbids` is true for deny and ask: those match whatever the case, a directory `src/**` at any
    depth, and fall back to the root of the machine where an anchor is not known.

    Raises:
        PatternError: It means nothing; the message says why.
    """
    bases, rest, is_anchored = _anchored(text.strip(), anchors, forbids=forbids)
    raw = [segment for segment in rest.split("/") if segment not in {"", "."}]
    if not raw and not text.strip().startswith("~"):
        raise PatternError("it names no path; '//**' is every path there is")
    if ".." in raw:
        raise PatternError("'..' has no meaning inside a pattern; start it with '//' instead")
    is_inside = rest.endswith("/") or raw[-1:] == ["**"] or not raw
    if rest.endswith("/") and raw[-1:] == ["**"]:
        raw.append("*")  # the directories below, and what lies in them
    while raw[-1:] == ["**"]:
        raw.pop()
    is_floating = not is_anchored and "/" not in rest.rstrip("/")
    if forbids and not is_anchored and len(raw) == 1 and is_inside:
        is_floating = True  # `src/**` forbids a src at any depth
    segments = [read_segment(segment, folds=forbids) for segment in raw]
    if is_floating and segments:
        segments.insert(0, ANY_DEPTH)
    parts = [PathParts.of(base) for base in dict.fromkeys(bases)]
    taken_apart = tuple(part.folded if forbids else part.exact for part in parts)
    return PathPattern(text.strip(), bases, taken_apart, tuple(segments), is_inside, forbids)


def _anchored(text: str, anchors: Anchors, *, forbids: bool) -> tuple[tuple[str, ...], str, bool]:
    """Return the anchor's names, the rest of the pattern, and whether the rest starts right there.

    Raises:
        PatternError: The pattern is negated, climbs out of its anchor, or has none.
    """
    if text.startswith("!"):
        raise PatternError("a rule cannot be negated; write the opposite rule")
    if text.startswith("//"):
        return ("/",), text[1:], True
    if text == "~" or text.startswith("~/"):
        return _known(anchors.home, "home directory", forbids=forbids), text[1:], True
    if text.startswith("/"):
        return _known(anchors.base, "settings directory", forbids=forbids), text, True
    bases = _known(anchors.cwd, "working directory", forbids=forbids)
    text = text.removeprefix("./")
    while text.startswith("../"):
        if not forbids:
            raise PatternError("it climbs out of the working directory; start it with '//'")
        bases = tuple(posixpath.dirname(base.rstrip("/")) or "/" for base in bases)
        text = text.removeprefix("../")
    return bases, text, False


def _known(names: tuple[str, ...], what: str, *, forbids: bool) -> tuple[str, ...]:
    """Return an anchor's names; one that is not known is the root for what forbids."""
    if names:
        return names
    if forbids:
        return ("/",)
    raise PatternError(f"the {what} it is seen from is not known; start it with '//'")


def _begins(path: tuple[str, ...], head: tuple[str, ...]) -> bool:
    """Return whether a path lies at or below another."""
    return path[: len(head)] == head


def _leads(segments: Sequence[Segment], parts: Sequence[str]) -> bool:
    """Return whether some beginning of `parts` is what the segments say.

    Goes back to the last `**` only, so that many of them cost no more than one.
    """
    at_segment = at = 0
    deep, mark = -1, 0
    while at_segment < len(segments):
        segment = segments[at_segment]
        if isinstance(segment, AnyDepth):
            deep, mark, at_segment = at_segment, at, at_segment + 1
        elif at >= len(parts):
            return False
        elif segment.matches(parts[at]):
            at_segment, at = at_segment + 1, at + 1
        elif deep < 0:
            return False
        else:
            mark += 1
            at_segment, at = deep + 1, mark
    return True
