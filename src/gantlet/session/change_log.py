"""The changes that calls made to files, written down so that they can be undone."""

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from gantlet.messages.value import lazy, value
from gantlet.session.images import Images
from gantlet.session.undo_pruning import prune_if_due
from gantlet.system import PrivateLines, digest_of, make_private_folder
from gantlet.tool import FileChange, FileState

UNDO_FOLDER = "undo"
_WITHDRAWS = "withdraws"


@value
class Image:
    """A file at one moment, by the hash of its content."""

    digest: str
    size: int
    mode: int


@value
class ChangeEntry:
    """One change as it is written down.

    Attributes:
        number: Its line in the log, from 1; it is not written down itself.
        turn: In which turn of the session it was made, from 1; 0 is before the first.
        call_id: The call that made it; an undo has an id of its own.
        before: The file before; None where there was none.
        after: The file afterwards; None where it is gone.
        made_folders: Folders that were made for it, outermost first.
        at: When, as UTC.
        undoes: The numbers of the entries that it takes back.
    """

    number: int
    turn: int
    call_id: str
    tool_name: str
    path: str
    before: Image | None
    after: Image | None
    made_folders: tuple[str, ...] = ()
    at: str = ""
    undoes: tuple[int, ...] = ()


class ChangeLog:
    """The log of one session. May be used from any thread."""

    def __init__(self, home: Path, session_id: str) -> None:
        self._home = home
        self.session_id = session_id
        self._lock = threading.Lock()
        self._before_us: int | None = None
        self.turn = 0

    @lazy
    def _root(self) -> Path:
        """Where everything about changes lies; most sessions change nothing."""
        return self._home / UNDO_FOLDER

    @lazy
    def images(self) -> Images:
        """The contents of files as they were."""
        return Images(self._root / "images")

    @property
    def path(self) -> Path:
        """Where the log lies."""
        return self._root / "sessions" / f"{self.session_id}.jsonl"

    def begin_turn(self) -> None:
        """Count the changes from now on to a new turn."""
        self.turn += 1

    def record(self, change: FileChange) -> None:
        """Write a change down, with the content as it was before.

        Raises:
            OSError: It could not be written.
        """
        self.add(change, ())

    def withdraw(self, change: FileChange) -> None:
        """Take back the last word of a change that was not made after all.

        If that cannot be written, undo still finds the file as it was before the change.
        """
        after = self._image(change.after, is_kept=False)
        line = {_WITHDRAWS: [change.call_id, change.path, after.digest if after else None]}
        with suppress(OSError), self._lock, PrivateLines(self.path, is_new=False) as lines:
            lines.mend()
            lines.add(json.dumps(line).encode())

    def add(self, change: FileChange, undoes: Iterable[int]) -> None:
        """Write a change down that takes others back.

        Raises:
            OSError: It could not be written.
        """
        before = self._image(change.before, is_kept=True)
        after = self._image(change.after, is_kept=False)
        entry = ChangeEntry(
            0,
            self._earlier_turns() + self.turn,
            change.call_id,
            change.tool_name,
            change.path,
            before,
            after,
            change.made_folders,
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            tuple(undoes),
        )
        line = {name: told for name, told in asdict(entry).items() if name != "number"}
        with self._lock, PrivateLines(self.path, is_new=False) as lines:
            lines.mend()
            lines.add(json.dumps(line).encode())

    def entries(self) -> tuple[ChangeEntry, ...]:
        """Return all that is written down, oldest first; a line that is torn is left out."""
        try:
            text = self.path.read_bytes()
        except OSError:
            return ()
        return tuple(_entries(text))

    def _image(self, state: FileState | None, *, is_kept: bool) -> Image | None:
        """Return a file's state by its hash, with its content kept where it will be needed."""
        if state is None:
            return None
        digest = state.digest or digest_of(state.content)
        if is_kept:
            self.images.keep(state.content, digest)
        return Image(digest, len(state.content), state.mode)

    def _earlier_turns(self) -> int:
        """Return how many turns earlier runs of the session had that changed files."""
        with self._lock:
            if self._before_us is None:
                make_private_folder(self.path.parent)
                prune_if_due(self._root)
                self._before_us = max((entry.turn for entry in self.entries()), default=0)
            return self._before_us


def change_logs(home: Path) -> list[ChangeLog]:
    """Return the logs of all sessions, the one that was written to last first."""
    found = [(path.stat().st_mtime_ns, path.stem) for path in _log_files(home)]
    return [ChangeLog(home, name) for _, name in sorted(found, reverse=True)]


def _log_files(home: Path) -> list[Path]:
    """Return where logs lie."""
    return list((home / UNDO_FOLDER / "sessions").glob("*.jsonl"))


def _entries(text: bytes) -> Iterator[ChangeEntry]:
    """Yield the entries of a log, numbered by their lines, without those that were withdrawn."""
    found: list[ChangeEntry] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            read = json.loads(line)
            if _WITHDRAWS in read:
                _drop_last(found, *read[_WITHDRAWS])
            else:
                found.append(_entry(number, read))
        except (ValueError, TypeError, KeyError):
            continue
    yield from found


def _drop_last(found: list[ChangeEntry], call_id: str, path: str, digest: str | None) -> None:
    """Take the last entry out that tells of a change which was not made."""
    for at in range(len(found) - 1, -1, -1):
        entry = found[at]
        after = entry.after.digest if entry.after is not None else None
        if (entry.call_id, entry.path, after) == (call_id, path, digest):
            del found[at]
            return


def _entry(number: int, read: Mapping[str, object]) -> ChangeEntry:
    """Return one entry from its line."""
    given = {**read, "number": number}
    for name in ("before", "after"):
        image = given[name]
        given[name] = Image(**image) if isinstance(image, dict) else None
    for name in ("made_folders", "undoes"):
        listed = given[name]
        given[name] = tuple(listed) if isinstance(listed, list) else ()
    return ChangeEntry(**given)  # type: ignore[arg-type]  # what does not fit is caught by who reads
