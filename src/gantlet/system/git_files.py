"""What git keeps, read from its own files. Git itself is not run."""

import os
import struct
from pathlib import Path

from gantlet.messages.value import value

_MAX_INDEX_BYTES = 64 * 1024 * 1024
_HEAD = struct.Struct(">4sLL")
#: What stands in front of an entry's hash, and how long hashes are: SHA-1 and SHA-256.
_FACTS_BYTES = 40
_HASH_BYTES = (20, 32)
_FLAG_BYTES = 2
_EXTENSION = struct.Struct(">4sL")
_IS_EXTENDED = 0x40
#: The version from which on a path is written as its difference from the one before.
_COMPRESSED = 4
_VERSIONS = (2, 3, _COMPRESSED)
#: An extension by which most entries stand in another file.
_SPLIT = b"link"
_POINTER = "gitdir:"


@value
class Repository:
    """A directory that git looks after.

    Attributes:
        top: Where it begins.
        kept: The files in it that git keeps, by their whole paths.
    """

    top: str
    kept: frozenset[str]


def repository_at(folder: str) -> Repository | None:
    """Return the repository that a directory lies in, or None where there is none.

    Raises:
        OSError: What it keeps cannot be told.
    """
    top = top_of(folder)
    if top is None:
        return None
    listed = _listed(git_folder(Path(top)) / "index")
    start = top.rstrip("/")
    return Repository(top, frozenset(f"{start}/{path}" for path in listed))


def top_of(folder: str) -> str | None:
    """Return where the repository begins that a directory lies in, or None where there is none."""
    here = Path(folder)
    tops = (top for top in (here, *here.parents) if os.path.lexists(top / ".git"))
    return next(map(str, tops), None)


def git_folder(top: Path) -> Path:
    """Return where git keeps its files of a repository: that may be elsewhere.

    Raises:
        OSError: That cannot be told.
    """
    folder = top / ".git"
    if folder.is_dir():
        return folder
    text = folder.read_text(encoding="utf-8", errors="surrogateescape")
    if not text.startswith(_POINTER):
        raise OSError(f"{folder} points nowhere.")
    there = top / text.removeprefix(_POINTER).strip()
    if not there.is_dir():
        raise OSError(f"{folder} points to {there}, which is no directory.")
    return there


def _listed(index: Path) -> list[str]:
    """Return the paths in git's index; one that is missing lists nothing.

    Raises:
        OSError: It cannot be read, or not understood.
    """
    try:
        with index.open("rb") as opened:
            content = opened.read(_MAX_INDEX_BYTES)
    except FileNotFoundError:
        return []
    if len(content) >= _MAX_INDEX_BYTES:
        raise OSError(f"{index} is too long.")
    for hash_bytes in _HASH_BYTES:
        try:
            paths, end = _paths(content, hash_bytes)
            _check_rest(content, end, hash_bytes)
        except (struct.error, IndexError, ValueError):
            continue
        return [os.fsdecode(path) for path in paths]
    raise OSError(f"{index} is not understood.")


def _paths(content: bytes, hash_bytes: int) -> tuple[list[bytes], int]:
    """Return the paths of an index, and where its entries end.

    Raises:
        ValueError: It has a form that is not known, or ends too early.
    """
    mark, version, count = _HEAD.unpack_from(content)
    if mark != b"DIRC" or version not in _VERSIONS:
        raise ValueError("This is no index of a known version.")
    at, path = _HEAD.size, b""
    paths: list[bytes] = []
    for _ in range(count):
        flags = at + _FACTS_BYTES + hash_bytes
        start = flags + _FLAG_BYTES * (2 if content[flags] & _IS_EXTENDED else 1)
        if version == _COMPRESSED:
            dropped, start = _dropped(content, start)
            end = content.index(b"\0", start)
            path = path[: len(path) - dropped] + content[start:end]
            at = end + 1
        else:
            end = content.index(b"\0", start)
            path = content[start:end]
            at += (end - at + 8) & ~7
        paths.append(path)
    return paths, at


def _check_rest(content: bytes, at: int, hash_bytes: int) -> None:
    """Make sure that nothing but extensions and a hash follow the entries.

    Raises:
        ValueError: Something else does, or most entries stand in another file.
    """
    last = len(content) - hash_bytes
    while at < last:
        name, size = _EXTENSION.unpack_from(content, at)
        if name == _SPLIT:
            raise ValueError("Most of this index stands in another file.")
        at += _EXTENSION.size + size
    if at != last:
        raise ValueError("The end of this index is not where it should be.")


def _dropped(content: bytes, at: int) -> tuple[int, int]:
    """Return how many bytes of the path before are dropped, and where the rest begins."""
    number = content[at] & 0x7F
    while content[at] & 0x80:
        at += 1
        number = ((number + 1) << 7) | (content[at] & 0x7F)
    return number, at + 1
