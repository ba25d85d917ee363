"""What there is on the disk, as far as planning a sandbox asks."""

import os
import stat
from enum import Enum
from pathlib import Path
from typing import Protocol


class Kind(Enum):
    """What a path is, without following it."""

    ABSENT = "absent"
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    UNKNOWN = "unknown"


class Facts(Protocol):
    """What planning may ask about the disk."""

    def kind(self, path: str) -> Kind:
        """Return what a path is, without following it."""

    def real(self, path: str) -> str:
        """Return a path with every link followed."""

    def text(self, path: str) -> str:
        """Return the beginning of a small file, empty if it cannot be read."""

    def names(self, path: str) -> tuple[str, ...]:
        """Return what a folder holds, sorted; nothing if it cannot be read."""


_MOST_CHARS = 65_536
_MOST_NAMES = 10_000


class DiskFacts:
    """The facts of this machine's disk."""

    def kind(self, path: str) -> Kind:
        """Return what a path is; what cannot be looked at is unknown."""
        try:
            mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return Kind.ABSENT
        except OSError:
            return Kind.UNKNOWN
        if stat.S_ISLNK(mode):
            return Kind.LINK
        return Kind.FOLDER if stat.S_ISDIR(mode) else Kind.FILE

    def real(self, path: str) -> str:
        """Return a path with every link followed."""
        return os.path.realpath(path)

    def text(self, path: str) -> str:
        """Return the beginning of a regular file."""
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                return ""
            with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
                return file.read(_MOST_CHARS)
        except OSError:
            return ""

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder that is no link."""
        try:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                return ()
            return tuple(sorted(one.name for one in Path(path).iterdir())[:_MOST_NAMES])
        except OSError:
            return ()
