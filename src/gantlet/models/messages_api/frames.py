"""The bytes of a stream, cut between its events."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from gantlet.models.messages_api.sse import MAX_EVENT_BYTES, Frame, SseParser

PlainFrame: TypeAlias = str
"""What stands between `event: ` and the blank line: nearly always a name, a line end and data."""

_BETWEEN: Final = "\n\nevent: "
_BEGINNING: Final = b"event: "


class FrameCutter:
    """Takes bytes, gives frames; where each begins with its name, they are cut and not yet read.

    All that is certain of a plain frame is that it begins after a blank line and ends before one:
    `parsed`, it gives what the parser would have given, at any place of the stream.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._held = bytearray()  # what follows the last blank line
        self._is_at_start = True
        self._parser: SseParser | None = None  # for the rest of a stream that is not so simple

    @property
    def is_overfull(self) -> bool:
        """Whether an event was longer than allowed; it and what comes after it is not read."""
        return self._parser is not None and self._parser.is_overfull

    def feed(self, chunk: bytes) -> Sequence[PlainFrame | Frame]:
        """Return the frames that `chunk` completes, in order."""
        if self._parser is not None:
            return self._parser.feed(chunk)
        held = self._held
        known = len(held)
        if b"\r" in chunk or known + len(chunk) > self._limit:
            self._parser = SseParser(self._limit, is_at_start=self._is_at_start)
            return self._parser.feed(bytes(held) + chunk)
        if not held and chunk.endswith(b"\n\n"):  # nearly always: servers send whole events
            return self._cut(chunk)
        held += chunk
        if b"\n" not in chunk:  # no blank line ends here: one byte is found faster than two
            return ()
        end = held.rfind(b"\n\n", max(known - 1, 0))
        if end < 0:
            return ()
        lines = bytes(held[: end + 2])
        del held[: end + 2]
        return self._cut(lines)

    def _cut(self, lines: bytes) -> Sequence[PlainFrame | Frame]:
        """Return the frames of lines that begin and end with a whole event."""
        is_at_start, self._is_at_start = self._is_at_start, False
        if lines.startswith(_BEGINNING):
            try:
                return str(lines, "utf-8")[len(_BEGINNING) : -2].split(_BETWEEN)
            except UnicodeDecodeError:
                pass  # the frame where that is will say so
        return SseParser(self._limit, is_at_start=is_at_start).feed(lines)

    def parsed(self, plain: Sequence[PlainFrame]) -> Sequence[Frame]:
        """Return what the parser reads in frames that were cut: mostly one in each, or none."""
        lines = "event: " + _BETWEEN.join(plain) + "\n\n"
        return SseParser(self._limit, is_at_start=False).feed(lines.encode())
