"""What tools that touch files need from the session: what it has read, and a log of changes."""

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from gantlet.messages.value import value
from gantlet.tool.ports import Port


@value
class Seen:
    """What the conversation has been shown of a file, or has put there.

    Attributes:
        digest: The hash of the whole content then (`digest_of`); empty where nobody read it all.
        stamp: Device, inode, size, and time of change in nanoseconds then.
        content: All the bytes, where they are at hand; a later edit is rebased on them.
        lines: Which lines were shown, the first and the last of each stretch; none means all.
        total_lines: How many lines there were; 0 where nobody counted them.
        is_fresh: Whether what was shown still stands in the conversation as the model sees it: not
            so once it was compacted.
        changed_by: The call that has changed the file since, where that is known.
        shown_by: The call that showed the file or wrote it. A conversation that is taken up before
            that call has not seen it.
    """

    digest: str = ""
    stamp: tuple[int, int, int, int] | None = None
    content: bytes | None = field(default=None, repr=False)
    lines: tuple[tuple[int, int], ...] = ()
    total_lines: int = 0
    is_fresh: bool = True
    changed_by: str = ""
    shown_by: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether some of the file was never shown."""
        if not self.lines:
            return False
        reached = 0
        for first, last in sorted(self.lines):
            if first > reached + 1:
                return True
            reached = max(reached, last)
        return self.total_lines == 0 or reached < self.total_lines


class FileKnowledge(Protocol):
    """What the conversation knows of files, by their real path. Nothing is forgotten in it."""

    def note(self, path: str, seen: Seen) -> None:
        """Take note of what was shown of a file, or written to it.

        Stretches of lines add up as long as the content is the same.
        """

    def recall(self, path: str) -> Seen | None:
        """Return what is known of a file, or None."""

    def mark_changed(self, path: str, by: str) -> None:
        """Take note that a call has changed a file in a way that leaves its content unknown."""

    def known(self) -> Mapping[str, Seen]:
        """Return everything that is known, without the contents."""


@value
class FileState:
    """A file at one moment: all its bytes, its permission bits, and its hash if that is known."""

    content: bytes = field(repr=False)
    mode: int
    digest: str = ""


@value
class FileChange:
    """What one call does to one file.

    Attributes:
        call_id: The call.
        tool_name: The tool that was called.
        path: The real path.
        before: The file before; None where there was none.
        after: The file afterwards; None where it is gone.
        made_folders: Folders that are made for it, outermost first.
    """

    call_id: str
    tool_name: str
    path: str
    before: FileState | None
    after: FileState | None
    made_folders: tuple[str, ...] = ()


class FileChanges(Protocol):
    """The log from which changes can be undone."""

    def record(self, change: FileChange) -> None:
        """Write a change down, before it is made where that can be. Blocks: call it in a thread.

        Raises:
            OSError: It could not be written down.
        """

    def withdraw(self, change: FileChange) -> None:
        """Take back the last word of a change that was not made after all. Blocks."""


FILE_KNOWLEDGE: Port[FileKnowledge] = Port("file knowledge")
FILE_CHANGES: Port[FileChanges] = Port("file changes")
