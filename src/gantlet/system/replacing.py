"""Put a file in its place whole or not at all, and take one away.

The new content is written beside the old one, in the folder that is held open, and takes its name
in one step. Whatever fails before that leaves the old file as it was.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath

from gantlet.messages.value import value
from gantlet.system.opening import (
    name_of,
    open_folder,
    opened_folder,
    refuse_system_names,
)
from gantlet.system.paths import Place

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_PRIVATE = 0o600
_ORDINARY = 0o666
_MAX_NAME_BYTES = 255


class ChangedFileError(OSError):
    """The file is not the one that was looked at any more: read it again, then decide."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it changed while it was being replaced", path)


@value
class Replaced:
    """What became of a file that was put in place.

    Attributes:
        facts: What it is now.
        made_folders: The folders that had to be made for it, outermost first.
        kept_owner: Whether it still belongs to whom it belonged to.
    """

    facts: os.stat_result
    made_folders: tuple[str, ...] = ()
    kept_owner: bool = True


def digest_of(content: bytes) -> str:
    """Return by which hash a content is known."""
    return hashlib.sha256(content).hexdigest()


def replace_file(
    place: Place,
    content: bytes,
    old: os.stat_result | None,
    *,
    mode: int | None = None,
    keeps_protection: bool = True,
) -> Replaced:
    """Put `content` at a place, in one step, and see it onto the disk.

    Where a file was, its mode, its owner and its attributes stay; `mode` sets another.

    Args:
        place: Where; folders that are missing are made.
        content: All of it.
        old: What was looked at there before: it must be there still. None: nothing may be there.
        mode: The permission bits; None keeps those of `old`, or leaves them to the umask.
        keeps_protection: Refuse to replace a file that we may not write to.

    Raises:
        ChangedFileError: Something else is there than what was looked at.
        RefusedFileError: A link has come onto the way, or it lies in `/proc`.
        OSError: It could not be written; what was there is there still.
    """
    refuse_system_names(place)
    name = name_of(place)
    made = _make_folders(place) if old is None else ()
    try:
        with opened_folder(place) as folder, _drafted(folder, name, content) as draft:
            if old is not None and keeps_protection:
                _refuse_read_only(folder, name, place)
            kept_owner = _dress(draft, folder, name, old, mode)
            os.fsync(draft.descriptor)
            _put(draft, folder, name, place, old)
            _sync(folder)
            return Replaced(os.fstat(draft.descriptor), made, kept_owner)
    except BaseException:
        remove_folders(made, place)
        raise


def remove_file(place: Place, old: os.stat_result) -> None:
    """Take a file away.

    Raises:
        ChangedFileError: Something else is there than what was looked at.
        RefusedFileError: A link has come onto the way, or it lies in `/proc`.
        OSError: It could not be removed.
    """
    name = name_of(place)
    with opened_folder(place) as folder:
        if not is_same(_look(folder, name), old):
            raise ChangedFileError(place.lexical_text)
        os.unlink(name, dir_fd=folder)
        _sync(folder)


def remove_folders(made: tuple[str, ...], place: Place) -> None:
    """Take folders away that were made for a file, innermost first, as far as they are empty."""
    for path in reversed(made):
        with suppress(OSError):
            parent = open_folder(str(PurePosixPath(path).parent), place)
            try:
                os.rmdir(PurePosixPath(path).name, dir_fd=parent)
            finally:
                os.close(parent)


def is_same(now: os.stat_result | None, then: os.stat_result | None) -> bool:
    """Return whether a file has not been touched since it was looked at, as far as stat tells."""
    if now is None or then is None:
        return now is then
    return _stamp(now) == _stamp(then)


