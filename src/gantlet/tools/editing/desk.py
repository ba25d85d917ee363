"""Change one file: look at it, decide, write the change down, put it in place, remember it."""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import Protocol, TypeVar

from gantlet.messages.value import replace, value
from gantlet.system import (
    ChangedFileError,
    FileText,
    OpenFile,
    Place,
    RefusedFileError,
    digest_of,
    is_same,
    missing_folders,
    open_file,
    read_text,
    replace_file,
    run_in_thread,
    stamp_of,
)
from gantlet.tool import (
    FILE_CHANGES,
    FILE_KNOWLEDGE,
    FileChange,
    FileChanges,
    FileKnowledge,
    FileState,
    Ports,
    Rejected,
    Seen,
    ToolContext,
    ToolError,
)

#: The code of a call that cannot be made in the file as it is.
CANNOT_BE_MADE = 2
#: A file of more bytes is not edited in one piece.
MAX_BYTES = 256 * 1024 * 1024
#: How often an edit is made again because the file changed in the very moment.
_MAX_TRIES = 5
#: A file that has not changed for so long has a time of change that can be trusted.
_SETTLED_NANOSECONDS = 100_000_000
_MAX_KEPT_BYTES = 32 * 1024 * 1024


@value
class OnDisk:
    """A file as it is now, or as a step on the way leaves it: then nothing but content is known.

    `found` keeps what was found in it, for who looks for the same again.
    """

    content: bytes
    facts: os.stat_result | None
    found: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def digest(self) -> str:
        """The hash of its content."""
        return digest_of(self.content)

    @cached_property
    def text(self) -> FileText | None:
        """Its text, or None where it is no text."""
        return read_text(self.content)

    @property
    def stamp(self) -> tuple[int, int, int, int] | None:
        """What a look without reading tells of it."""
        return stamp_of(self.facts) if self.facts is not None else None

    def as_seen(self) -> Seen:
        """Return what somebody knows who has seen it all."""
        return Seen(self.digest, self.stamp, self.content)


class Plan(Protocol):
    """What is to be done to a file. `content` is what it will hold."""

    @property
    def content(self) -> bytes:
        """The new content."""

    @property
    def is_seen_whole(self) -> bool:
        """Whether the model knows all that the file will hold."""


_Planned = TypeVar("_Planned", bound=Plan)


@value
class Subject:
    """A file that a call wants to change, with all that deciding about it takes.

    Attributes:
        path: As the call names it.
        now: The file as it is; None where there is none.
        seen: What the conversation knows of it; None where it never saw it.
    """

    path: str
    place: Place
    now: OnDisk | None
    seen: Seen | None

    @property
    def is_stale(self) -> bool:
        """Whether the file is not what the conversation has seen any more: its content decides."""
        if self.now is None or self.seen is None:
            return False
        if self.seen.digest:
            return self.seen.digest != self.now.digest
        return self.seen.stamp != self.now.stamp


@value
class Done:
    """What else is to be said of a change that was made."""

    notes: tuple[str, ...] = ()


