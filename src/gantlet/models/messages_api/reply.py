"""One reply while it streams: from the first event to the last, then nothing."""

from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Final, Protocol

import anyio

from gantlet.messages import (
    AssistantMessage,
    MessageStop,
    ModelErrorKind,
    StreamError,
    StreamEvent,
)
from gantlet.models.messages_api.decoding import ReplyDecoder
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import LateError, Response, read_what_comes
from gantlet.models.messages_api.failures import RequestError, broken_off, request_id, unreadable
from gantlet.models.messages_api.whole import events_of

REST_SECONDS: Final = 0.05
REST_BYTES: Final = 64 * 1024
"""How long and how much to read after the last event, to use the connection again."""


class Source(Protocol):
    """Where the events of a reply come from, and what must be let go of in the end."""

    def ready_event(self) -> StreamEvent | None:
        """Return the next event if it is there already, or nothing if it has to be waited for.

        Raises:
            RequestError: There is none.
        """

    async def next_event(self) -> StreamEvent:
        """Return the next event.

        Raises:
            RequestError: There is none.
        """

    async def aclose(self, *, is_complete: bool) -> None:
        """Let go of the connection; after a complete reply it can serve again."""


class StreamedSource:
    """Events from a response that is a stream of them."""

    def __init__(self, response: Response, endpoint: Endpoint) -> None:
        self._response = response
        self._endpoint = endpoint
        self._decoder = ReplyDecoder()

    async def next_event(self) -> StreamEvent:
        """Return the next event; whatever else comes does not make the wait longer.

        Raises:
            RequestError: The stream broke, ended, stalled, or cannot be read.
        """
        event = self.ready_event()
        if event is not None:
            return event
        until = anyio.current_time() + self._endpoint.idle_seconds
        while event is None:
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
            event = self.ready_event()
        return event

    async def aclose(self, *, is_complete: bool) -> None:
        """Let go of the connection; after a complete reply, once its end has been read."""
        try:
            if is_complete and not self._response.is_at_end:
                await read_what_comes(self._response, REST_BYTES, REST_SECONDS)
        finally:
            await self._response.aclose()

    def ready_event(self) -> StreamEvent | None:
        """Return the next event of what has come; an error instead of the rest is raised.

        Raises:
            RequestError: The stream broke, or cannot be read.
        """
        try:
            event = self._decoder.next_event()
        except ValueError as error:
            response = self._response
            raise unreadable(
                self._endpoint, error, status=response.status, headers=response.headers
            ) from error
        if isinstance(event, StreamError):
            raise broken_off(self._endpoint, event.error, self._response.headers)
        return event

    def _failed(self, what: str, kind: ModelErrorKind) -> RequestError:
        """Return the error for a stream that did not go on."""
        return RequestError(
            f"{what}. Send the request again.",
            kind,
            request_id=request_id(self._response.headers),
            may_retry=True,
        )


class WholeSource:
    """Events of a reply that came in one piece, though a stream was asked for."""

    def __init__(self, message: AssistantMessage) -> None:
        self._events = events_of(message)

    def ready_event(self) -> StreamEvent | None:
        """Return the next event; `message_stop` comes last."""
        return next(self._events)

    async def next_event(self) -> StreamEvent:
        """Return the next event; `message_stop` comes last."""
        return next(self._events)

    async def aclose(self, *, is_complete: bool) -> None:
        """Do nothing: the response was read and closed before."""


class Reply:
    """What `async with model.stream(...)` opens, and what it iterates over."""

    def __init__(self, begin: Callable[[], Awaitable[tuple[Source, list[StreamEvent]]]]) -> None:
        self._begin = begin
        self._source: Source | None = None
        self._came: list[StreamEvent] = []
        self._is_complete = False

    async def __aenter__(self) -> AsyncIterator[StreamEvent]:
        """Send the request, again if need be, until the reply has begun.

        Raises:
            ModelError: There was no reply.
            UserError: The request cannot be sent.
        """
        self._source, came = await self._begin()
        self._came = came[::-1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        source, self._source = self._source, None
        if source is not None:
            await source.aclose(is_complete=self._is_complete and error is None)

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self

    async def __anext__(self) -> StreamEvent:
        """Return the next event; there is none after `message_stop`, or outside the context.

        Raises:
            ModelError: The reply broke off.
        """
        source = self._source
        if source is None or self._is_complete:
            raise StopAsyncIteration
        if self._came:
            event = self._came.pop()
        else:
            try:
                event = source.ready_event() or await source.next_event()
            except RequestError as error:
                error.has_begun = True
                raise
        if type(event) is MessageStop:
            self._is_complete = True
        return event
