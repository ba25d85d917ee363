"""A file that grows by lines and that only its owner may read."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class PrivateLines:
    """A file, mode 0600, to which whole lines are added; each is on its way when it is added.

    Raises:
        OSError: It cannot be opened; `FileExistsError` if it should be new and is not.
    """

    def __init__(self, path: Path, *, is_new: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags | (os.O_EXCL if is_new else 0), 0o600)
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        os.fchmod(descriptor, 0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, line: bytes) -> None:
        """Add a line, given without its end.

        Raises:
            OSError: It could not be written.
        """
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[self._file.write(rest) or 0 :]

    def lock(self) -> bool:
        """Keep every other program from locking the file; return False if another one has."""
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def mend(self) -> None:
        """End a last line that was cut off, so that the next one stands alone."""
        descriptor = self._file.fileno()
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            self.add(b"")

    def close(self) -> None:
        """Close the file; more than once is no harm."""
        self._file.close()
