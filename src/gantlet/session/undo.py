"""Take changes of files back, exactly, and never over what somebody else has changed since."""

import os
import stat
from collections.abc import Collection, Iterable, Sequence

from gantlet.messages.value import slotted, value
from gantlet.session.change_log import ChangeEntry, ChangeLog, Image
from gantlet.system import (
    Place,
    RefusedFileError,
    digest_of,
    open_file,
    remove_file,
    remove_folders,
    replace_file,
)
from gantlet.tool import FileChange, FileState, UserError

UNDO = "Undo"
_ID_PREFIX = "undo-"


@value
class RestoredFile:
    """A file that is, or would be, as it was: `action` is what that takes."""

    path: str
    action: str


@value
class BlockedFile:
    """A file that is left alone, and why."""

    path: str
    reason: str


@value
class UndoResult:
    """What came of an undo. Nothing is touched as long as something is blocked.

    Attributes:
        call_id: Under which id the undo itself can be undone; empty where nothing was done.
        restored: The files that are as they were.
        blocked: The files that somebody has changed since, or that cannot be restored.
    """

    call_id: str
    restored: tuple[RestoredFile, ...]
    blocked: tuple[BlockedFile, ...]

    @property
    def is_done(self) -> bool:
        """Whether everything is as it was."""
        return not self.blocked


@slotted
class _File:
    """One file on its way back.

    Attributes:
        facts: What stands there; None where nothing does.
        content: All its bytes.
        now: The state it would have after the steps so far.
        undoes: The entries that are taken back.
        made_folders: The folders that were made for it.
        mode: The permission bits it should have; None leaves them.
    """

    path: str
    facts: os.stat_result | None
    content: bytes
    now: str | None
    undoes: list[int]
    made_folders: tuple[str, ...] = ()
    image: Image | None = None
    mode: int | None = None
    blocked: str = ""


def undo(
    log: ChangeLog, target: str = "", *, is_forced: bool = False, is_trial: bool = False
) -> UndoResult:
    """Take back what a call or a turn changed; without a target, the last turn that changed files.

    Args:
        log: The session's log.
        target: The id of a call or the beginning of one, or the number of a turn.
        is_forced: Restore files also over later changes of others.
        is_trial: Only tell what would be done.

    Raises:
        UserError: There is no such change, or a file could not be written.
    """
    entries = log.entries()
    return _take_back(log, entries, choose(entries, target), is_forced=is_forced, is_trial=is_trial)


def rewind(log: ChangeLog, call_ids: Collection[str], *, is_trial: bool = False) -> UndoResult:
    """Take back what several calls changed, the newest first, as one undo.

    Raises:
        UserError: A file could not be written.
    """
    entries = log.entries()
    undone = undone_numbers(entries)
    chosen = tuple(
        entry for entry in entries if entry.call_id in call_ids and entry.number not in undone
    )
    if not chosen:
        return UndoResult("", (), ())
    return _take_back(log, entries, chosen, is_forced=False, is_trial=is_trial)


def _take_back(
    log: ChangeLog,
    entries: Sequence[ChangeEntry],
    chosen: tuple[ChangeEntry, ...],
    *,
    is_forced: bool,
    is_trial: bool,
) -> UndoResult:
    """Take chosen changes back, unless somebody else has changed a file since."""
    files = _stepped_back(entries, chosen, is_forced=is_forced)
    blocked = tuple(BlockedFile(file.path, file.blocked) for file in files if file.blocked)
    changed = [file for file in files if not file.blocked and _differs(file)]
    told = tuple(RestoredFile(file.path, _action(file)) for file in changed)
    if blocked or is_trial:
        return UndoResult("", told, blocked)
    call_id = f"{_ID_PREFIX}{entries[-1].number + 1}" if changed else ""
    for file in changed:
        _restore(log, file, call_id)
    for file in files:
        if file.now is None:
            remove_folders(file.made_folders, Place(file.path, file.path))
    return UndoResult(call_id, told, ())


def undone_numbers(entries: Iterable[ChangeEntry]) -> set[int]:
    """Return the numbers of the entries that were taken back; an undo can be undone too."""
    by_number: dict[int, ChangeEntry] = {}
    undone: set[int] = set()
    for entry in entries:
        by_number[entry.number] = entry
        for number in entry.undoes:
            undone.add(number)
            if number in by_number:
                undone.difference_update(by_number[number].undoes)
    return undone


def choose(entries: Sequence[ChangeEntry], target: str) -> tuple[ChangeEntry, ...]:
    """Return the entries that a target means, without those that were taken back already.

    Raises:
        UserError: It means none, or several calls.
    """
    undone = undone_numbers(entries)
    left = [entry for entry in entries if entry.number not in undone]
    if not target:
        target = str(next((one.turn for one in reversed(left) if one.tool_name != UNDO), ""))
        if not target:
            raise UserError("there is nothing to undo in this session.")
    if target.isdecimal():
        chosen = [one for one in left if one.turn == int(target) and one.tool_name != UNDO]
        what = f"turn {target}"
    else:
        chosen = _of_call(left, target)
        what = f"call {target}"
    if not chosen:
        raise UserError(f"{what} has changed no files, or they are as they were. Try --list.")
    return tuple(chosen)


