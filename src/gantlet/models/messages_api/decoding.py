"""What the bytes of a streamed reply say, event by event."""

from collections import deque
from collections.abc import Iterable

from gantlet.messages import BlockStart, BlockStop, StreamEvent
from gantlet.models.messages_api.frames import FrameCutter, PlainFrame
from gantlet.models.messages_api.plain import (
    AT_FIRST,
    SHORT,
    event_in,
    event_of,
    expected_after,
    short_event_of,
)
from gantlet.models.messages_api.sse import MAX_EVENT_BYTES, Frame


class ReplyDecoder:
    """Takes bytes, gives events, so that what came before a fault is still read."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._cutter = FrameCutter(max_event_bytes)
        self._frames: deque[PlainFrame | Frame] = deque()
        self._ready: deque[StreamEvent] = deque()
        self._expected = AT_FIRST

    def feed(self, chunk: bytes) -> None:
        """Take what the network brought."""
        self._frames.extend(self._cutter.feed(chunk))

    def put_back(self, events: Iterable[StreamEvent]) -> None:
        """Take events back that are to come again, before all others."""
        self._ready.extendleft(reversed([*events]))

    def next_event(self) -> StreamEvent | None:
        """Return the next event, or nothing while none is complete.

        Raises:
            ValueError: The next event is not JSON in UTF-8, or longer than allowed.
        """
        ready = self._ready
        if not ready:
            ready.extend(self.ready_events())
        return ready.popleft() if ready else None

    def ready_events(self) -> list[StreamEvent]:
        """Return the events that are complete, up to a fault; none while none is.

        Raises:
            ValueError: The next event is not JSON in UTF-8, or longer than allowed.
        """
        frames, events = self._frames, [*self._ready]
        self._ready.clear()
        self._expected.take(frames, events)
        while frames:
            frame = frames.popleft()
            try:
                event = self._event(frame)
            except ValueError:
                if not events:
                    raise
                frames.appendleft(frame)
                return events
            if event is not None:
                events.append(event)
                if type(event) is BlockStart:
                    self._expected = expected_after(event)
                if type(event) is not BlockStop and type(frame) is str:
                    self._expected.take(frames, events)
        if not events and self._cutter.is_overfull:
            raise ValueError(f"an event is longer than {self._limit} bytes")
        return events

    def _event(self, frame: PlainFrame | Frame) -> StreamEvent | None:
        """Return the event of a frame; nothing if it is to be read line by line first.

        Raises:
            ValueError: Its data is not JSON in UTF-8.
        """
        if type(frame) is not str:
            return event_in(*frame)
        if len(frame) <= SHORT:
            event = short_event_of(frame)
        else:
            event = self._expected.call(frame) or event_of(frame)
        if event is None:
            self._read_lines(frame)
        return event

    def _read_lines(self, frame: PlainFrame) -> None:
        """Have a frame parsed that is not quite plain, and those after it that were only cut."""
        frames, plain = self._frames, [frame]
        while frames and type(after := frames[0]) is str:
            plain.append(after)
            frames.popleft()
        frames.extendleft(reversed(self._cutter.parsed(plain)))
