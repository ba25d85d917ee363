"""What this machine has to make a sandbox with."""

import ctypes
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gantlet.messages.value import value
from gantlet.system.private_files import make_private_folder
from gantlet.system.sandbox.bubblewrap import Tools
from gantlet.system.sandbox.seccomp import build_filter
from gantlet.system.sandbox.views import is_within

_PLACES = (
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
)
_OWN_FOLDER = Path(__file__).resolve().parent
_VERSION = re.compile(r"(\d+)\.(\d+)")
_CAN_LOCK = (0, 8)
_CREATE_RULESET = 444
_ASK_VERSION = 1
_OTHERS_MAY_WRITE = 0o022


@value
class Missing:
    """There is nothing to make a sandbox with, and why."""

    reason: str


def find_tools(
    home: Path,
    *,
    bwrap: str | None = None,
    unix_sockets: bool = False,
    outside_of: Iterable[str] = (),
    interpreter: str | None = None,
) -> Tools | Missing:
    """Return what a sandbox is made with, or why it cannot be made.

    Args:
        home: The folder for what we write ourselves.
        bwrap: The program to use instead of the system's, by its absolute path.
        unix_sockets: Whether the filter lets sockets pass that are files.
        outside_of: Folders that a program of ours must not lie in.
        interpreter: The Python for the last step; this one, if none is given.
    """
    if not sys.platform.startswith("linux"):
        return Missing(f"There is no sandbox for {sys.platform}.")
    found = _find_bwrap(bwrap, tuple(outside_of))
    if isinstance(found, Missing):
        return found
    version = _version(found)
    if version is None:
        return Missing(f"{found} does not say which version it is.")
    python = os.path.realpath(interpreter or own_interpreter())
    return Tools(
        bwrap=found,
        interpreter=python,
        interpreter_folder=sys.base_prefix if interpreter is None else python,
        step=str(_OWN_FOLDER / "inside.py"),
        bridge=str(_OWN_FOLDER / "bridge.py"),
        denied_file=str(_denied_file(home)),
        filter=build_filter(platform.machine(), unix_sockets=unix_sockets),
        has_landlock=landlock_version() > 0,
        can_lock_namespaces=version >= _CAN_LOCK,
    )


def own_interpreter() -> str:
    """Return the Python we run in, without the virtual environment around it."""
    base: str = getattr(sys, "_base_executable", sys.executable)
    return base


def landlock_version() -> int:
    """Return the version of the kernel's Landlock, 0 if it has none."""
    answer: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    return max(answer, 0)


def _find_bwrap(given: str | None, outside_of: tuple[str, ...]) -> str | Missing:
    """Return bubblewrap by its real path, in a place that no command can change."""
    candidates = (given,) if given else _PLACES
    for path in candidates:
        real = os.path.realpath(path)
        if not path.startswith("/") or not os.access(real, os.X_OK):
            continue
        if any(is_within(real, folder) for folder in outside_of):
            return Missing(f"{path} lies where commands may write.")
        if Path(real).stat().st_mode & _OTHERS_MAY_WRITE:
            return Missing(f"{path} can be changed by others.")
        return real
    if given:
        return Missing(f"There is no program at {given!r} (sandbox.bwrapPath).")
    return Missing("bubblewrap is not installed. Install the package 'bubblewrap'.")


def _version(bwrap: str) -> tuple[int, int] | None:
    """Return which version of bubblewrap this is."""
    try:
        said = subprocess.run([bwrap, "--version"], capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(said.stdout.decode("ascii", "replace"))
    return (int(found[1]), int(found[2])) if found else None


def _denied_file(home: Path) -> Path:
    """Return an empty file that nobody may read."""
    folder = home / "sandbox"
    make_private_folder(folder)
    path = folder / "denied"
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0))
    return path
