"""What can be known about paths before a call touches them, as values."""

import errno
import os
import stat
from collections.abc import Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import islice

from gantlet.messages.value import value
from gantlet.system.paths import absolute

#: How many paths one pattern may stand for before it counts as unknown.
MAX_MATCHES = 1_000
#: How a directory is opened only to be asked where it is; nothing where a kernel cannot tell.
_PROBE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC if hasattr(os, "O_PATH") else 0
#: What the kernel adds to the name of a directory that is no longer there.
_GONE = " (deleted)"


class FileKind(StrEnum):
    """What stands at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    DEVICE = "device"
    OTHER = "other"
    MISSING = "missing"
    UNKNOWN = "unknown"


@value
class PathFacts:
    """One path: as written, as it really is, and what stands there.

    Attributes:
        lexical: Absolute, `..` folded, links kept.
        real: With every link followed.
        is_linked: Whether the same file has other names somewhere.
        inode: Device and inode number of what exists there.
        is_tracked: Whether git keeps it; found out only by a search, else taken for granted.
    """

    lexical: str
    real: str
    kind: FileKind = FileKind.FILE
    is_linked: bool = False
    inode: tuple[int, int] | None = None
    is_tracked: bool = True

    @property
    def is_known(self) -> bool:
        """Whether anything could be found out at all."""
        return self.kind is not FileKind.UNKNOWN


@value
class Found:
    """What a search found, and whether it looked everywhere."""

    paths: tuple[PathFacts, ...] = ()
    is_complete: bool = True


def look_at(path: str, cwd: str) -> PathFacts:
    """Return what is known about `path`, seen from `cwd`. Never raises."""
    whole = absolute(path.partition("\0")[0], cwd)
    lexical = _normal(whole)
    if "\0" in path:
        return PathFacts(lexical, lexical, FileKind.UNKNOWN)
    if whole == lexical and _PROBE:
        quick = _look_quickly(lexical)
        if quick is not None:
            return quick
    if leads_in_circles(whole):
        return PathFacts(lexical, lexical, FileKind.UNKNOWN)
    try:
        real = _normal(os.path.realpath(whole))
    except (OSError, ValueError, RecursionError):  # the last: links that changed meanwhile
        return PathFacts(lexical, lexical, FileKind.UNKNOWN)
    try:
        facts = os.stat(real)  # noqa: PTH116 - a hot path
    except (FileNotFoundError, NotADirectoryError):
        return PathFacts(lexical, real, FileKind.MISSING)
    except (OSError, ValueError):
        return PathFacts(lexical, real, FileKind.UNKNOWN)
    return _seen(lexical, real, facts)


def leads_in_circles(path: str) -> bool:
    """Return whether a path has a circle of links in it, or more links than the system follows.

    Following each link of a long chain to its end would take the square of its length.
    """
    try:
        os.stat(path)  # noqa: PTH116 - a hot path
    except OSError as error:
        return error.errno == errno.ELOOP
    except ValueError:
        return False
    return False


def _seen(lexical: str, real: str, facts: os.stat_result) -> PathFacts:
    """Return what was seen at a path that exists."""
    kind = _kind(facts.st_mode)
    is_linked = facts.st_nlink > 1 and kind is not FileKind.DIRECTORY
    return PathFacts(lexical, real, kind, is_linked, (facts.st_dev, facts.st_ino))


def _look_quickly(path: str) -> PathFacts | None:
    """Look at what is no link itself, with the kernel's word for where its directory is.

    Following each part of a path by itself takes several times as long. None where that is needed.
    """
    folder, _, name = path.rpartition("/")
    try:
        descriptor = os.open(folder or "/", _PROBE)
    except (OSError, ValueError):
        return None
    try:
        where = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a hot path
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if not where.startswith("/") or where.endswith(_GONE) or not name:
        return None
    real = f"{where.rstrip('/')}/{name}"
    try:
        facts = os.lstat(real)
    except (FileNotFoundError, NotADirectoryError):
        return PathFacts(path, real, FileKind.MISSING)
    except (OSError, ValueError):
        return None
    return None if stat.S_ISLNK(facts.st_mode) else _seen(path, real, facts)


def _normal(path: str) -> str:
    """Fold a path; two slashes in front, which mean something elsewhere, are one."""
    folded = os.path.normpath(path)
    return folded[1:] if folded.startswith("//") else folded


def _kind(mode: int) -> FileKind:
    """Return what a mode says."""
    if stat.S_ISREG(mode):
        return FileKind.FILE
    if stat.S_ISDIR(mode):
        return FileKind.DIRECTORY
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return FileKind.DEVICE
    return FileKind.OTHER


def directory_names(directory: str) -> tuple[str, ...]:
    """Return the names a directory is known under: as written, and with links followed."""
    facts = look_at(directory, "/")
    return tuple(dict.fromkeys((facts.lexical, facts.real)))


def expand(pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
    """Return every path a shell's pattern can stand for, itself included.

    Sets such as `[a-z]` count as any character, so the answer may hold more than the shell's. None
    where it would be too much, or a directory cannot be read.
    """
    whole = absolute(pattern, cwd)
    matches = [""] if whole.startswith("/") else [cwd]
    try:
        for segment in (part for part in whole.split("/") if part):
            matches = list(islice(_step(matches, segment), MAX_MATCHES + 1))
            if len(matches) > MAX_MATCHES:
                return None
    except OSError:
        return None
    seen = (look_at(path, "/") for path in dict.fromkeys(matches))
    return (look_at(pattern, cwd), *seen)


def _step(directories: list[str], segment: str) -> Iterator[str]:
    """Yield what one segment of a pattern can stand for below each directory."""
    if not any(char in segment for char in "*?["):
        yield from (f"{directory}/{segment}" for directory in directories)
        return
    simple = _simplified(segment)
    hides = simple[0] in "*?" and segment[0] != "["
    for directory in directories:
        try:
            names = os.listdir(directory or "/")  # noqa: PTH208 - plain text in, plain text out
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in names:
            if fnmatchcase(name, simple) and not (hides and name.startswith(".")):
                yield f"{directory}/{name}"


def _simplified(segment: str) -> str:
    """Return a segment in which each set of characters is a star: more than the shell means."""
    head, bracket, _ = segment.partition("[")
    return f"{head}*" if bracket else segment
