"""Searching directories for paths, not without end, and telling which of them git keeps."""

import os
from collections.abc import Callable, Container, Iterator
from itertools import islice

from gantlet.messages.value import replace
from gantlet.system.git_files import repository_at, top_of
from gantlet.system.path_facts import Found, PathFacts, leads_in_circles, look_at

#: How many files and directories a search looks at before it gives up.
MAX_ENTRIES = 20_000
#: Of how many found files it is looked up whether git keeps them.
_MAX_TRACKED = 100


def find_below(
    root: str,
    *tests: Callable[[str], bool],
    max_entries: int = MAX_ENTRIES,
    passes_over: Container[str] = (),
) -> tuple[Found, ...]:
    """Return for each test what lies below `root` and passes it, by path, after one walk.

    Links to directories are not entered, nor are those of a name that is passed over. What cannot
    be read, and what lies beyond `max_entries`, makes the search incomplete.
    """
    found: tuple[list[PathFacts], ...] = tuple([] for _ in tests)
    pending = [root]
    left = max_entries
    is_complete = True
    while pending and left >= 0:
        try:
            with os.scandir(pending.pop()) as listed:
                entries = list(islice(listed, left + 1))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            is_complete = False
            continue
        left -= len(entries)
        for entry in entries:
            names = _names(entry)
            for passed, test in zip(found, tests, strict=True):
                if any(map(test, names)):
                    passed.append(look_at(entry.path, "/"))
        pending += [
            entry.path
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and entry.name not in passes_over
        ]
    is_complete = is_complete and left >= 0
    return tuple(Found(tuple(_with_tracking(passed)), is_complete) for passed in found)


def _names(entry: os.DirEntry[str]) -> tuple[str, ...]:
    """Return an entry's own path, and where it leads."""
    if not entry.is_symlink() or leads_in_circles(entry.path):
        return (entry.path,)
    return (entry.path, os.path.realpath(entry.path))


def _with_tracking(found: list[PathFacts]) -> Iterator[PathFacts]:
    """Yield what was found, the first of it with whether git keeps it."""
    kept: dict[str | None, frozenset[str] | None] = {}
    for number, facts in enumerate(found):
        if number >= _MAX_TRACKED:
            yield facts
        else:
            yield replace(facts, is_tracked=_is_tracked(facts.lexical, kept))


def _is_tracked(path: str, kept: dict[str | None, frozenset[str] | None]) -> bool:
    """Return whether the repository a file lies in keeps it; yes where that cannot be told.

    A file that stands in git's index is kept. What was kept once and is no more, is not found.
    """
    top = top_of(path.rpartition("/")[0] or "/")
    if top not in kept:
        kept[top] = _kept_at(top)
    files = kept[top]
    return files is None or path in files


def _kept_at(top: str | None) -> frozenset[str] | None:
    """Return the files that the repository at a directory keeps, or None if that is not known."""
    try:
        repository = repository_at(top) if top is not None else None
    except OSError:
        return None
    return repository.kept if repository is not None else frozenset()