def _of_call(entries: Sequence[ChangeEntry], target: str) -> list[ChangeEntry]:
    """Return the entries of a call, by its id or the beginning of it."""
    exact = [entry for entry in entries if entry.call_id == target]
    if exact:
        return exact
    found = [entry for entry in entries if entry.call_id.startswith(target)]
    ids = dict.fromkeys(entry.call_id for entry in found)
    if len(ids) > 1:
        raise UserError(f"{target!r} may mean {', '.join(ids)}. Give more of the id.")
    return found


def _stepped_back(
    entries: Sequence[ChangeEntry], chosen: Sequence[ChangeEntry], *, is_forced: bool
) -> list[_File]:
    """Return the files of the chosen entries, each as far back as they lead."""
    files: dict[str, _File] = {}
    for entry in reversed(chosen):
        if entry.path not in files:
            files[entry.path] = _look(entry.path)
        file = files[entry.path]
        if not file.blocked:
            _step(file, entry, entries, is_forced=is_forced)
    return list(files.values())


def _look(path: str) -> _File:
    """Return a file as it is now."""
    try:
        with open_file(Place(path, path)) as opened:
            content = opened.read(opened.facts.st_size + 1)
            return _File(path, opened.facts, content, digest_of(content), [])
    except FileNotFoundError:
        return _File(path, None, b"", None, [])
    except RefusedFileError as error:
        return _File(path, None, b"", None, [], blocked=error.reason)
    except OSError as error:
        return _File(path, None, b"", None, [], blocked=error.strerror or "it cannot be read")


def _step(
    file: _File, entry: ChangeEntry, entries: Sequence[ChangeEntry], *, is_forced: bool
) -> None:
    """Take one change of a file back, unless something else has happened to the file since."""
    before, after = _digest(entry.before), _digest(entry.after)
    if file.now not in (after, before) and not is_forced:
        file.blocked = _who_changed(file, entry, entries)
        return
    file.undoes.append(entry.number)
    if file.now == before and after != before:
        return  # it never came to the change, or it was taken back by hand
    file.now, file.image = before, entry.before
    file.made_folders = tuple(dict.fromkeys((*entry.made_folders, *file.made_folders)))
    if entry.before is not None and file.facts is not None and entry.after is not None:
        is_ours = stat.S_IMODE(file.facts.st_mode) == entry.after.mode
        file.mode = entry.before.mode if is_ours else None
    elif entry.before is not None:
        file.mode = entry.before.mode


def _digest(image: Image | None) -> str | None:
    """Return the hash of a state, None for no file."""
    return image.digest if image is not None else None


def _who_changed(file: _File, entry: ChangeEntry, entries: Sequence[ChangeEntry]) -> str:
    """Return who has changed a file after an entry, as far as that is known."""
    later = [one for one in entries if one.path == entry.path and one.number > entry.number]
    by = next((one for one in reversed(later) if _digest(one.after) == file.now), None)
    if by is not None:
        return f"call {by.call_id} ({by.tool_name}) changed it later; undo that first"
    return "it is gone" if file.facts is None else "it was changed outside of this session"


def _differs(file: _File) -> bool:
    """Return whether anything has to be done."""
    present = digest_of(file.content) if file.facts is not None else None
    if present != file.now:
        return True
    if file.facts is None or file.mode is None:
        return False
    return stat.S_IMODE(file.facts.st_mode) != file.mode


def _action(file: _File) -> str:
    """Return what restoring a file takes."""
    if file.now is None:
        return "removed"
    return "restored" if file.facts is not None else "recreated"


def _restore(log: ChangeLog, file: _File, call_id: str) -> None:
    """Bring one file back, having written down how it is.

    Raises:
        UserError: It could not be.
    """
    place = Place(file.path, file.path)
    content = log.images.fetch(file.now) if file.now is not None else None
    if file.now is not None and content is None:
        raise UserError(f"what {file.path} held before is not kept any more.")
    mode = stat.S_IMODE(file.facts.st_mode) if file.facts is not None else 0
    before = FileState(file.content, mode) if file.facts is not None else None
    after = FileState(content, file.mode or mode) if content is not None else None
    change = FileChange(call_id, UNDO, file.path, before, after)
    try:
        log.add(change, file.undoes)
        if content is not None:
            replace_file(place, content, file.facts, mode=file.mode, keeps_protection=False)
        elif file.facts is not None:
            remove_file(place, file.facts)
    except OSError as error:
        raise UserError(f"{file.path} could not be restored: {error.strerror}.") from error
