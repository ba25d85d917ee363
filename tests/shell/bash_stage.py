"""A place where bash may run anything: nothing but stubs, behind walls that hold."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path

BASH, BWRAP, PRLIMIT = (shutil.which(name) for name in ("bash", "bwrap", "prlimit"))
HOME = "/nohome"
MAX_PROCESSES = 24
#: A user whom nobody else is, so that his processes can be counted.
_USER = 61_000 + os.getpid() % 4_000
_TIMEOUT_SECONDS = 3.0
_STUB = """#!/bin/sh
{ printf '%s\\037' "${0##*/}" "$@"; printf '\\036'; } > "$STUB_LOG.$$"
"""
_HOLD = """#!/bin/sh
: > "$STUB_LOG.$$"
exec /bin/sleep 60
"""


class Stage:
    """Runs command lines of bash, with a path that holds nothing but stubs which note their words.

    They run in a namespace of processes that ends with its first one, without the network, with all
    files but their own read-only, as a user of their own if we are root, and with few processes.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="gantlet-bash-"))
        self.root.chmod(0o711)
        self._numbers = count()
        self._bin = self.root / "bin"
        self._bin.mkdir()
        for name in names:
            self._add(name, _STUB)
        self._add("hold", _HOLD)
        (self._bin / "bash").symlink_to(str(BASH))

    def _add(self, name: str, text: str) -> None:
        stub = self._bin / name
        stub.write_text(text)
        stub.chmod(0o755)

    def close(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, command: str) -> list[list[str]] | None:
        """Return the words of every stub that ran, or None if bash did not end."""
        folder = self._folder()
        try:
            if not self._ends(command, folder):
                return None
            records = [record for log in folder.glob("log.*") for record in _records(log)]
            return [record.split("\x1f")[:-1] for record in records]
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def count_held(self, wanted: int) -> int:
        """Return how many of some processes that do not end could be started side by side."""
        folder = self._folder()
        self._ends(f"for i in {{1..{wanted}}}; do hold & done; wait", folder)
        held = len(list(folder.glob("log.*")))
        shutil.rmtree(folder, ignore_errors=True)
        return held

    def _folder(self) -> Path:
        """Make a directory that bash may write to."""
        folder = self.root / f"run{next(self._numbers)}"
        (folder / "work" / "sub").mkdir(parents=True)
        (folder / "work" / "f1").touch()
        if os.geteuid() == 0:
            for path in (folder, folder / "work", folder / "work" / "sub", folder / "work" / "f1"):
                os.chown(path, _USER, _USER)
        return folder

    def _ends(self, command: str, folder: Path) -> bool:
        """Run a command line; return whether it ended by itself in time."""
        environment = {
            "PATH": str(self._bin),
            "STUB_LOG": str(folder / "log"),
            "HOME": HOME,
            "LANG": "C.UTF-8",
            "FUNCNEST": "8",
        }
        someone = {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}
        process = subprocess.Popen(  # type: ignore[call-overload]
            [*self._walls(folder), str(BASH), "--noprofile", "--norc", "-c", command],
            cwd=folder / "work",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **someone,
        )
        try:
            process.wait(_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(process)
        return True

    def _walls(self, folder: Path) -> list[str]:
        """Return what stands before bash: the namespace, then the limits inside it."""
        return [
            *(str(BWRAP), "--unshare-all", "--cap-drop", "ALL", "--die-with-parent"),
            *("--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *("--bind", str(folder), str(folder), "--"),
            *(str(PRLIMIT), f"--nproc={MAX_PROCESSES}", "--fsize=100000", "--cpu=2", "--core=0"),
            *("--nofile=64", "--"),
        ]


def _records(log: Path) -> list[str]:
    """Return what one stub noted."""
    return log.read_text(encoding="utf-8", errors="replace").split("\x1e")[:-1]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End what still runs: with the first process of a namespace, all others end."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@lru_cache(maxsize=1)
def why_no_stage() -> str:
    """Return why bash cannot be let run here, or nothing. The limit is tried, not believed."""
    missing = [
        name
        for name, found in (("bash", BASH), ("bwrap", BWRAP), ("prlimit", PRLIMIT))
        if found is None
    ]
    if missing:
        return f"{', '.join(missing)} is not installed"
    stage = Stage(["alpha"])
    try:
        if stage.run("alpha x") != [["alpha", "x"]]:
            return "bubblewrap runs nothing here"
        held = stage.count_held(MAX_PROCESSES + 8)
        return "" if 0 < held < MAX_PROCESSES else "the number of processes cannot be limited here"
    finally:
        stage.close()
