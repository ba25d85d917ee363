"""A limit on processes that holds for root, whom the kernel's usual limit does not bind."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import anyio

_ROOT = Path("/sys/fs/cgroup")
#: Where the limit lies: in a hierarchy of its own, or in the one that all limits share.
_PLACES = (_ROOT / "pids", _ROOT)
_LIMIT = "pids.max"
_MEMBERS = "cgroup.procs"
_ATTEMPTS = 50
_PAUSE_SECONDS = 0.01
#: Joins the group and becomes the command.
_JOIN = 'echo $$ > "$0" && exec "$@"'


class ControlGroup:
    """Processes with a limit on their number. Closing removes the group, once it is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def prefix(self) -> tuple[str, ...]:
        """The words that start a command in the group."""
        return ("/bin/sh", "-c", _JOIN, str(self._folder / _MEMBERS))

    async def close(self) -> None:
        """Remove the group, once the kernel has taken its last process away.

        One whose processes go on stays, and its limit with it; a later program removes it.
        """
        for _ in range(_ATTEMPTS):
            try:
                self._folder.rmdir()
            except OSError:
                await anyio.sleep(_PAUSE_SECONDS)
            else:
                return


def open_control_group(max_processes: int) -> ControlGroup | None:
    """Return a new group, or None where we may not make one or need none."""
    if os.getuid() != 0:
        return None
    for place in _PLACES:
        _sweep(place)
        folder = place / f"gantlet-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / _LIMIT).write_text(str(max_processes), encoding="ascii")
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            continue
        return ControlGroup(folder)
    return None


def _sweep(place: Path) -> None:
    """Remove the empty groups of programs that ended without removing them."""
    for folder in place.glob("gantlet-*-*"):
        if not Path("/proc", folder.name.split("-")[1]).exists():
            with suppress(OSError):
                folder.rmdir()
