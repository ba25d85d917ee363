"""A limit on processes that holds for root, whom the kernel's usual limit does not bind."""

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio

from gantlet.system.held_folders import hold_folder, left_folders

_ROOT = Path("/sys/fs/cgroup")
#: Where the limit lies: in a hierarchy of its own, or in the one that all limits share.
_PLACES = (_ROOT / "pids", _ROOT)
_PREFIX = "gantlet-commands-"
_LIMIT = "pids.max"
_MEMBERS = "cgroup.procs"
_ATTEMPTS = 50
_PAUSE_SECONDS = 0.01
#: Joins the group and becomes the command.
_JOIN = 'echo $$ > "$0" && exec "$@"'


class ControlGroup:
    """Processes with a limit on their number. Closing removes the group, once it is empty."""

    def __init__(self, folder: Path, held: int) -> None:
        self._folder = folder
        self._held = held

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
            except FileNotFoundError:
                break
            except OSError:
                await anyio.sleep(_PAUSE_SECONDS)
            else:
                break
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)


def open_control_group(max_processes: int, places: Sequence[Path] = _PLACES) -> ControlGroup | None:
    """Return a new group, or None where we may not make one or need none."""
    if os.getuid() != 0:
        return None
    for place in places:
        _sweep(place)
        folder = place / f"{_PREFIX}{secrets.token_hex(8)}"
        try:
            folder.mkdir()
            held = hold_folder(folder)
        except OSError:
            continue
        try:
            (folder / _LIMIT).write_text(str(max_processes), encoding="ascii")
        except OSError:
            os.close(held)
            with suppress(OSError):
                folder.rmdir()
            continue
        return ControlGroup(folder, held)
    return None


def _sweep(place: Path) -> None:
    """Remove the empty groups of programs that ended without removing them."""
    for folder in left_folders(place, _PREFIX):
        with suppress(OSError):
            folder.rmdir()
