"""What a command says: its beginning and end in memory, more of it in a file, and no more."""

import codecs
import os
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
_MAX_LINE_BYTES = 1 << 16
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
        self._pending = bytearray()
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
        with self._lock:
            tail = bytes(self._tail[-TAIL_BYTES:])
            is_cut = self.total > len(tail)
        return self._clean(tail.partition(b"\n")[2] if is_cut and b"\n" in tail else tail)

    def since(self, position: int) -> str:
        """Return what has come after so many bytes, as far as it is in memory."""
        with self._lock:
            if position < len(self._head):
                new = bytes(self._head[position:])
                if self.total > len(self._head):
                    new += b"\n[...]\n" + bytes(self._tail[-TAIL_BYTES:])
            else:
                new = bytes(self._tail[-min(TAIL_BYTES, self.total - position) :])
                new = new if self.total > position else b""
        return self._clean(new)

    def last_lines(self) -> str:
        """Return the last few lines."""
        with self._lock:
            tail = bytes(self._tail[-4 * _SHOWN_CHARS :])
        lines = self._clean(tail).rstrip().split("\n")[-_TAIL_LINES:]
        return "\n".join(lines)[-_SHOWN_CHARS:]

    def unfinished_line(self) -> str:
        """Return the last line if it has not ended: perhaps a question."""
        with self._lock:
            tail = bytes(self._tail[-_SHOWN_CHARS:])
        return self._clean(tail.rpartition(b"\n")[2]) if not tail.endswith(b"\n") else ""

    def line_count(self) -> int:
        """Return how many lines of the output are in memory."""
        with self._lock:
            return self._head.count(b"\n")

    def _clean(self, data: bytes) -> str:
        return self._masker.text(plain(data.decode("utf-8", "replace")))

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
        self._pending += data
        self._flush(is_last=False)

    def _end_file(self) -> None:
        """Write what is left, and close the file, if there is one."""
        if self._file is None or self._file < 0:
            return
        self._flush(is_last=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _flush(self, *, is_last: bool) -> None:
        end = self._pending.rfind(b"\n") + 1
        if is_last or (not end and len(self._pending) > _MAX_LINE_BYTES):
            end = len(self._pending)
        if not end or self._file is None or self._file < 0:
            return
        text = self._decoder.decode(bytes(self._pending[:end]), is_last)
        del self._pending[:end]
        cleaned = self._masker.text(plain(text))
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
