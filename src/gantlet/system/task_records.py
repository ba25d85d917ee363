"""Where tasks in the background leave their output, and how other programs find them."""

import json
import os
import re
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from gantlet.messages.value import value
from gantlet.system.private_files import make_private_folder, write_private

FOLDER = "tasks"
_KEPT_SECONDS = 30 * 24 * 3600.0
_MAX_RECORD_BYTES = 1 << 20
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@value
class TaskRecord:
    """What is written down of a task.

    Attributes:
        owner: The program that started it, and when that program started.
        keeper: The process that keeps it, and when that process started.
        status: How it stood when this was written.
    """

    id: str
    kind: str
    command: str
    cwd: str
    started_at: float
    owner: tuple[int, int]
    keeper: tuple[int, int]
    status: str = "running"
    ended_at: float | None = None
    exit_code: int | None = None
    output: str = ""


class TaskFolder:
    """The folder of one session's tasks; made when the first one is."""

    def __init__(self, home: Path) -> None:
        self._home = home / FOLDER
        self.folder = self._home / f"{os.getpid()}-{secrets.token_hex(4)}"

    def output_path(self, task_id: str) -> Path:
        """Return the file for a task's output."""
        return self.folder / f"{task_id}.output"

    def write(self, record: TaskRecord) -> None:
        """Write down how a task stands. A full disk costs the entry, not the task."""
        with suppress(OSError):
            is_new = not self.folder.is_dir()
            make_private_folder(self.folder)
            write_private(self.folder / f"{record.id}.json", json.dumps(asdict(record)))
            if is_new:
                _clear_old(self._home)


def _clear_old(home: Path) -> None:
    """Remove what sessions left behind that ended long ago."""
    oldest = time.time() - _KEPT_SECONDS
    for folder in home.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def read_records(home: Path) -> list[TaskRecord]:
    """Return the tasks of every session that has written some down, the oldest first."""
    found: list[TaskRecord] = []
    for path in sorted((home / FOLDER).glob("*/*.json")):
        record = _read(path)
        if record is not None:
            found.append(record)
    return sorted(found, key=lambda record: record.started_at)


def _read(path: Path) -> TaskRecord | None:
    """Return one record; a file that is none is passed over."""
    try:
        if path.stat().st_size > _MAX_RECORD_BYTES:
            return None
        told = json.loads(path.read_text(encoding="utf-8"))
        told["owner"], told["keeper"] = tuple(told["owner"]), tuple(told["keeper"])
        record = TaskRecord(**told)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return record if _SAFE_ID.fullmatch(record.id) else None


def started_at(pid: int) -> int:
    """Return when a process started, in the kernel's own count; 0 where that cannot be told.

    One that has ended and was not looked at by its parent does not count.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        facts = text.rpartition(")")[2].split()
        return 0 if facts[0] in ("Z", "X") else int(facts[19])
    except (OSError, ValueError, IndexError):
        return 0


def is_alive(process: tuple[int, int]) -> bool:
    """Return whether a process is still the one that was written down."""
    pid, since = process
    if pid <= 0:
        return False
    if since:
        return started_at(pid) == since
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
