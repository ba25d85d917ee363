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
from gantlet.tools.editing.patch import MAX_SHOWN, Replacement, applied

_NOT_READ = "File has not been read yet. Read it first before writing to it."
_MAX_TOLD_LINES = 60
_MAX_TOLD_MATCHES = 10
_MANY = 1_000


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
    found = find_edit(subject, change)
    after = found.after
    if after is None:
        after = applied(found.file.text, found.replacements)
    return EditPlan(
        found.file.text if subject.now is not None else None,
        after,
        found.replacements,
        encoded(found.file.form, after),
        (found.told.note,) if found.told is not None else (),
        is_seen_whole=not found.is_partial and (found.told is None or found.told.is_whole),
    )


def find_edit(subject: Subject, change: Change) -> "FoundEdit":
    """Return where an edit applies and what comes there, without making it.

    Raises:
        ToolError: It cannot be made; the words tell how it could be.
    """
    now = subject.now
    if now is None:
        return _find_new(subject, change)
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
        return FoundEdit(file, (Replacement(0, 0, change.new),))
    if subject.seen is None:
        raise ToolError(_NOT_READ)
    found = _bulk if _is_bulk(change, file.text) else _one_by_one
    return found(subject, change, file)


def _bulk(subject: Subject, change: Change, file: FileText) -> "FoundEdit":
    """Return an edit at very many places, of which only the first are listed."""
    first = find_apart(file.text, change.old, MAX_SHOWN)
    listed = tuple(Replacement(one.start, one.end, change.new) for one in first)
    after = file.text.replace(change.old, change.new)
    encoded_part(file.form, change.new)
    return FoundEdit(file, listed, _told_changes(subject, file), _is_partial(subject), after)


def _one_by_one(subject: Subject, change: Change, file: FileText) -> "FoundEdit":
    """Return an edit with every place it is made at."""
    assert subject.now is not None
    known = subject.now.found
    matches = known.get(change)
    if not isinstance(matches, tuple) or subject.is_stale:
        matches = known[change] = tuple(_meant(subject, change, file))
    replacements = tuple(
        Replacement(match.start, match.end, fitted(change.new, change.old, match, file))
        for match in matches
    )
    encoded_part(file.form, replacements[0].new)
    return FoundEdit(file, replacements, _told_changes(subject, file), _is_partial(subject))


def _is_partial(subject: Subject) -> bool:
    """Return whether the model has seen only a part of a file."""
    return subject.seen is not None and subject.seen.is_partial


@value
class _Told:
    """What has changed in a file beside the edit, in words, and whether that is all of it."""

    note: str
    is_whole: bool


@value
class FoundEdit:
    """Where an edit applies in a text, and what comes there.

    Attributes:
        told: What else has changed since the file was seen; None where nothing has.
        is_partial: Whether the model has seen only a part of the file.
        after: The text after the edit, where not all of its many places are listed.
    """

    file: FileText
    replacements: tuple[Replacement, ...]
    told: _Told | None = None
    is_partial: bool = False
    after: str | None = None


def _find_new(subject: Subject, change: Change) -> FoundEdit:
    """Return how a file is made that does not exist."""
    if change.old:
        raise ToolError(
            f"File does not exist: {subject.path}. Check the path; to create the file, use Write."
        )
    return FoundEdit(FileText("", TextForm()), (Replacement(0, 0, change.new),))


def encoded(form: TextForm, text: str) -> bytes:
    """Return a text as it lies in a file of a form.

    Raises:
        ToolError: The file's encoding does not have one of the characters, or would be taken for
            another with them.
    """
    content = form.mark + encoded_part(form, text) + form.tail
    if not form.is_recognised(text, content):
        raise ToolError(
            f"The file is {form.name}, and with this text it would be taken for another encoding."
            " Replace the whole file with Write, which then makes it UTF-8."
        )
    return content


def encoded_part(form: TextForm, text: str) -> bytes:
    """Return a part of a text as it lies in a file of a form.

    Raises:
        ToolError: The file's encoding does not have one of the characters.
    """
    try:
        return form.encode_part(text)
    except UnencodableError as error:
        if "\ud800" <= error.character <= "\udfff":
            raise ToolError(
                f"new_string holds half a character (U+{ord(error.character):04X}). Leave it out."
            ) from error
        raise ToolError(
            f"The file is {error.encoding}, and that has no {error.character!r}"
            f" (U+{ord(error.character):04X}). Write it with characters that {error.encoding} has,"
            " or replace the whole file with Write, which then makes it UTF-8."
        ) from error


def _is_bulk(change: Change, text: str) -> bool:
    """Return whether an edit has so many places, all alike, that they are not taken one by one."""
    if not change.replace_all or "\r" in text:
        return False
    return text.count(change.old) > _MANY


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
    separate = find_apart(file.text, change.old, MAX_COUNTED)
    apart = "" if len(separate) == len(found) else " that overlap"
    return ToolError(
        f"Found {count} matches of the string to replace{apart}, but replace_all is false. They"
        f" begin in lines {', '.join(lines)}{more}. To replace all of them, set replace_all to"
        " true; to replace one, give more of the lines around it, so that only one matches."
    )
