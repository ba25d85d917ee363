"""Folders that last as long as their process: the next one removes what a killed one left."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

#: How old a folder that nobody holds is at least: a new one is not held for a moment.
_MIN_AGE_SECONDS = 60.0


class HeldFolder:
    """A new folder that only this user can enter, held by a lock that ends with the process."""

    def __init__(self, prefix: str, around: Path | None = None) -> None:
        """Make it, and remove those of that name whose processes are gone.

        Raises:
            OSError: It cannot be made.
        """
        around = around or Path(tempfile.gettempdir())
        for left in left_folders(around, prefix):
            shutil.rmtree(left, ignore_errors=True)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=around))
        self._held = hold_folder(self.path)

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)


def hold_folder(folder: Path) -> int:
    """Hold a folder until the process ends, or the descriptor is closed that is returned.

    Programs in other containers see the lock too, which no number of a process could tell them.

    Raises:
        OSError: There is no such folder.
    """
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):  # a file system without locks: there nothing is ever taken for left
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return held


def left_folders(around: Path, prefix: str) -> Iterator[Path]:
    """Yield our folders of that name that nobody holds any more."""
    latest = time.time() - _MIN_AGE_SECONDS
    with suppress(OSError), os.scandir(around) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and _is_left(entry, latest):
                yield Path(entry.path)


def _is_left(entry: "os.DirEntry[str]", latest: float) -> bool:
    """Return whether an entry is a folder of this user's, made before then, that nobody holds."""
    try:
        seen = entry.stat(follow_symlinks=False)
        if seen.st_uid != os.geteuid() or seen.st_mtime > latest:
            return False
        folder = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # it is no folder, or has just been removed
        return False
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(folder)
    return True
