"""Which paths are mount points for processes that see another file system than we do."""

import os
from pathlib import Path

_ESCAPES = {"\\": "\\134", " ": "\\040", "\t": "\\011", "\n": "\\012"}


def is_mounted_elsewhere(path: str) -> bool:
    """Return whether a process in another mount namespace has something mounted at a path.

    A folder can be removed although that is so, and the mount is gone then. Processes of others,
    which we cannot look into, do not count.
    """
    written = "".join(_ESCAPES.get(char, char) for char in path).encode("utf-8", "surrogateescape")
    own = _namespace("self")
    seen = {own, None}
    for name in os.listdir("/proc"):  # noqa: PTH208 - hundreds of names, and no more than names
        namespace = _namespace(name) if name.isdigit() else None
        if namespace in seen:
            continue
        seen.add(namespace)
        if _has_mount(name, written):
            return True
    return False


def _namespace(pid: str) -> str | None:
    """Return a process's mount namespace, or None if we may not know it."""
    try:
        return str(Path(f"/proc/{pid}/ns/mnt").readlink())
    except OSError:
        return None


def _has_mount(pid: str, written: bytes) -> bool:
    """Return whether a process has a mount at a path, in the form the kernel writes it."""
    try:
        lines = Path(f"/proc/{pid}/mountinfo").read_bytes().splitlines()
    except OSError:
        return False
    return any(len(fields := line.split(b" ", 5)) > 4 and fields[4] == written for line in lines)