def _stamp(facts: os.stat_result) -> tuple[int, int, int, int, int]:
    """Return what changes when a file does."""
    return (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


@value
class _Draft:
    """A file that is being written beside the one it will replace."""

    name: str
    descriptor: int


@contextmanager
def _drafted(folder: int, name: str, content: bytes) -> Iterator[_Draft]:
    """Write a draft under a name nobody can guess; it is gone afterwards."""
    token = f".{secrets.token_hex(8)}.part"
    stem = os.fsencode(name)[: _MAX_NAME_BYTES - len(token) - 1]
    draft_name = f".{os.fsdecode(stem)}{token}"
    descriptor = os.open(draft_name, _NEW, _PRIVATE, dir_fd=folder)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        yield _Draft(draft_name, descriptor)
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(draft_name, dir_fd=folder)


def _dress(
    draft: _Draft, folder: int, name: str, old: os.stat_result | None, mode: int | None
) -> bool:
    """Give a draft the owner, attributes and mode it should have; tell if the owner stays."""
    if old is None:
        os.fchmod(draft.descriptor, _ordinary_mode() if mode is None else mode)
        return True
    kept_owner = _give(draft, old)
    _copy_attributes(draft, folder, name)
    bits = stat.S_IMODE(old.st_mode) if mode is None else mode
    if not kept_owner:
        bits &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(draft.descriptor, bits)
    return kept_owner


def _give(draft: _Draft, old: os.stat_result) -> bool:
    """Give a draft to the old file's owner and group, as far as we may."""
    facts = os.fstat(draft.descriptor)
    if (facts.st_uid, facts.st_gid) == (old.st_uid, old.st_gid):
        return True
    try:
        os.fchown(draft.descriptor, old.st_uid, old.st_gid)
    except OSError:
        with suppress(OSError):
            os.fchown(draft.descriptor, -1, old.st_gid)
        return False
    return True


def _copy_attributes(draft: _Draft, folder: int, name: str) -> None:
    """Copy extended attributes, access lists among them, as far as the system lets us."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        source = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=folder)
        try:
            for attribute in os.listxattr(source):
                with suppress(OSError):
                    value = os.getxattr(source, attribute)
                    os.setxattr(draft.descriptor, attribute, value)
        finally:
            os.close(source)


def _refuse_read_only(folder: int, name: str, place: Place) -> None:
    """Refuse to replace a file that we must not write: a new one in its place would get around it.

    Raises:
        PermissionError: It is write-protected.
    """
    if os.access in os.supports_effective_ids and os.access in os.supports_dir_fd:
        may_write = os.access(name, os.W_OK, dir_fd=folder, effective_ids=True)
        if not may_write and _look(folder, name) is not None:
            raise PermissionError(errno.EACCES, "it is write-protected", place.lexical_text)


def _put(draft: _Draft, folder: int, name: str, place: Place, old: os.stat_result | None) -> None:
    """Let the draft take the name, if what is there is still what was looked at."""
    if old is None:
        _put_new(draft, folder, name, place)
        return
    now = _look(folder, name)
    if not is_same(now, old):
        raise ChangedFileError(place.lexical_text)
    os.replace(draft.name, name, src_dir_fd=folder, dst_dir_fd=folder)


def _put_new(draft: _Draft, folder: int, name: str, place: Place) -> None:
    """Let the draft take a name that nothing has, in one step where the file system can."""
    try:
        os.link(draft.name, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise ChangedFileError(place.lexical_text) from error
    except OSError:  # a file system without second names
        if _look(folder, name) is not None:
            raise ChangedFileError(place.lexical_text) from None
        os.rename(draft.name, name, src_dir_fd=folder, dst_dir_fd=folder)


def _look(folder: int, name: str) -> os.stat_result | None:
    """Return what stands under a name, or None."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def missing_folders(place: Place) -> tuple[str, ...]:
    """Return the folders above a place that do not exist, outermost first."""
    above = [str(one) for one in reversed(PurePosixPath(place.real_text).parents)]
    missing = next((at for at, path in enumerate(above) if not os.path.lexists(path)), len(above))
    return tuple(above[missing:])


def _make_folders(place: Place) -> tuple[str, ...]:
    """Make the folders above a place that are missing, each inside the one that is held open."""
    made: list[str] = []
    try:
        for path in missing_folders(place):
            parent = open_folder(str(PurePosixPath(path).parent), place)
            try:
                os.mkdir(PurePosixPath(path).name, dir_fd=parent)
                made.append(path)
            except FileExistsError:
                continue  # somebody else made it; if it is no folder, opening it says so
            finally:
                os.close(parent)
    except BaseException:
        remove_folders(tuple(made), place)
        raise
    return tuple(made)


def _sync(folder: int) -> None:
    """See a folder's entries onto the disk, where the system can."""
    with suppress(OSError):
        os.fsync(folder)


def _ordinary_mode() -> int:
    """Return the mode a new file has, by the umask of this process."""
    with suppress(OSError, ValueError, StopIteration):
        with open("/proc/self/status", "rb") as status:  # noqa: PTH123 - reading it changes nothing
            line = next(line for line in status if line.startswith(b"Umask:"))
        return _ORDINARY & ~int(line.split()[1], 8)
    mask = os.umask(0o077)  # other systems can only be asked by setting it
    os.umask(mask)
    return _ORDINARY & ~mask
