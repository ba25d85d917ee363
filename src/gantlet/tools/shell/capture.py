"""What a command says: its beginning and end in memory, more of it in a file, and no more."""

import codecs
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gantlet.system import Masker, make_private_folder
from gantlet.system.terminal_text import plain

#: How much of an output is kept in memory: from its beginning, and of its end.
HEAD_BYTES = 4 << 20
TAIL_BYTES = 64 << 10
#: How much is written to a file.
FILE_BYTES = 64 << 20
#: A command that says more than this is ended.
MOST_BYTES = 5 << 30
#: How long a line may be before it is written in parts.
_MAX_LINE_CHARS = 1 << 16
#: How much of a secret is not shown while it is still being written.
_PART_CHARS = 4
#: What may be the rest of a token in a line whose beginning is not there.
_CUT_WORD = re.compile(r"\A\S{1,4096}")
_TAIL_LINES = 5
_SHOWN_CHARS = 2_000


class Capture:
    """Takes a command's output as it comes, in whichever thread.

    Text is cleaned and masked whole lines at a time, so that what lies in a file is what the model
    would read.
    """

    def __init__(self, masker: Masker, path: Path, on_flood: Callable[[], None]) -> None:
        self.path = path
        self._masker = masker
        self._on_flood = on_flood
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()
        self._file: int | None = None
        self._pending = ""
        self._written = 0
        self._is_foreign = False
        self._is_closed = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.total = 0
        self.problem = ""
        self.on_text: Callable[[str], None] | None = None

    def feed(self, data: bytes) -> None:
        """Take what has come."""
        with self._lock:
            was_over = self.total > MOST_BYTES
            self.total += len(data)
            room = HEAD_BYTES - len(self._head)
            if room > 0:
                self._head += data[:room]
            self._tail += data[-TAIL_BYTES:]
            if len(self._tail) > 2 * TAIL_BYTES:
                del self._tail[:-TAIL_BYTES]
            if self._is_foreign:
                pass
            elif self._file is None and self.total > HEAD_BYTES:
                self._open(data[max(room, 0) :])
            elif self._file is not None:
                self._write(data)
            is_over = self.total > MOST_BYTES
        if is_over and not was_over:
            self._on_flood()

    def open_for_others(self) -> int:
        """Return a descriptor of the file for a command that writes there itself.

        What it writes is cleaned and masked when it is read here, and not in the file.

        Raises:
            OSError: The file cannot be made.
        """
        make_private_folder(self.path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._is_foreign = True
        return os.open(self.path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def refresh(self) -> None:
        """Take what a command has written to the file itself since the last time. Blocks."""
        if not self._is_foreign:
            return
        with self.path.open("rb") as file:
            file.seek(self.total)
            while data := file.read(TAIL_BYTES):
                self.feed(data)

    def to_file(self) -> None:
        """Write what has come to a file, and all that comes from now on."""
        if self._is_foreign:
            return
        with self._lock:
            if self._file is None:
                self._open(b"")
                if self._is_closed:
                    self._end_file()

    def close(self) -> None:
        """Write what is left, and close the file; one that is begun later is closed at once."""
        with self._lock:
            self._is_closed = True
            self._end_file()

    @property
    def is_whole(self) -> bool:
        """Whether all of the output is in memory."""
        return self.total <= HEAD_BYTES

    @property
    def has_file(self) -> bool:
        """Whether the output is in a file."""
        return self._file is not None and not self.problem

    @property
    def is_cut(self) -> bool:
        """Whether the file does not hold everything."""
        return self._written >= FILE_BYTES

    def raw(self) -> bytes:
        """Return the beginning of the output as it came."""
        with self._lock:
            return bytes(self._head)

    def text(self) -> str:
        """Return the output that is in memory from its beginning, cleaned and masked."""
        return self._clean(self.raw())

    def tail(self) -> str:
        """Return the end of the output, cleaned and masked, without a line that is cut."""
        return self._end(TAIL_BYTES)

    def since(self, position: int) -> tuple[str, int]:
        """Return what has come after so many bytes, as far as it is in memory, and how far that is.

        What may be the beginning of a secret is left for the next time.
        """
        with self._lock:
            end = self._settled()
            head, tail = bytes(self._head[position:end]), bytes(self._tail[-TAIL_BYTES:])
            tail = tail[: len(tail) - (self.total - end)]
        if end <= position:
            return "", position
        if position + len(head) == end:
            return self._clean(head), end
        if position + len(tail) >= end:
            return self._clean(tail[position - end :]), end
        shown = plain(_decoded(head))
        before = self._masker.text(shown[: self._masker.settled(shown)])
        after = self._uncut(plain(_decoded(tail)))
        return (f"{before}\n[...]\n{after}" if head else after), end

    def settled(self) -> int:
        """Return up to which byte no secret is begun that may go on."""
        with self._lock:
            return self._settled()

    def _settled(self) -> int:
        if self._is_closed:
            return self.total
        text = bytes(self._tail[-TAIL_BYTES:]).decode("utf-8", "surrogateescape")
        held = text[self._masker.settled(text) :]
        return self.total - len(held.encode("utf-8", "surrogateescape"))

    def last_lines(self) -> str:
        """Return the last few lines."""
        lines = self._end(4 * _SHOWN_CHARS).rstrip().split("\n")[-_TAIL_LINES:]
        return "\n".join(lines)[-_SHOWN_CHARS:]

    def unfinished_line(self) -> str:
        """Return the last line if it has not ended: perhaps a question."""
        with self._lock:
            has_ended = self._tail.endswith(b"\n")
        return "" if has_ended else self._end(_SHOWN_CHARS).rpartition("\n")[2]

    def _end(self, size: int) -> str:
        """Return so many bytes of the end, without what is cut at its beginning."""
        with self._lock:
            tail = bytes(self._tail[-size:])
            is_cut, is_closed = self.total > len(tail), self._is_closed
        text = plain(_decoded(tail))
        if not is_closed:
            text = text[: self._masker.settled(text, at_least=_PART_CHARS)]
        return self._uncut(text) if is_cut else self._masker.text(text)

    def _uncut(self, text: str) -> str:
        """Return a text without secrets, and without the rest of one that began before it."""
        line, newline, rest = text.partition("\n")
        text = rest if newline else _CUT_WORD.sub("", line, count=1)
        return self._masker.text(text[self._masker.ended(text) :])

    def line_count(self) -> int:
        """Return how many lines of the output are in memory."""
        with self._lock:
            return self._head.count(b"\n")

    def _clean(self, data: bytes) -> str:
        return self._masker.text(plain(_decoded(data)))

    def _open(self, following: bytes) -> None:
        """Begin the file with what is in memory and what follows it."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            make_private_folder(self.path.parent)
            self._file = os.open(self.path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            self._file, self.problem = -1, error.strerror or str(error)
            return
        self._write(bytes(self._head))
        self._write(following)

    def _write(self, data: bytes) -> None:
        """Write whole lines; the last one waits until it has ended."""
        if self._file is None or self._file < 0 or self._written >= FILE_BYTES:
            return
        self._pending += self._decoder.decode(data)
        if "\n" in self._pending or len(self._pending) > _MAX_LINE_CHARS:
            self._flush(is_last=False)

    def _end_file(self) -> None:
        """Write what is left, and close the file, if there is one."""
        if self._file is None or self._file < 0:
            return
        self._flush(is_last=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _writable(self) -> int:
        """Return how much of what waits may be written."""
        settled = self._masker.settled(self._pending)
        end = self._pending.rfind("\n", 0, settled) + 1
        if end or len(self._pending) <= _MAX_LINE_CHARS:
            return end
        return settled or len(self._pending)

    def _flush(self, *, is_last: bool) -> None:
        """Write whole lines, and of an endless one what is settled: no secret may lie across it."""
        if self._file is None or self._file < 0:
            return
        if is_last:
            self._pending += self._decoder.decode(b"", final=True)
        end = len(self._pending) if is_last else self._writable()
        cleaned = self._masker.text(plain(self._pending[:end]))
        self._pending = self._pending[end:]
        if not cleaned:
            return
        encoded = cleaned.encode("utf-8", "replace")[: FILE_BYTES - self._written]
        self._written += len(encoded)
        if self.on_text is not None:
            self.on_text(cleaned)
        try:
            os.write(self._file, encoded)
        except OSError as error:
            self.problem = error.strerror or str(error)
            with suppress(OSError):
                os.close(self._file)
            self._file = -1


def _decoded(data: bytes) -> str:
    """Return output as text."""
    return data.decode("utf-8", "replace")
