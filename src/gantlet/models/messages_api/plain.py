"""Frames as the Messages API writes them: what is known of them is compared, and not parsed.

What is written in any other way is read the long way, by which everything here is measured.
"""

from collections import deque
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final

from gantlet.messages import (
    BlockDelta,
    BlockStart,
    Delta,
    InputJsonDelta,
    JsonValue,
    ServerToolUse,
    StreamError,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    UnknownEvent,
    loads,
    stream_event_from_wire,
)
from gantlet.messages.frozen import NOTHING_EXTRA
from gantlet.messages.json import scan_text
from gantlet.models.messages_api.failures import error_in
from gantlet.models.messages_api.frames import PlainFrame
from gantlet.models.messages_api.sse import Frame

#: A frame as short as this holds no words, but says that a block ends, say, as every reply does.
SHORT: Final = 80
_KEPT: Final = 256
_ERROR: Final = b"error"
_MORE: Final = (
    'content_block_delta\ndata: {"type":"content_block_delta","index":%d,'
    '"delta":{"type":"%s","%s":"'
)
_MORE_END: Final = "}}"
_CALL: Final = (
    'content_block_start\ndata: {"type":"content_block_start","index":%d,'
    '"content_block":{"type":"tool_use","id":"'
)
_CALL_NAME: Final = ',"name":"'
_CALL_END: Final = ',"input":{}}}'
_INPUT: Final = '"input"'


def event_in(name: bytes, data: str | bytes) -> StreamEvent:
    """Return the event of a frame.

    Data that does not name its own type has that of the frame; empty data is an empty object. An
    error is one however it is worded.

    Raises:
        ValueError: The data is not JSON in UTF-8.
    """
    try:
        wire = loads(data) if data else {}
    except ValueError:
        if name != _ERROR:
            raise
        words = data if isinstance(data, str) else str(data, "utf-8", "replace")
        wire = {"error": words}
    if isinstance(wire, dict) and "type" not in wire and name:
        wire = {"type": str(name, "utf-8"), **wire}
    event = stream_event_from_wire(wire)
    return event if type(event) is not UnknownEvent else _checked(event, name, wire)


def _checked(event: UnknownEvent, name: bytes, wire: JsonValue) -> StreamEvent:
    """Return an event that we do not know, unless it is an error in other words."""
    details = error_in(wire, is_named_error=name == _ERROR)
    return event if details is None else StreamError(details)


def event_of(frame: PlainFrame) -> StreamEvent | None:
    """Return the event of a frame; nothing if that is more than a name and one line of data.

    Raises:
        ValueError: The data is not JSON.
    """
    name, mark, data = frame.partition("\ndata: ")
    if not mark or "\n" in name or "\n" in data:
        return None
    return event_in(name.encode(), data)


#: The same for a short frame. An event is a value: one object may serve every reply that has it.
short_event_of = lru_cache(maxsize=_KEPT)(event_of)


class Expected:
    """What is likely to come after the start of a block: more of it, then the start of a call."""

    __slots__ = ("_index", "_make", "_more", "_next_call")

    def __init__(self, index: int, more: str, make: Callable[[str], Delta]) -> None:
        self._index = index
        self._make = make
        self._more = more
        self._next_call = _CALL % (index + 1)

    def take(self, frames: deque[PlainFrame | Frame], events: list[StreamEvent]) -> None:
        """Take the first frames, as long as they bring more of the block, and add their events."""
        more, index, make = self._more, self._index, self._make
        start = len(more)
        while frames:
            frame = frames[0]
            if type(frame) is not str or not frame.startswith(more):
                return
            try:
                text, end = scan_text(frame, start)
            except ValueError:
                return  # whoever reads all of the frame finds that too, and says what it is
            rest = frame[end:]
            if rest != _MORE_END and rest.replace(" ", "") != _MORE_END:
                return
            events.append(BlockDelta(index, make(text)))
            del frames[0]

    def call(self, frame: PlainFrame) -> BlockStart | None:
        """Return the start of the call that comes next, if a frame is that."""
        if not frame.startswith(self._next_call):
            return None
        try:
            own_id, end = scan_text(frame, len(self._next_call))
            if not frame.startswith(_CALL_NAME, end):
                return None
            name, end = scan_text(frame, end + len(_CALL_NAME))
        except ValueError:
            return None
        rest = frame[end:]
        if rest != _CALL_END and (_INPUT not in rest or rest.replace(" ", "") != _CALL_END):
            return None
        return BlockStart(self._index + 1, ToolUse(own_id, name, NOTHING_EXTRA))


def expected_after(start: BlockStart) -> Expected:
    """Return what is likely to come after the start of a block."""
    return _expected(start.index, type(start.content_block))  # type: ignore[arg-type]  # a class can be hashed


@lru_cache(maxsize=_KEPT)
def _expected(index: int, block: Hashable) -> Expected:
    """Return what is likely to come after the start of a block of some type."""
    kind, member, make = _DELTAS.get(block, _DELTAS[Text])
    return Expected(index, _MORE % (index, kind, member), make)


_DELTAS: dict[Hashable, tuple[str, str, Callable[[str], Delta]]] = {
    Text: ("text_delta", "text", TextDelta),
    Thinking: ("thinking_delta", "thinking", ThinkingDelta),
    ToolUse: ("input_json_delta", "partial_json", InputJsonDelta),
    ServerToolUse: ("input_json_delta", "partial_json", InputJsonDelta),
}
#: What is likely before any block has begun: only that one does. No plain frame holds a CR.
AT_FIRST: Final = Expected(-1, "\r", TextDelta)
