"""Which paths on the disk the deny rules mean, and where further repositories lie.

A mount hides a path, not a pattern. So patterns are looked up once, when the sandbox is made, in
the folders that commands may write to, the shallow ones first and no more than a bound.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from gantlet.messages.value import value
from gantlet.rules.paths import PathParts, PathPattern
from gantlet.rules.segments import Name

#: How many files and folders are looked at.
MOST_ENTRIES = 20_000
_REPOSITORY_LEVELS = 4
_NO_REPOSITORIES = frozenset({"node_modules", ".venv", "site-packages", "target"})


@value
class FoundPaths:
    """What was found.

    Attributes:
        denied: Paths that may not be read.
        protected: Paths that may not be written.
        repositories: Folders with a repository of their own.
        is_complete: Everything was looked at.
    """

    denied: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    is_complete: bool = True


def find_paths(
    roots: Sequence[str], reading: Sequence[PathPattern], editing: Sequence[PathPattern]
) -> FoundPaths:
    """Return what rules that forbid reading and editing mean on this disk."""
    denied, protected = list(_plain(reading)), list(_plain(editing))
    looked_for = [one for one in reading if not _is_plain(one)]
    looked_for_edits = [one for one in editing if not _is_plain(one)]
    repositories: list[str] = []
    count = 0
    has_patterns = bool(looked_for or looked_for_edits)
    for path, level in _walk(roots, None if has_patterns else _REPOSITORY_LEVELS):
        count += 1
        if count > MOST_ENTRIES:
            break
        parts = PathParts.of(path)
        if any(pattern.matches(parts) for pattern in looked_for):
            denied.append(path)
        if any(pattern.matches(parts) for pattern in looked_for_edits):
            protected.append(path)
        if path.endswith("/.git") and 1 < level <= _REPOSITORY_LEVELS:
            repositories.append(path.removesuffix("/.git"))
    return FoundPaths(
        tuple(_outermost(denied)),
        tuple(_outermost(protected)),
        tuple(repositories),
        count <= MOST_ENTRIES or not has_patterns,
    )


def _is_plain(pattern: PathPattern) -> bool:
    """Return whether a pattern means one path."""
    return all(isinstance(segment, Name) for segment in pattern.segments)


def _plain(patterns: Iterable[PathPattern]) -> Iterator[str]:
    """Yield the paths of patterns that mean one path each, there or not."""
    for pattern in patterns:
        if _is_plain(pattern):
            names = [one.text for one in pattern.segments if isinstance(one, Name)]
            for anchor in pattern.anchors:
                yield os.path.normpath("/".join(["/", anchor, *names]).replace("//", "/"))


def _walk(roots: Sequence[str], levels: int | None) -> Iterator[tuple[str, int]]:
    """Yield what lies in folders with its level, shallow first; links are not followed."""
    waiting = deque((root, 0) for root in roots)
    while waiting:
        folder, level = waiting.popleft()
        if levels is not None and level >= levels:
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            yield entry.path, level + 1
            if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                waiting.append((entry.path, level + 1 + _far(entry.name)))


def _far(name: str) -> int:
    """Return how much farther away a folder counts in which no repository of ours is."""
    return _REPOSITORY_LEVELS if name in _NO_REPOSITORIES else 0


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths that lie in no other."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not kept or not path.startswith(f"{kept[-1].rstrip('/')}/"):
            kept.append(path)
    return kept
