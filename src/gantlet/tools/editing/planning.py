"""Decide what an edit does to a file: where it applies, and what is to be said about it.

A file that changed since it was seen is no obstacle as long as the edited lines did not: the edit
is made in the file as it is now, and the result tells what else has changed.
"""

from collections.abc import Sequence

from gantlet.messages.value import value
from gantlet.system import FileText, TextForm, UnencodableError, read_text
from gantlet.tool import ToolError
from gantlet.tools.editing.desk import Subject
from gantlet.tools.editing.diagnosis import explain_miss
from gantlet.tools.editing.line_diff import moved, told_diff
from gantlet.tools.editing.matching import MAX_COUNTED, Match, find_all, find_apart, fitted
from gantlet.tools.editing.patch import Replacement, applied

_NOT_READ = "File has not been read yet. Read it first before writing to it."
_MAX_TOLD_LINES = 60
_MAX_TOLD_MATCHES = 10


@value
class Change:
    """One old text and what shall stand in its place."""

    old: str
    new: str
    replace_all: bool = False


@value
class EditPlan:
    """An edit that can be made.

    Attributes:
        before: The text as it is; None where there is no file yet.
        after: The text as it will be.
        replacements: Where and by what, in the text before; empty for several steps.
        content: The bytes as they will be.
        notes: What the model should know besides.
        is_seen_whole: Whether the model knows all that the file will hold.
    """

    before: str | None
    after: str
    replacements: tuple[Replacement, ...]
    content: bytes
    notes: tuple[str, ...] = ()
    is_seen_whole: bool = True


def plan_edit(subject: Subject, change: Change) -> EditPlan:
    """Return how an edit is made.

    Raises:
        ToolError: It cannot be made; the words tell how it could be.
    """
    now = subject.now
    if now is None:
        return _plan_new(subject, change)
    if subject.path.endswith(".ipynb"):
        raise ToolError("File is a Jupyter Notebook. Use the NotebookEdit tool to edit this file.")
    file = now.text
    if file is None:
        raise ToolError(f"{subject.path} is no text file. It cannot be edited as text.")
    if not change.old:
        if now.content:
            raise ToolError(
                f"Cannot create new file - file already exists: {subject.path}. Give the text to"
                " replace as old_string, or use Write to replace the whole file."
            )
        return _planned(file, [Replacement(0, 0, change.new)], None)
    if subject.seen is None:
        raise ToolError(_NOT_READ)
    told = _told_changes(subject, file)
    matches = _meant(subject, change, file)
    replacements = [
        Replacement(match.start, match.end, fitted(change.new, change.old, match, file))
        for match in matches
    ]
    return _planned(file, replacements, told, is_partial=subject.seen.is_partial)


@value
class _Told:
    """What has changed in a file beside the edit, in words, and whether that is all of it."""

    note: str
    is_whole: bool


def _planned(
    file: FileText,
    replacements: Sequence[Replacement],
    told: _Told | None,
    *,
    is_partial: bool = False,
) -> EditPlan:
    """Return an edit with the bytes it comes to."""
    after = applied(file.text, replacements)
    return EditPlan(
        file.text,
        after,
        tuple(replacements),
        encoded(file.form, after),
        (told.note,) if told is not None else (),
        is_seen_whole=not is_partial and (told is None or told.is_whole),
    )


def _plan_new(subject: Subject, change: Change) -> EditPlan:
    """Return how a file is made that does not exist."""
    if change.old:
        raise ToolError(
            f"File does not exist: {subject.path}. Check the path; to create the file, use Write."
        )
    content = encoded(TextForm(), change.new)
    return EditPlan(None, change.new, (Replacement(0, 0, change.new),), content)


def encoded(form: TextForm, text: str) -> bytes:
    """Return a text as it lies in a file of a form.

    Raises:
        ToolError: The file's encoding does not have one of the characters.
    """
    try:
        return form.encode(text)
    except UnencodableError as error:
        raise ToolError(
            f"The file is {error.encoding}, and that has no {error.character!r}"
            f" (U+{ord(error.character):04X}). Write it with characters that {error.encoding} has,"
            " or replace the whole file with Write, which then makes it UTF-8."
        ) from error


def _meant(subject: Subject, change: Change, file: FileText) -> list[Match]:
    """Return the places an edit means."""
    if change.replace_all:
        found = find_apart(file.text, change.old)
        if found:
            return found
        raise _missed(subject, change, file)
    found = find_all(file.text, change.old)
    if len(found) == 1:
        return found
    if subject.is_stale:
        rebased = _rebased(subject, change, file)
        if rebased is not None:
            return [rebased]
    if found:
        raise _ambiguous(change, file, found)
    raise _missed(subject, change, file)


def _rebased(subject: Subject, change: Change, file: FileText) -> Match | None:
    """Return where the one place is now that an edit meant in the file as it was seen, or None."""
    base = _base(subject)
    if base is None:
        return None
    meant = find_all(base.text, change.old)
    if len(meant) != 1:
        return None
    place = moved((meant[0].start, meant[0].end), base.text, file.text)
    if place is None:
        return None
    return Match(*place, meant[0].is_exact, meant[0].lone)


def _base(subject: Subject) -> FileText | None:
    """Return the text that the conversation has seen, if it was kept."""
    content = subject.seen.content if subject.seen is not None else None
    return read_text(content) if content is not None else None


def _told_changes(subject: Subject, file: FileText) -> _Told | None:
    """Return what has changed in a file since it was seen, or None where nothing has."""
    if not subject.is_stale:
        return None
    assert subject.seen is not None
    by = f" by call {subject.seen.changed_by}" if subject.seen.changed_by else ""
    base = _base(subject)
    since = f"Note: the file had been changed{by} since you last read it."
    where = " Your edit was made in the file as it is now."
    if base is None:
        return _Told(f"{since}{where} Read it again to see the other changes.", is_whole=False)
    if base.text == file.text:
        return _Told(f"{since}{where} Only its encoding differs.", is_whole=True)
    difference, is_whole = told_diff(base.text, file.text, _MAX_TOLD_LINES)
    return _Told(f"{since}{where} The other changes:\n{difference}", is_whole)


def _missed(subject: Subject, change: Change, file: FileText) -> ToolError:
    """Return why an old text was not found, and how it would be."""
    base = _base(subject) if subject.is_stale else None
    if base is not None and find_all(base.text, change.old):
        difference, _ = told_diff(base.text, file.text, _MAX_TOLD_LINES)
        return ToolError(
            "File has been modified since read, and the text to replace with it. Nothing was"
            f" written. This has changed in {subject.path}:\n{difference}\n"
            "Make the edit again for the file as it is now."
        )
    told = explain_miss(file.text, change.old)
    return ToolError(f"String to replace not found in file.\n{told}")


def _ambiguous(change: Change, file: FileText, found: Sequence[Match]) -> ToolError:
    """Return that an old text stands at several places, and at which."""
    lines = [str(file.text.count("\n", 0, one.start) + 1) for one in found[:_MAX_TOLD_MATCHES]]
    more = ", …" if len(found) > _MAX_TOLD_MATCHES else ""
    count = f"{MAX_COUNTED} or more" if len(found) >= MAX_COUNTED else str(len(found))
    apart = "" if len(find_apart(file.text, change.old)) == len(found) else " that overlap"
    return ToolError(
        f"Found {count} matches of the string to replace{apart}, but replace_all is false. They"
        f" begin in lines {', '.join(lines)}{more}. To replace all of them, set replace_all to"
        " true; to replace one, give more of the lines around it, so that only one matches."
    )
