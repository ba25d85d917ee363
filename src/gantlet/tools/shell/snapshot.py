"""What the user's own shell has set up: functions, aliases, options and PATH, taken once."""

import os
import secrets
from pathlib import Path
from typing import Protocol

from gantlet.system import make_private_folder, write_private

_FOLDER = "shell-snapshots"
_BEGIN = "gantlet-snapshot-begins"
#: Prints the state of an interactive bash as commands that set it up again.
_DUMP = (
    f"echo {_BEGIN}; shopt -p; shopt -po | grep -v -e monitor -e history -e histexpand -e emacs"
    " -e vi -e nounset -e errexit; declare -f; alias -p; printf 'export PATH=%q\\n' \"$PATH\""
)
MAX_BYTES = 4 << 20


class Runner(Protocol):
    """Whoever can run a program and say what it printed."""

    async def run_program(self, argv: tuple[str, ...], seconds: float) -> bytes | None:
        """Return what a program printed, or None where it failed."""


async def take_snapshot(runner: Runner, shell: str, home: Path) -> str:
    """Return the file with the state of the user's bash; nothing where there is none to take."""
    if Path(shell).name != "bash":
        return ""
    told = await runner.run_program((shell, "-i", "-c", _DUMP), seconds=10.0)
    _, found, state = (told or b"").partition(f"{_BEGIN}\n".encode())
    if not found or len(state) > MAX_BYTES:
        return ""
    folder = home / _FOLDER
    path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.sh"
    text = "shopt -s expand_aliases\n" + state.decode("utf-8", "surrogateescape")
    try:
        make_private_folder(folder)
        write_private(path, text)
    except OSError:
        return ""
    return str(path)