class Desk:
    """Where the editing tools of a session do their work.

    What was read last is kept for a moment: a call that was checked is often run right after.
    """

    def __init__(self, knowledge: FileKnowledge, changes: FileChanges) -> None:
        self._knowledge = knowledge
        self._changes = changes
        self._last: tuple[str, OnDisk] | None = None

    @classmethod
    def of(cls, ports: Ports) -> "Desk":
        """Return a desk with what the session offers."""
        return cls(ports.need(FILE_KNOWLEDGE), ports.need(FILE_CHANGES))

    async def change(
        self, context: ToolContext, path: str, plan: Callable[[Subject], _Planned]
    ) -> tuple[_Planned, Done]:
        """Change a file the way `plan` says, which may be asked more than once.

        Raises:
            ToolError: It cannot be changed; it is as it was.
        """
        place = context.resolve(path)
        return await run_in_thread(lambda: self._change(context, path, place, plan))

    async def objection(
        self, context: ToolContext, path: str, plan: Callable[[Subject], object]
    ) -> Rejected | None:
        """Return why a change cannot be made, before anybody is asked about it.

        A file is looked at here only if the conversation has seen it already: what is said about
        one that it has not seen would tell what is in it.
        """
        place = context.resolve(path)
        if place.real_text not in self._knowledge.known():
            return None
        try:
            await run_in_thread(lambda: plan(self._look(path, place)))
        except ToolError as error:
            return Rejected(str(error), CANNOT_BE_MADE)
        return None

    def _change(
        self, context: ToolContext, path: str, place: Place, plan: Callable[[Subject], _Planned]
    ) -> tuple[_Planned, Done]:
        """Look, decide and write, again as long as somebody else is quicker."""
        for _ in range(_MAX_TRIES):
            subject = self._look(path, place)
            planned = plan(subject)
            try:
                return planned, self._write(context, subject, planned)
            except ChangedFileError:
                continue
        raise ToolError(
            f"{path} keeps changing while it is being edited. Wait for whatever writes to it."
        )

    def _look(self, path: str, place: Place) -> Subject:
        """Read a file, if there is one."""
        if path.endswith("/"):
            raise ToolError(f"{path} names a directory. Name a file.")
        now: OnDisk | None
        try:
            with open_file(place) as opened:
                if opened.facts.st_size > MAX_BYTES:
                    raise ToolError(
                        f"{path} has {opened.facts.st_size:,} bytes, more than can be edited in one"
                        f" piece ({MAX_BYTES:,}). Use a program such as sed."
                    )
                now = self._read(place.real_text, opened)
        except FileNotFoundError:
            now = None
        except OSError as error:
            raise _told(path, error, "read") from error
        return Subject(path, place, now, self._knowledge.recall(place.real_text))

    def _read(self, path: str, opened: OpenFile) -> OnDisk:
        """Return what an open file holds; what was just read is not read again if it is the same.

        A time of change says nothing about a file that was changed right before it was read.
        """
        last, self._last = self._last, None
        if last is not None and last[0] == path and is_same(last[1].facts, opened.facts):
            return last[1]
        read = OnDisk(opened.read(MAX_BYTES + 1), opened.facts)
        changed_at = max(opened.facts.st_mtime_ns, opened.facts.st_ctime_ns)
        is_settled = time.time_ns() - changed_at > _SETTLED_NANOSECONDS
        if is_settled and len(read.content) <= _MAX_KEPT_BYTES:
            self._last = (path, read)
        return read

    def _write(self, context: ToolContext, subject: Subject, planned: Plan) -> Done:
        """Put a new content in place, having written down what was there.

        Raises:
            ChangedFileError: Somebody else changed the file meanwhile.
            ToolError: It could not be written.
        """
        now, place = subject.now, subject.place
        old = now.facts if now is not None else None
        content, digest = planned.content, digest_of(planned.content)
        change = _change_of(context, subject, FileState(content, 0, digest))
        self._record(subject, change)
        try:
            replaced = replace_file(place, content, old)
        except OSError as error:
            self._changes.withdraw(change)
            if isinstance(error, ChangedFileError):
                raise
            raise _told(subject.path, error, "written") from error
        lines = () if planned.is_seen_whole else _lines_seen(subject.seen)
        total = subject.seen.total_lines if subject.seen is not None else 0
        seen = Seen(digest, stamp_of(replaced.facts), content, lines, total)
        self._knowledge.note(place.real_text, replace(seen, shown_by=context.call.id))
        return Done(tuple(_notes(old, kept_owner=replaced.kept_owner)))

    def _record(self, subject: Subject, change: FileChange) -> None:
        """Write down what a file was, so that the change can be undone.

        Raises:
            ToolError: That cannot be done, and so the change is not made.
        """
        try:
            self._changes.record(change)
        except OSError as error:
            raise ToolError(
                f"{subject.path} was not changed: what it was before cannot be kept for undo"
                f" ({error.filename or 'the log'}: {error.strerror}). The user has to mend that;"
                " do not try again before."
            ) from error


def _lines_seen(before: Seen | None) -> tuple[tuple[int, int], ...]:
    """Return which lines the model knows of a file it does not know whole."""
    return before.lines if before is not None and before.lines else ((1, 0),)


def _change_of(context: ToolContext, subject: Subject, after: FileState) -> FileChange:
    """Return what is written down of a change before it is made."""
    now, call, place = subject.now, context.call, subject.place
    if now is None or now.facts is None:
        made = missing_folders(place)
        return FileChange(call.id, call.name, place.real_text, None, after, made)
    before = FileState(now.content, stat.S_IMODE(now.facts.st_mode), now.digest)
    after = replace(after, mode=before.mode)
    return FileChange(call.id, call.name, place.real_text, before, after)


def _notes(old: os.stat_result | None, *, kept_owner: bool) -> list[str]:
    """Return what a person would want to know about how a file was replaced."""
    notes: list[str] = []
    if old is not None and old.st_nlink > 1:
        notes.append("The file had other names (hard links); those keep the old content.")
    if not kept_owner:
        notes.append("The file now belongs to the user this program runs as.")
    return notes


def _told(path: str, error: OSError, verb: str) -> ToolError:
    """Return a failure in words a model can act on."""
    if isinstance(error, RefusedFileError):
        return ToolError(f"{path} cannot be {verb}: {error.reason}. Name a regular file.")
    reason = (error.strerror or type(error).__name__).lower()
    if isinstance(error, NotADirectoryError):
        reason = "a name on the way to it is no directory"
    return ToolError(f"{path} cannot be {verb}: {reason}. The file is as it was.")
