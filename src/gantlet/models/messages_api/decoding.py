"""What the bytes of a streamed reply say, event by event."""

from collections import deque
from typing import Final

from gantlet.messages import (
    JsonValue,
    StreamError,
    StreamEvent,
    UnknownEvent,
    loads,
    stream_event_from_wire,
)
from gantlet.models.messages_api.failures import error_in
from gantlet.models.messages_api.sse import MAX_EVENT_BYTES, Frame, SseParser

_ERROR: Final = b"error"


class ReplyDecoder:
    """Takes bytes, gives events one at a time, so that what came before a fault is still read."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._parser = SseParser(max_event_bytes)
        self._frames: deque[Frame] = deque()

    def feed(self, chunk: bytes) -> None:
        """Take what the network brought."""
        self._frames.extend(self._parser.feed(chunk))

    def next_event(self) -> StreamEvent | None:
        """Return the next event, or nothing while none is complete.

        Data that does not name its own type has that of the frame; empty data is an empty object.
        An error is one however it is worded.

        Raises:
            ValueError: The next event is not JSON in UTF-8, or longer than allowed.
        """
        if self._frames:
            name, data = self._frames.popleft()
            try:
                wire = loads(data) if data else {}
            except ValueError:
                if name != _ERROR:
                    raise
                wire = {"error": str(data, "utf-8", "replace")}  # mere words
            if isinstance(wire, dict) and "type" not in wire and name:
                wire = {"type": str(name, "utf-8"), **wire}
            event = stream_event_from_wire(wire)
            return event if type(event) is not UnknownEvent else _checked(event, name, wire)
        if self._parser.is_overfull:
            raise ValueError(f"an event is longer than {self._limit} bytes")
        return None


def _checked(event: UnknownEvent, name: bytes, wire: JsonValue) -> StreamEvent:
    """Return an event that we do not know, unless it is an error in other words."""
    details = error_in(wire, is_named_error=name == _ERROR)
    return event if details is None else StreamError(details)
