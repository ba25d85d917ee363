"""Open files by their real path, so that no link on the way can lead elsewhere.

What was judged is a real path: one without links. It is opened in a way that fails if a link
stands anywhere on it by now, and whatever is decided after that is decided on the descriptor.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import PurePosixPath
from types import TracebackType
from typing import Self

from gantlet.system.openat2 import open_without_links
from gantlet.system.paths import Place

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY)
_SEARCH = _PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC | _NO_LINK
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | _NO_LINK
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | _NO_LINK
#: Names that mean an open file of whoever asks, and so nothing that could be judged.
_OWN_DESCRIPTORS = ("/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr")
_CHUNK_BYTES = 1024 * 1024

_KINDS = {
    stat.S_IFDIR: "it is a directory",
    stat.S_IFIFO: "it is a FIFO",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFLNK: "it is a link that was not there when the call was judged",
}


class RefusedFileError(OSError):
    """Something that is never opened: no regular file, or not what was judged.

    `reason` says what it is, as a clause: "it is a directory".
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EPERM, reason, path)
        self.path = path
        self.reason = reason


class OpenFile:
    """A regular file, open for reading. What is said of it is said of its descriptor.

    Attributes:
        place: Where it was found.
        facts: What the descriptor says it is.
    """

    def __init__(self, place: Place, descriptor: int, facts: os.stat_result) -> None:
        self.place = place
        self.descriptor = descriptor
        self.facts = facts

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, max_bytes: int) -> bytes:
        """Return all its bytes from where reading stands, `max_bytes` at the most."""
        parts: list[bytes] = []
        # One byte more than the size says shows at once whether it has grown.
        wanted = min(max_bytes, max(self.facts.st_size + 1, _CHUNK_BYTES))
        while wanted > 0:
            part = os.read(self.descriptor, wanted)
            if not part:
                break
            parts.append(part)
            max_bytes -= len(part)
            wanted = min(max_bytes, _CHUNK_BYTES)
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def chunks(self, size: int = _CHUNK_BYTES) -> Iterator[bytes]:
        """Yield its bytes in pieces, from where reading stands."""
        while part := os.read(self.descriptor, size):
            yield part

    def close(self) -> None:
        """Close it; more than once is no harm."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def stamp_of(facts: os.stat_result) -> tuple[int, int, int, int]:
    """Return what a look without reading tells of a file."""
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def open_file(place: Place) -> OpenFile:
    """Open a regular file for reading, exactly where `place` was found.

    Raises:
        FileNotFoundError: There is nothing.
        RefusedFileError: It is no regular file, lies in `/proc`, or a link has come onto the way.
        OSError: It cannot be opened.
    """
    with opened_folder(place) as folder:
        return open_in(folder, place)


def open_in(folder: int, place: Place) -> OpenFile:
    """Open a regular file for reading, in its folder that is already open.

    Raises:
        FileNotFoundError: There is nothing.
        RefusedFileError: It is no regular file, or not the one that was judged.
        OSError: It cannot be opened.
    """
    name = name_of(place)
    _refuse_special(os.stat(name, dir_fd=folder, follow_symlinks=False), place)
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        raise _told(error, place) from error
    try:
        facts = os.fstat(descriptor)
        _refuse_special(facts, place)
        _refuse_new_alias(facts, place)
    except BaseException:
        os.close(descriptor)
        raise
    return OpenFile(place, descriptor, facts)


@contextmanager
def opened_folder(place: Place) -> Iterator[int]:
    """Hold open the folder in which a file is, or would be.

    Raises:
        FileNotFoundError: There is no such folder.
        RefusedFileError: A link has come onto the way, or it lies in `/proc`.
        OSError: It cannot be opened.
    """
    refuse_system_names(place)
    parent = str(PurePosixPath(place.real_text).parent)
    descriptor = open_folder(parent, place)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_folder(real: str, place: Place) -> int:
    """Return a descriptor of the folder at a real path, or of one that can only be searched.

    Raises:
        FileNotFoundError: There is no such folder.
        RefusedFileError: A link has come onto the way, or it lies in `/proc`.
        OSError: It cannot be opened.
    """
    try:
        descriptor = _open_folder(real)
    except OSError as error:
        raise _told(error, place) from error
    if os.fstat(descriptor).st_dev == _proc_device():
        os.close(descriptor)
        raise RefusedFileError(place.lexical_text, "it lies in /proc")
    return descriptor


def _open_folder(real: str) -> int:
    """Open a folder; one that must not be listed is opened for its entries only."""
    try:
        return open_linkless(real, _FOLDER)
    except PermissionError:
        return open_linkless(real, _SEARCH)


def open_linkless(real: str, flags: int) -> int:
    """Open a path on which no link stands, not even at its end.

    Raises:
        OSError: It cannot be opened; `ELOOP` or `ENOTDIR` where a link stands on it.
    """
    descriptor = open_without_links(real, flags)
    return descriptor if descriptor is not None else walk_to(real, flags)


def walk_to(real: str, flags: int) -> int:
    """Open a path name by name, which works on every system and never follows a link.

    Raises:
        OSError: It cannot be opened; `ELOOP` or `ENOTDIR` where a link stands on it.
    """
    *parents, last = [name for name in real.split("/") if name] or ["."]
    here = os.open("/", _PATH_ONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in parents:
            below = os.open(name, _SEARCH, dir_fd=here)
            os.close(here)
            here = below
        return os.open(last, flags | _NO_LINK, dir_fd=here)
    finally:
        os.close(here)


def name_of(place: Place) -> str:
    """Return the last name of a real path.

    Raises:
        RefusedFileError: It is the root, which is a directory.
    """
    name = PurePosixPath(place.real_text).name
    if not name:
        raise RefusedFileError(place.lexical_text, _KINDS[stat.S_IFDIR])
    return name


def refuse_system_names(place: Place) -> None:
    """Refuse names that mean something else to each who asks.

    Raises:
        RefusedFileError: The path leads through `/proc`, or to an open file of ours.
    """
    for path in (place.lexical_text, place.real_text):
        if path == "/proc" or path.startswith("/proc/"):
            raise RefusedFileError(place.lexical_text, "it lies in /proc")
        if any(path == own or path.startswith(f"{own}/") for own in _OWN_DESCRIPTORS):
            raise RefusedFileError(place.lexical_text, "it is a device")


def _refuse_special(facts: os.stat_result, place: Place) -> None:
    """Refuse what is no regular file."""
    kind = stat.S_IFMT(facts.st_mode)
    if kind != stat.S_IFREG:
        raise RefusedFileError(place.lexical_text, _KINDS.get(kind, "it is no regular file"))
    if facts.st_dev == _proc_device():
        raise RefusedFileError(place.lexical_text, "it lies in /proc")


def _refuse_new_alias(facts: os.stat_result, place: Place) -> None:
    """Refuse another file than the judged one if it has a second name: that may be anywhere."""
    if place.inode is None or facts.st_nlink < 2:
        return
    if place.inode != (facts.st_dev, facts.st_ino):
        reason = "it is a second name of another file, which was not there when the call was judged"
        raise RefusedFileError(place.lexical_text, reason)


def _told(error: OSError, place: Place) -> OSError:
    """Return what a failure to open means; a link is told apart from a missing folder."""
    if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _has_link(place.real_text)):
        reason = "a link stands on the way to it that was not there when the call was judged"
        return RefusedFileError(place.lexical_text, reason)
    return error


def _has_link(real: str) -> bool:
    """Return whether a link stands on a path now."""
    with suppress(OSError):
        return os.path.realpath(real) != real
    return True


@cache
def _proc_device() -> int:
    """Return the device of `/proc`, or one that nothing has."""
    try:
        return os.stat("/proc/self").st_dev  # noqa: PTH116 - only a number is wanted
    except OSError:
        return -1
