"""Which files a command changed, and what they were before: so that it can be undone and told."""

import os
import stat
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from gantlet.messages.value import value
from gantlet.system import run_in_thread
from gantlet.system.folder_scan import Listing, list_files, now_of_files
from gantlet.tool import FileChange, FileChanges, FileKnowledge, FileState
from gantlet.tools.shell.git_images import GitImages, GitState

#: How large a file may be whose content is kept, and how many are.
MAX_FILE_BYTES = 10 << 20
MAX_KEPT_FILES = 500
_MAX_COPIED_FILES = 200


@value
class Before:
    """How files stood before a command.

    Attributes:
        moment: When that was, as the file system counts.
        listing: Which files there were.
        copies: Files that the command was going to write.
        known: Files whose content the conversation has, and which are still that.
        git: Which files were what the last commit says.
    """

    moment: int
    listing: Listing
    copies: dict[str, FileState]
    known: frozenset[str]
    git: GitState | None


@value
class Changed:
    """What a command changed.

    Attributes:
        files: Every file that changed, came or went.
        lost: Those of them that cannot be undone.
        seen: Those of them that the conversation has seen.
        is_complete: Whether all files were looked at.
    """

    files: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    is_complete: bool = True


class ChangeTracker:
    """Looks at a project before and after commands."""

    def __init__(
        self, project: str, knowledge: FileKnowledge, changes: FileChanges, git: GitImages
    ) -> None:
        self._project = os.path.realpath(project)
        self._knowledge = knowledge
        self._changes = changes
        self._git = git

    async def look(self, writes: Iterable[str]) -> Before:
        """Return how files stand now; `writes` are the paths that a command will write."""
        git = await self._git.state(self._project)
        return await run_in_thread(partial(self._look, tuple(writes), git))

    async def note(self, before: Before, call_id: str, tool_name: str) -> Changed:
        """Return what has changed since, and write it down."""
        moment, project = before.moment, self._project
        now = await run_in_thread(partial(list_files, project, since=moment))
        gone = before.listing.files - now.files if now.is_complete else frozenset()
        paths = sorted(now.changed | gone)
        clean = [path for path in paths if self._needs_git(path, before)]
        blobs = await self._git.contents(project, before.git, clean[:MAX_KEPT_FILES])
        call = _Call(call_id, tool_name)
        return await run_in_thread(partial(self._note, before, paths, blobs, call, now.is_complete))

    def _look(self, writes: tuple[str, ...], git: GitState | None) -> Before:
        """Look at the disk. Blocks."""
        copies: dict[str, FileState] = {}
        for path in writes:
            _copy(path, copies)
        known = frozenset(
            path
            for path, seen in self._knowledge.known().items()
            if seen.stamp is not None and _stamp(path) == seen.stamp
        )
        moment = now_of_files()
        return Before(moment, list_files(self._project), copies, known, git)

    def _needs_git(self, path: str, before: Before) -> bool:
        """Return whether only git may know what a file was."""
        is_known = path in before.copies or path in before.known
        return path in before.listing.files and not is_known and before.git is not None

    def _note(
        self,
        before: Before,
        paths: list[str],
        blobs: dict[str, FileState],
        call: "_Call",
        is_complete: bool,
    ) -> Changed:
        """Write changes down. Blocks."""
        files: list[str] = []
        lost: list[str] = []
        known = self._knowledge.known()
        for path in paths:
            was = self._state_before(path, before, blobs)
            now = _read(path)
            if was is not None and was is not _UNKNOWN and _is_same(was, now):
                continue
            files.append(path)
            if (
                was is _UNKNOWN
                or len(files) > MAX_KEPT_FILES
                or not self._record(FileChange(call.id, call.tool_name, path, was, now))
            ):
                lost.append(path)
            if path in known:
                self._knowledge.mark_changed(path, call.id)
        complete = is_complete and before.listing.is_complete
        seen = tuple(path for path in files if path in known)
        return Changed(tuple(files), tuple(lost), seen, complete)

    def _state_before(
        self, path: str, before: Before, blobs: dict[str, FileState]
    ) -> FileState | None:
        """Return what a file was: its state, None where there was none, or that it is not known."""
        if path in before.copies:
            return before.copies[path]
        if path not in before.listing.files:
            return None if before.listing.is_complete else _UNKNOWN
        if path in before.known:
            seen = self._knowledge.recall(path)
            if seen is not None and seen.content is not None:
                return FileState(seen.content, _mode(path))
        return blobs.get(path, _UNKNOWN)

    def _record(self, change: FileChange) -> bool:
        """Write a change down; return whether that worked."""
        if change.after is _UNKNOWN:
            return False
        try:
            self._changes.record(change)
        except OSError:
            return False
        return True


@value
class _Call:
    """The call whose command it was."""

    id: str
    tool_name: str


#: Stands for a state that nobody knows.
_UNKNOWN = FileState(b"", 0, "unknown")


def _copy(path: str, copies: dict[str, FileState]) -> None:
    """Keep a file, or the files of a folder, that a command is going to write."""
    folder = Path(path)
    found = [path]
    if folder.is_dir() and not folder.is_symlink():
        found = sorted(list_files(path, most=_MAX_COPIED_FILES).files)
    for one in found:
        state = _read(os.path.realpath(one)) if len(copies) < _MAX_COPIED_FILES else None
        if state is not None and state is not _UNKNOWN:
            copies[os.path.realpath(one)] = state


def _read(path: str) -> FileState | None:
    """Return a file's state now; None where there is none, unknown where it is no plain file."""
    try:
        facts = os.lstat(path)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_FILE_BYTES:
            return _UNKNOWN
        return FileState(Path(path).read_bytes(), stat.S_IMODE(facts.st_mode))
    except FileNotFoundError:
        return None
    except OSError:
        return _UNKNOWN


def _is_same(was: FileState, now: FileState | None) -> bool:
    """Return whether a file is what it was."""
    return now is not None and was.content == now.content and was.mode == now.mode


def _mode(path: str) -> int:
    """Return a file's permission bits now; the usual ones where it is gone."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return 0o644


def _stamp(path: str) -> tuple[int, int, int, int] | None:
    """Return what a look without reading tells of a file."""
    try:
        facts = Path(path).stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
