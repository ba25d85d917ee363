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

import anyio

from gantlet.system.private_files import make_private_folder
from gantlet.system.sandbox.foreign_mounts import is_mounted_elsewhere, wait_until_unmounted
from gantlet.system.sandbox.git_folders import Guarded

_FILE_MODE = 0o644
_FOLDER_MODE = 0o755
#: What a command that ended has left is taken down by the kernel: soon, if the machine is not busy.
_ENDING_SECONDS = 1.0


class Fillers:
    """Keeps fillers in place until it is closed. Other programs of ours may need the same ones."""

    def __init__(self, folder: Path, *, ending_seconds: float = _ENDING_SECONDS) -> None:
        self._folder = folder
        self._ending_seconds = ending_seconds
        self._held: dict[str, int] = {}

    def hold(self, wanted: Iterable[Guarded]) -> None:
        """Put fillers where nothing is.

        Raises:
            OSError: One could not be put there.
        """
        for guarded in wanted:
            if guarded.path not in self._held:
                self._held[guarded.path] = self._claimed(guarded)

    async def sweep(self) -> None:
        """Take away what a program left that ended without warning."""
        with suppress(OSError):
            await self._let_go_of(tuple(self._folder.iterdir()))

    async def close(self) -> None:
        """Take the fillers away again, the deepest first, where nobody else needs them.

        Commands that have just ended get a moment to leave.
        """
        with anyio.CancelScope(shield=True):  # and no more than that moment
            held, self._held = self._held, {}
            for note in held.values():
                os.close(note)
            await self._let_go_of(map(self._note, sorted(held, reverse=True)))

    def _note(self, path: str) -> Path:
        """Return the file that says who needs a filler."""
        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]

    def _claimed(self, guarded: Guarded) -> int:
        """Note that we need a filler, and make it; return the descriptor that keeps the claim."""
        make_private_folder(self._folder)
        note = _shared(self._note(guarded.path))
        try:
            if _make(guarded):
                text = json.dumps({"path": guarded.path, "filler": guarded.filler})
                os.pwrite(note, text.encode(), 0)
        except BaseException:
            os.close(note)
            raise
        return note

    async def _let_go_of(self, notes: Iterable[Path]) -> None:
        """Take the fillers away of which nobody has a claim any more."""
        needed = {note: path for note in notes if (path := _let_go(note)) is not None}
        with anyio.move_on_after(self._ending_seconds):
            for path in needed.values():
                await wait_until_unmounted(path)
        for note in needed:
            _let_go(note)


def _shared(path: Path) -> int:
    """Return a descriptor of a note that nobody removes while it is open."""
    while True:
        note = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(note, fcntl.LOCK_SH)
        if os.fstat(note).st_nlink:
            return note
        os.close(note)  # somebody removed it before we had the lock


def _let_go(path: Path) -> str | None:
    """Take a filler away if nobody has a claim on it.

    Returns:
        Where it stays, because a command needs it.
    """
    with suppress(OSError):
        note = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
            needed = _left_in_place(os.pread(note, 65_536, 0))
            if needed is None:
                path.unlink()
            return needed
        finally:
            os.close(note)
    return None


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


def _left_in_place(note: bytes) -> str | None:
    """Remove a filler that is still as it was made; return where it is if a command needs it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        made = json.loads(note)
        path = Path(made["path"])
        if is_mounted_elsewhere(made["path"]):
            return str(made["path"])  # it runs on in the background: the next to look may remove it
        if made["filler"] is None:
            path.rmdir()
        elif not path.is_symlink() and path.read_bytes() == made["filler"].encode():
            path.unlink()
    return None
