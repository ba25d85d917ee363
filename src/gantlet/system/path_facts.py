"""What can be known about paths before a call touches them, as values."""

import os
import stat
from collections.abc import Callable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from gantlet.messages.value import replace, value
from gantlet.system.paths import absolute
from gantlet.system.shown_names import meant_path

#: How many files and directories a search looks at before it gives up.
MAX_ENTRIES = 20_000
#: How many paths one pattern may stand for before it counts as unknown.
MAX_MATCHES = 1_000
#: Of how many found files it is looked up whether git keeps them.
_MAX_TRACKED = 100
_MAX_INDEX_BYTES = 64 * 1024 * 1024
#: The versions of git's index in which every path is written out.
_PLAIN_VERSIONS = (b"\0\0\0\2", b"\0\0\0\3")
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


class Scout:
    """Looks at files for those who may not. Reads names and kinds, and no content but git's."""

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about `path`, seen from `cwd`. Never raises."""
        return look_at(path, cwd)

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path that is written as names are shown. Never raises."""
        return look_at(meant_path(path, cwd), cwd)

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what a shell's pattern can stand for, or None where that is too much."""
        return expand(pattern, cwd)

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        """Return for each test what lies below `root` and passes it, by path."""
        return find_below(root, *tests)


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
    try:
        real = _normal(os.path.realpath(whole))
    except (OSError, ValueError, RecursionError):  # the last: very many links, each to the next
        return PathFacts(lexical, lexical, FileKind.UNKNOWN)
    try:
        facts = os.stat(real)  # noqa: PTH116 - a hot path
    except (FileNotFoundError, NotADirectoryError):
        return PathFacts(lexical, real, FileKind.MISSING)
    except (OSError, ValueError):
        return PathFacts(lexical, real, FileKind.UNKNOWN)
    return _seen(lexical, real, facts)


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


def find_below(
    root: str, *tests: Callable[[str], bool], max_entries: int = MAX_ENTRIES
) -> tuple[Found, ...]:
    """Return for each test what lies below `root` and passes it, by path, after one walk.

    Links to directories are not entered. What cannot be read, and what lies beyond `max_entries`,
    makes the search incomplete.
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
        pending += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    is_complete = is_complete and left >= 0
    return tuple(Found(tuple(_with_tracking(passed)), is_complete) for passed in found)


def _names(entry: os.DirEntry[str]) -> tuple[str, ...]:
    """Return an entry's own path, and where it leads."""
    if not entry.is_symlink():
        return (entry.path,)
    try:
        return (entry.path, os.path.realpath(entry.path))
    except RecursionError:  # far more links than the system follows: it leads nowhere
        return (entry.path,)


def _with_tracking(found: list[PathFacts]) -> Iterator[PathFacts]:
    """Yield what was found, the first of it with whether git keeps it."""
    indexes: dict[Path, bytes | None] = {}
    for number, facts in enumerate(found):
        if number >= _MAX_TRACKED:
            yield facts
        else:
            yield replace(facts, is_tracked=_is_tracked(Path(facts.lexical), indexes))


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


def _is_tracked(file: Path, indexes: dict[Path, bytes | None]) -> bool:
    """Return whether the repository a file lies in keeps it; yes where that cannot be told.

    A file that stands in git's index is kept. What was kept once and is no more, is not found.
    """
    root = next((parent for parent in file.parents if os.path.lexists(parent / ".git")), None)
    if root is None:
        return False
    if root not in indexes:
        indexes[root] = _index_of(root)
    index = indexes[root]
    return index is None or os.fsencode(file.relative_to(root)) + b"\0" in index


def _index_of(root: Path) -> bytes | None:
    """Return git's list of what it keeps, or None where that cannot be read."""
    try:
        with (root / ".git" / "index").open("rb") as opened:
            index = opened.read(_MAX_INDEX_BYTES)
    except FileNotFoundError:
        return b""
    except OSError:
        return None  # `.git` is a file that points elsewhere
    is_plain = index[:4] == b"DIRC" and index[4:8] in _PLAIN_VERSIONS
    return index if is_plain and len(index) < _MAX_INDEX_BYTES else None
