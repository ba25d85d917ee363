"""A lock on a file that several programs write."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a file, which is a file beside it and gone afterwards."""
    lock = target.with_name(f".{target.name}.lock")
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(lock, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_same(descriptor, lock):  # else whoever held it took it away
                try:
                    yield
                finally:
                    with suppress(OSError):
                        lock.unlink()
                return
        finally:
            os.close(descriptor)


def _is_same(descriptor: int, path: Path) -> bool:
    """Return whether an open file still stands at a path."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)
