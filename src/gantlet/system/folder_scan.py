"""What lies below a folder, looked at quickly and not without end."""

import os
import time
from collections.abc import Iterator

from gantlet.messages.value import value

#: Folders that hold what programs make for themselves, and nobody wants to be told of.
SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".gradle", ".terraform",
        ".next", ".cache",
    }
)  # fmt: skip
MAX_FILES = 20_000


@value
class Listing:
    """The files below a folder, by their paths.

    Attributes:
        changed: Those that changed, or came, at or after a moment.
        is_complete: Whether everything was looked at.
    """

    files: frozenset[str]
    changed: frozenset[str] = frozenset()
    is_complete: bool = True


def now_of_files() -> int:
    """Return the present moment as file systems count it, in nanoseconds: never too late."""
    clock = getattr(time, "CLOCK_REALTIME_COARSE", None)
    return time.clock_gettime_ns(clock) if clock is not None else time.time_ns() - 20_000_000


def list_files(folder: str, *, since: int | None = None, most: int = MAX_FILES) -> Listing:
    """Return the files below a folder, and with `since` those that changed from then on. Blocks.

    No program can set back the time by which this is told. Links are not followed.
    """
    files: list[str] = []
    changed: list[str] = []
    for entry in _entries(folder):
        if len(files) >= most:
            return Listing(frozenset(files), frozenset(changed), is_complete=False)
        files.append(entry.path)
        if since is not None and _changed_at(entry) >= since:
            changed.append(entry.path)
    return Listing(frozenset(files), frozenset(changed))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield every file below a folder; what cannot be looked into is left out."""
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in SKIPPED:
                            waiting.append(entry.path)
                    else:
                        yield entry
        except OSError:
            continue


def _changed_at(entry: os.DirEntry[str]) -> int:
    """Return when a file last changed in any way; one that is gone again has not."""
    try:
        return entry.stat(follow_symlinks=False).st_ctime_ns
    except OSError:
        return 0
