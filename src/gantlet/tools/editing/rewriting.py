"""Decide what writing a whole file does: in which form it lies there, and what has changed."""

from gantlet.messages.value import replace, value
from gantlet.system import FileText, TextForm, UnencodableError, with_newlines
from gantlet.tool import ToolError
from gantlet.tools.editing.desk import Subject
from gantlet.tools.editing.line_diff import changed_blocks, split_lines, told_diff
from gantlet.tools.editing.patch import Replacement

_NOT_READ = "File has not been read yet. Read it first before writing to it."
_MAX_TOLD_LINES = 60


@value
class WritePlan:
    """A file that can be written.

    Attributes:
        before: The text as it is; None where there is no file yet, or it is no text.
        after: The text as it will be.
        is_new: Whether there is no file yet.
    """

    before: str | None
    after: str
    content: bytes
    is_new: bool
    notes: tuple[str, ...] = ()
    is_seen_whole: bool = True


def plan_write(subject: Subject, text: str) -> WritePlan:
    """Return how a file is written whole.

    Raises:
        ToolError: It must be read first, or has changed since it was.
    """
    now = subject.now
    if now is None:
        return WritePlan(None, text, _encoded(TextForm(), text), is_new=True)
    _require_seen(subject)
    if now.text is None or not now.content:
        before = now.text.text if now.text is not None else None
        return WritePlan(before, text, _encoded(TextForm(), text), is_new=False)
    return _in_form(now.text, text)


def _require_seen(subject: Subject) -> None:
    """Refuse to overwrite what nobody has looked at."""
    if subject.seen is None:
        raise ToolError(_NOT_READ)
    if subject.seen.is_partial:
        raise ToolError(
            "Only a part of the file has been read (a PARTIAL view). Read the rest of it before"
            " writing it whole, or use Edit to change a part."
        )
    if not subject.is_stale:
        return
    by = f" by call {subject.seen.changed_by}" if subject.seen.changed_by else ""
    raise ToolError(
        f"File has been modified since read{by}, so it was not overwritten. Read it again before"
        f" attempting to write it.{_what_changed(subject)}"
    )


def _what_changed(subject: Subject) -> str:
    """Return how a file differs from what was seen, where that can be told."""
    assert subject.seen is not None
    assert subject.now is not None
    content = subject.seen.content
    base = replace(subject.now, content=content).text if content is not None else None
    if base is None or subject.now.text is None:
        return ""
    told, _ = told_diff(base.text, subject.now.text.text, _MAX_TOLD_LINES)
    return f" This has changed:\n{told}"


def _in_form(file: FileText, text: str) -> WritePlan:
    """Return a text in the form its file has: encoding, mark and line endings stay."""
    form, notes = file.form, []
    after = text.removeprefix("\ufeff") if form.mark else text
    if form.newline != "\n" and not form.is_mixed and "\r" not in after and "\n" in after:
        after = with_newlines(after, form.newline)
        named = {"\r\n": "CRLF", "\r": "CR"}[form.newline]
        notes.append(f"The file's line endings ({named}) were kept.")
    form, why = replace(form, tail=b""), ""
    try:
        content = form.encode(after)
        if not form.is_recognised(after, content):
            why = "with this text it would be taken for another encoding"
    except UnencodableError as error:
        why = str(error)
    if why:
        content = _encoded(TextForm(), after)
        notes.append(f"The file was {form.name} and is UTF-8 now: {why}.")
    return WritePlan(file.text, after, content, is_new=False, notes=tuple(notes))


def _encoded(form: TextForm, text: str) -> bytes:
    """Return a text as bytes.

    Raises:
        ToolError: It holds half a character.
    """
    try:
        return form.encode(text)
    except UnencodableError as error:
        raise ToolError(
            f"The content cannot be written: {error}. Leave that character out."
        ) from error


def difference(before: str, after: str) -> tuple[Replacement, ...]:
    """Return by which replacements of whole lines one text becomes another."""
    old, new = split_lines(before), split_lines(after)
    made: list[Replacement] = []
    line, at = 0, 0
    for block in changed_blocks(old, new):
        at += sum(map(len, old[line : block.old_start]))
        end = at + sum(map(len, old[block.old_start : block.old_end]))
        made.append(Replacement(at, end, "".join(new[block.new_start : block.new_end])))
        line, at = block.old_end, end
    return tuple(made)
