"""A reply's steps over HTTP: events as they come, waits in real time, faults on the wire."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gantlet.messages import (
    JsonValue,
    StreamEvent,
    dumps,
    message_to_wire,
    stream_event_to_wire,
)
from gantlet.models.scripted.assembled import assemble
from gantlet.models.scripted.http import Connection, chunk, head
from gantlet.models.scripted.performance import Hang, Step
from gantlet.models.scripted.script import ApiError, Drop, Garble
from gantlet.models.scripted.speech import Pause, Send
from gantlet.system import Clock

_MAX_HELD_BYTES = 32_000
_HALF_EVENT = b'event: content_block_delta\ndata: {"type":"content_block_de'
_NO_EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n'
_NO_CHUNK = b"zz\r\nThis is not how a chunk begins.\r\n"
#: For a reply in one piece: how its length is given, and what comes instead of it.
_BROKEN_BODIES: dict[Garble, tuple[dict[str, str], bytes]] = {
    Garble.HALF_EVENT: ({"content-length": "1000"}, b'{"type":"message","id":"msg_'),
    Garble.WRONG_CHUNK: ({"transfer-encoding": "chunked"}, _NO_CHUNK),
    Garble.NOT_JSON: ({"content-length": "23"}, b'{"type":"message","id":'),
}
_Fault: TypeAlias = ApiError | Drop | Garble


class Stage:
    """Where one reply is played: a connection, and the headers its answer begins with."""

    def __init__(
        self, connection: Connection, clock: Clock, headers: Mapping[str, str], *, is_old: bool
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._headers = headers
        self._is_chunked = not is_old
        self._has_begun = False
        self._held = bytearray()

    async def stream(self, steps: Sequence[Step]) -> bool:
        """Play a reply event by event; return whether the answer is whole.

        If it is not, the connection must be closed.
        """
        for step in steps:
            match step:
                case Send(event):
                    await self._hold(event)
                case Pause(seconds):
                    await self._flush()
                    await self._clock.sleep_until(self._clock.now() + seconds)
                case Hang():
                    await self._flush()
                    await self._connection.wait_until_gone()
                    return False
                case _:
                    return await self._break(step)
        return await self._end()

    async def send_whole(self, steps: Sequence[Step]) -> bool:
        """Play a reply in one piece; return whether the answer is whole."""
        events: list[StreamEvent] = []
        for step in steps:
            match step:
                case Send(event):
                    events.append(event)
                case Pause(seconds):
                    await self._clock.sleep_until(self._clock.now() + seconds)
                case Hang():
                    await self._connection.wait_until_gone()
                    return False
                case _:
                    return await self._break_whole(step)
        message = message_to_wire(assemble(events))
        await self._connection.send_json(200, message, self._headers)
        return True

    async def _hold(self, event: StreamEvent) -> None:
        """Take an event to be sent; those without a wait between them go together."""
        wire = stream_event_to_wire(event)
        self._held += self._framed(_event(wire))
        if len(self._held) > _MAX_HELD_BYTES:
            await self._flush()

    async def _flush(self) -> None:
        """Send what is held; the head goes with the first event."""
        if not self._held:
            return
        opening = b"" if self._has_begun else self._head()
        self._has_begun = True
        held, self._held = bytes(self._held), bytearray()
        await self._connection.send(opening, held)

    async def _end(self) -> bool:
        """Send the rest and the end."""
        if self._is_chunked:
            self._held += chunk(b"")
        await self._flush()
        return True

    async def _break(self, fault: _Fault) -> bool:
        """Let a fault strike a reply that streams."""
        await self._flush()
        match fault:
            case ApiError() if not self._has_begun:
                await self._refuse(fault)
                return True
            case ApiError():
                self._held += self._framed(_event(error_body(fault)))
                return await self._end()
            case Garble():
                await self._garble(fault)
        return False

    async def _garble(self, garble: Garble) -> None:
        """Send something that is no event."""
        opening = b"" if self._has_begun else self._head()
        match garble:
            case Garble.HALF_EVENT:
                await self._connection.send(opening, self._framed(_HALF_EVENT))
            case Garble.NOT_JSON:
                await self._connection.send(opening, self._framed(_NO_EVENT))
            case Garble.WRONG_CHUNK:
                await self._connection.send(opening, _NO_CHUNK)

    async def _break_whole(self, fault: _Fault) -> bool:
        """Let a fault strike a reply that comes in one piece."""
        match fault:
            case ApiError():
                await self._refuse(fault)
                return True
            case Garble():
                framing, body = _BROKEN_BODIES[fault]
                headers = {"content-type": "application/json", **framing, **self._headers}
                await self._connection.send(head(200, headers), body)
        return False

    async def _refuse(self, error: ApiError) -> None:
        """Answer with a status."""
        headers = dict(self._headers)
        if error.retry_after_seconds is not None:
            headers["retry-after"] = f"{error.retry_after_seconds:g}"
        body = error_body(error, self._headers.get("request-id"))
        await self._connection.send_json(error.status, body, headers)

    def _head(self) -> bytes:
        """Return the head of a stream."""
        own = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        framing = {"transfer-encoding": "chunked"} if self._is_chunked else {"connection": "close"}
        return head(200, {**own, **framing, **self._headers})

    def _framed(self, content: bytes) -> bytes:
        """Return bytes as they travel in the stream."""
        return chunk(content) if self._is_chunked else content


def error_body(error: ApiError, request_id: str | None = None) -> dict[str, JsonValue]:
    """Return the body of an answer that is an error."""
    body: dict[str, JsonValue] = {
        "type": "error",
        "error": {"type": error.type, "message": error.message},
    }
    return {**body, "request_id": request_id} if request_id else body


def _event(wire: JsonValue) -> bytes:
    """Return a server-sent event."""
    kind = str(wire.get("type") if isinstance(wire, dict) else None).replace("\n", " ")
    return b"event: %b\ndata: %b\n\n" % (kind.encode("utf-8", "replace"), dumps(wire))
