"""One reply while it streams: from the first event to the last, then nothing."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Protocol, Self

from gantlet.messages import (
    AssistantMessage,
    MessageStop,
    ModelErrorKind,
    StreamError,
    StreamEvent,
)
from gantlet.models.messages_api.decoding import ReplyDecoder
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import LateError, Response, now, read_what_comes
from gantlet.models.messages_api.failures import RequestError, broken_off, request_id, unreadable
from gantlet.models.messages_api.whole import events_of

REST_SECONDS: Final = 0.05
REST_BYTES: Final = 64 * 1024
"""How long and how much to read after the last event, to use the connection again."""


class Source(Protocol):
    """Where the events of a reply come from, and what must be let go of in the end."""

    async def next_events(self) -> Sequence[StreamEvent]:
        """Wait for more events; return those that have come, up to a fault and at least one.

        Raises:
            RequestError: There are none.
        """

    async def aclose(self, *, is_complete: bool) -> None:
        """Let go of the connection; after a complete reply it can serve again."""


class StreamedSource:
    """Events from a response that is a stream of them."""

    def __init__(self, response: Response, endpoint: Endpoint) -> None:
        self._response = response
        self._endpoint = endpoint
        self._decoder = ReplyDecoder()

    async def next_events(self) -> Sequence[StreamEvent]:
        """Return the next events; whatever else comes does not make the wait longer.

        Raises:
            RequestError: The stream broke, ended, stalled, or cannot be read.
        """
        events = self._ready_events()
        if events:
            return events
        until = now() + self._endpoint.idle_seconds
        while not events:
            try:
                chunk = await self._response.read(until)
            except LateError as error:
                raise self._failed(
                    f"The reply stalled: {self._endpoint.host} sent no event for "
                    f"{self._endpoint.idle_seconds:g} seconds",
                    ModelErrorKind.STALLED,
                ) from error
            if not chunk:
                raise self._failed(
                    "The reply ended before it was complete", ModelErrorKind.BROKEN_STREAM
                )
            self._decoder.feed(chunk)
            events = self._ready_events()
        return events

    async def aclose(self, *, is_complete: bool) -> None:
        """Let go of the connection; after a complete reply, once its end has been read."""
        try:
            if is_complete and not self._response.is_at_end:
                await read_what_comes(self._response, REST_BYTES, REST_SECONDS)
        finally:
            await self._response.aclose()

    def _ready_events(self) -> Sequence[StreamEvent]:
        """Return the events of what has come; an error instead of the rest is raised.

        Raises:
            RequestError: The stream broke, or cannot be read.
        """
        try:
            events = self._decoder.ready_events()
        except ValueError as error:
            response = self._response
            raise unreadable(
                self._endpoint, error, status=response.status, headers=response.headers
            ) from error
        if StreamError in map(type, events):
            return self._before_error(events)
        return events

    def _before_error(self, events: list[StreamEvent]) -> Sequence[StreamEvent]:
        """Return the events before an error, which is raised when it is the first."""
        for at, event in enumerate(events):
            if isinstance(event, StreamError):
                if not at:
                    raise broken_off(self._endpoint, event.error, self._response.headers)
                self._decoder.put_back(events[at:])
                return events[:at]
        return events

    def _failed(self, what: str, kind: ModelErrorKind) -> RequestError:
        """Return the error for a stream that did not go on."""
        return RequestError(
            f"{what}. Send the request again.",
            kind,
            request_id=request_id(self._endpoint, self._response.headers),
            may_retry=True,
        )


class WholeSource:
    """Events of a reply that came in one piece, though a stream was asked for."""

    def __init__(self, message: AssistantMessage) -> None:
        self._events = events_of(message)

    async def next_events(self) -> Sequence[StreamEvent]:
        """Return all events; `message_stop` comes last."""
        return [*self._events]

    async def aclose(self, *, is_complete: bool) -> None:
        """Do nothing: the response was read and closed before."""


class Reply:
    """What `async with model.stream(...)` opens, and what it iterates over."""

    def __init__(
        self, begin: Callable[[], Awaitable[tuple[Source, Sequence[StreamEvent]]]]
    ) -> None:
        self._begin = begin
        self._source: Source | None = None
        self._ready: deque[StreamEvent] = deque()
        self._is_complete = False

    async def __aenter__(self) -> Self:
        """Send the request, again if need be, until the reply has begun.

        Raises:
            ModelError: There was no reply.
            UserError: The request cannot be sent.
        """
        self._source, events = await self._begin()
        self._take(events)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        source, self._source = self._source, None
        self._ready.clear()
        if source is not None:
            await source.aclose(is_complete=self._is_complete and error is None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        """Return the next event; there is none after `message_stop`, or outside the context.

        Raises:
            ModelError: The reply broke off.
        """
        if not self._ready:
            if self._source is None or self._is_complete:
                raise StopAsyncIteration
            try:
                self._take(await self._source.next_events())
            except RequestError as error:
                error.has_begun = True
                raise
        event = self._ready.popleft()
        self._is_complete = type(event) is MessageStop
        return event

    def ready_events(self) -> Sequence[StreamEvent]:
        """Return the events that have come and were not given yet, none of them twice."""
        if not self._ready:
            return ()
        ready, self._ready = self._ready, deque()
        self._is_complete = type(ready[-1]) is MessageStop
        return ready

    def _take(self, events: Sequence[StreamEvent]) -> None:
        """Take the events that have come; what follows the last one is not read."""
        kinds = [*map(type, events)]
        if MessageStop in kinds:
            events = events[: kinds.index(MessageStop) + 1]
        self._ready.extend(events)
