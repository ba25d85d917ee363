"""Server-sent events from bytes, wherever the network cut them."""

from typing import Final, TypeAlias

MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
"""How long the lines of one event may be, together."""

Frame: TypeAlias = tuple[bytes, bytes]
"""One event: its name, empty if it had none, and its data with lines joined by a line feed."""

_BOM = b"\xef\xbb\xbf"


class SseParser:
    """Takes bytes, gives frames. Comments, ids and retry times are skipped.

    An event without a data line is none. One that is not closed by a blank line when the bytes end
    was cut off, and is none either.

    Attributes:
        is_overfull: An event was longer than allowed; it and what comes after it is not read.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES, *, is_at_start: bool = True) -> None:
        self.is_overfull = False
        self._limit = max_event_bytes
        # What may be a byte order mark, until that is certain.
        self._head = b"" if is_at_start else None
        self._held = bytearray()  # a line whose end has not come
        self._ended_in_cr = False
        self._name = b""
        self._data: list[bytes] = []
        self._event_bytes = 0

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the events that `chunk` completes, in order."""
        if self._head is not None:
            chunk = self._without_mark(chunk)
        if not chunk or self.is_overfull:
            return []
        if self._ended_in_cr:
            self._ended_in_cr = False
            chunk = chunk.removeprefix(b"\n")  # the other half of a line end that was cut in two
        if chunk.endswith(b"\n"):  # nearly always: servers send whole events
            return self._read_lines(chunk)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        frames = self._read_lines(chunk[:end]) if end else []
        if end < len(chunk) and not self.is_overfull:
            self._hold(chunk[end:])
        return frames

    def _read_lines(self, lines: bytes) -> list[Frame]:
        """Read whole lines, the first of which may have begun in an earlier chunk."""
        if self._held:
            lines = bytes(self._held) + lines
            self._held.clear()
        self._ended_in_cr = lines.endswith(b"\r")
        frames: list[Frame] = []
        for line in lines.splitlines():  # of bytes: at CR, LF and CRLF, and nowhere else
            if not line:
                self._end_event(frames)
                continue
            self._event_bytes += len(line)
            if self._event_bytes > self._limit:
                self.is_overfull = True
                break
            if line.startswith(b"data: "):
                self._data.append(line[6:])
            else:
                self._read_field(line)
        return frames

    def _read_field(self, line: bytes) -> None:
        """Read a line that does not begin as nearly all data does."""
        name, _, value = line.partition(b":")
        if name == b"event":
            self._name = value.removeprefix(b" ")
        elif name == b"data":
            self._data.append(value.removeprefix(b" "))

    def _end_event(self, frames: list[Frame]) -> None:
        """Take a blank line: what was collected is an event if it has data."""
        if data := self._data:
            frames.append((self._name, data[0] if len(data) == 1 else b"\n".join(data)))
            self._data = []
        self._name = b""
        self._event_bytes = 0

    def _hold(self, rest: bytes) -> None:
        """Keep the beginning of a line until its end comes."""
        self._ended_in_cr = False
        self._held += rest
        self.is_overfull = len(self._held) > self._limit

    def _without_mark(self, chunk: bytes) -> bytes:
        """Return the first bytes of all without a byte order mark; nothing while it is unclear."""
        head = (self._head or b"") + chunk
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self._head = head
            return b""
        self._head = None
        return head.removeprefix(_BOM)
