"""Which paths are mount points for processes that see another file system than we do."""

import os
from pathlib import Path

import anyio

_ESCAPES = {"\\": "\\134", " ": "\\040", "\t": "\\011", "\n": "\\012"}
_PAUSE_SECONDS = 0.01


def is_mounted_elsewhere(path: str) -> bool:
    """Return whether a process in another mount namespace has something mounted at a path.

    A folder can be removed although that is so, and the mount is gone then. Processes of others,
    which we cannot look into, do not count.
    """
    return _holder(path) is not None


async def wait_until_unmounted(path: str) -> None:
    """Wait for the end of every process in another namespace that has a path mounted.

    What was started by a process that ended may live a moment longer than it.
    """
    while (holder := _holder(path)) is not None:
        await _wait_for_end(holder)


def _holder(path: str) -> int | None:
    """Return one process in another mount namespace that has something mounted at a path."""
    written = "".join(_ESCAPES.get(char, char) for char in path).encode("utf-8", "surrogateescape")
    seen = {_namespace("self"), None}
    for name in os.listdir("/proc"):  # noqa: PTH208 - hundreds of names, and no more than names
        namespace = _namespace(name) if name.isdigit() else None
        if namespace in seen:
            continue
        mounts = _mounts(name)
        if mounts is None:
            continue  # it ended as we looked: another one may show us the same mounts
        if written in mounts:
            return int(name)
        seen.add(namespace)
    return None


def _namespace(pid: str) -> str | None:
    """Return a process's mount namespace, or None if we may not know it."""
    try:
        return str(Path(f"/proc/{pid}/ns/mnt").readlink())
    except OSError:
        return None


def _mounts(pid: str) -> set[bytes] | None:
    """Return where a process has mounts, as the kernel writes it, or None if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/mountinfo").read_bytes().splitlines()
    except OSError:
        return None
    return {fields[4] for line in lines if len(fields := line.split(b" ", 5)) > 4}


async def _wait_for_end(pid: int) -> None:
    """Wait for a process's end where the kernel tells of it, else for a moment."""
    try:
        ending = os.pidfd_open(pid)
    except (AttributeError, OSError):
        await anyio.sleep(_PAUSE_SECONDS)
        return
    try:
        await anyio.wait_readable(ending)
    finally:
        os.close(ending)
