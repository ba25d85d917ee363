"""Files and folders that stand where nothing may be made, for as long as a sandbox is in use.

A path that is absent cannot be mounted read-only. So something empty is put there, and taken away
when the last sandbox that needs it has ended. Folders are invisible to git.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gantlet.system.private_files import make_private_folder
from gantlet.system.sandbox.foreign_mounts import is_mounted_elsewhere
from gantlet.system.sandbox.git_folders import Guarded

_FILE_MODE = 0o644
_FOLDER_MODE = 0o755


class Fillers:
    """Keeps fillers in place until it is closed. Other programs of ours may need the same ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}

    def hold(self, wanted: Iterable[Guarded]) -> None:
        """Put fillers where nothing is.

        Raises:
            OSError: One could not be put there.
        """
        for guarded in wanted:
            if guarded.path not in self._held:
                self._held[guarded.path] = self._claimed(guarded)

    def sweep(self) -> None:
        """Take away what a program left that ended without warning."""
        with suppress(OSError):
            for note in tuple(self._folder.iterdir()):
                with suppress(OSError):
                    self._let_go(note, os.open(note, os.O_RDWR | os.O_CLOEXEC))

    def close(self) -> None:
        """Take the fillers away again, the deepest first, where nobody else needs them."""
        for path in sorted(self._held, reverse=True):
            with suppress(OSError):
                self._let_go(self._note(path), self._held[path])
        self._held.clear()

    def _note(self, path: str) -> Path:
        """Return the file that says who needs a filler."""
        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]

    def _claimed(self, guarded: Guarded) -> int:
        """Note that we need a filler, and make it; return the descriptor that keeps the claim."""
        make_private_folder(self._folder)
        note = os.open(self._note(guarded.path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(note, fcntl.LOCK_SH)
            if _make(guarded):
                text = json.dumps({"path": guarded.path, "filler": guarded.filler})
                os.pwrite(note, text.encode(), 0)
        except BaseException:
            os.close(note)
            raise
        return note

    def _let_go(self, path: Path, note: int) -> None:
        """Give up a claim, and take the filler away if that was the last one."""
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_removed(os.pread(note, 65_536, 0)):
                path.unlink()
        finally:
            os.close(note)


def _make(guarded: Guarded) -> bool:
    """Make a filler, and return whether it was made: something may have come there meanwhile."""
    try:
        if guarded.filler is None:
            Path(guarded.path).mkdir(_FOLDER_MODE)
            return True
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(guarded.path, flags, _FILE_MODE)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "wb") as file:
        file.write(guarded.filler.encode())
    return True


def _is_removed(note: bytes) -> bool:
    """Remove a filler that is still as it was made; return False if a command still needs it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        made = json.loads(note)
        path = Path(made["path"])
        if is_mounted_elsewhere(made["path"]):
            return False  # it runs on in the background: whoever looks next may remove it
        if made["filler"] is None:
            path.rmdir()
        elif not path.is_symlink() and path.read_bytes() == made["filler"].encode():
            path.unlink()
    return True
