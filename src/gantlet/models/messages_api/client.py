"""A model behind the Messages API: the vendor's own, or any server that speaks it."""

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Final

import anyio

from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    ModelRequest,
    Ping,
    RetryListener,
    StreamEvent,
    UnknownEvent,
)
from gantlet.messages.value import replace
from gantlet.models.messages_api.capabilities import capabilities_of
from gantlet.models.messages_api.direct import DirectTransport
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import (
    LateError,
    Response,
    Transport,
    media_type,
    now,
    read_what_comes,
)
from gantlet.models.messages_api.failures import RequestError, refusal, too_late, unreadable
from gantlet.models.messages_api.reply import Reply, Source, StreamedSource, WholeSource
from gantlet.models.messages_api.retries import Retries
from gantlet.models.messages_api.whole import read_message
from gantlet.system import Clock, RealClock
from gantlet.tool import UserError

PATH: Final = "/v1/messages"
MAX_ERROR_BYTES: Final = 64 * 1024
ERROR_SECONDS: Final = 5.0
"""How long to wait for the reason, once the status has said that there is no reply."""


def open_transport(endpoint: Endpoint) -> Transport:
    """Return a way to the server; the one seam for httpx2, which only TLS and proxies need."""
    if endpoint.is_plain:
        return DirectTransport(endpoint)
    from gantlet.models.messages_api.transport import HttpTransport  # noqa: PLC0415 - the seam

    return HttpTransport(endpoint)


class MessagesApi:
    """Answers requests over HTTP; one client and its connections serve them all.

    It belongs to the event loop in which its first request was sent. Waits between retries go
    through `clock`; what the network may take is measured in real time.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        known_models: Mapping[str, Capabilities] | None = None,
        transport: Callable[[Endpoint], Transport] = open_transport,
    ) -> None:
        self.endpoint = endpoint
        self._retries = Retries(endpoint.max_retries, clock or RealClock(), chance)
        self._known_models = dict(known_models or {})
        self._open_transport = transport
        self._transport: Transport | None = None
        self._headers: tuple[tuple[str, ...], dict[str, str]] | None = None

    def capabilities(self, model: str) -> Capabilities:
        """Return what the named model can do: as told, else as far as its name and host say."""
        told = self._known_models.get(model)
        return told or capabilities_of(model, has_full_api=self.endpoint.has_full_api)

    def get_ready(self) -> None:
        """Have the system connect while a request is being written, where that takes no waiting."""
        if self.endpoint.is_plain:
            if self._transport is None:
                self._transport = self._open_transport(self.endpoint)
            if isinstance(self._transport, DirectTransport):
                self._transport.get_ready()

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Send a request on entry and read the reply as it comes.

        Raises:
            ModelError: There was no reply, or it broke off.
            UserError: The endpoint lacks a key or cannot be used.
        """
        attempt = partial(self._begin, request)
        return Reply(
            partial(self._retries.run, attempt, on_retry, has_fallback=request.has_fallback)
        )

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Send a request and wait for the whole reply.

        Raises:
            ModelError: There was none.
            UserError: The endpoint lacks a key or cannot be used.
        """
        return await self._retries.run(
            partial(self._completed, request), on_retry, has_fallback=request.has_fallback
        )

    async def aclose(self) -> None:
        """Close each connection; a later request opens new ones."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    async def _begin(self, request: ModelRequest) -> tuple[Source, list[StreamEvent]]:
        """Send a request and wait until its reply begins; return what has come by then."""
        response = await self._sent(request, stream=True)
        try:
            source = await self._source(response)
            return source, await _beginning(source)
        except BaseException:
            await response.aclose()
            raise

    async def _source(self, response: Response) -> Source:
        """Return where the events come from: a stream, or a server that knows none."""
        kind = media_type(response)
        if kind in {"", "text/event-stream"}:
            return StreamedSource(response, self.endpoint)
        if not kind.endswith("json"):
            raise unreadable(
                self.endpoint, f"it is {kind}", status=response.status, headers=response.headers
            )
        with anyio.move_on_after(self.endpoint.timeout_seconds):
            message = await read_message(response, self.endpoint)
            await response.aclose()
            return WholeSource(message)
        raise too_late(self.endpoint)

    async def _completed(self, request: ModelRequest) -> AssistantMessage:
        """Send a request and read the whole reply."""
        with anyio.move_on_after(self.endpoint.timeout_seconds):
            response = await self._sent(request, stream=False)
            try:
                return await read_message(response, self.endpoint)
            finally:
                await response.aclose()
        raise too_late(self.endpoint)

    async def _sent(self, request: ModelRequest, *, stream: bool) -> Response:
        """Send a request and return its response if it is a good one."""
        headers, parts = self._written(request, stream=stream)
        if self._transport is None:
            self._transport = self._open_transport(self.endpoint)
        until = now() + self.endpoint.timeout_seconds
        try:
            response = await self._transport.post(PATH, headers, parts, until)
        except LateError as error:
            raise too_late(self.endpoint) from error
        if 200 <= response.status < 300:
            return response
        raise await self._refused(response)

    def _written(
        self, request: ModelRequest, *, stream: bool
    ) -> tuple[dict[str, str], Sequence[bytes]]:
        """Return the headers of a request, and the parts of its body."""
        if self.endpoint.extra_body:
            request = replace(request, extra={**request.extra, **self.endpoint.extra_body})
        if self._headers is None or self._headers[0] != request.betas:
            self._headers = (request.betas, self._headers_for(request.betas))
        return self._headers[1], request.parts(stream=stream)

    def _headers_for(self, betas: tuple[str, ...]) -> dict[str, str]:
        """Return the headers of requests that ask for these betas."""
        endpoint = self.endpoint
        if endpoint.is_public and not endpoint.has_credential:
            raise UserError(
                f"{endpoint.host} needs a key. Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to "
                "a server that needs none."
            )
        return {
            "accept": "application/json",  # for a stream too, as every client of this API has it
            "content-type": "application/json",
            **endpoint.request_headers(betas),
        }

    async def _refused(self, response: Response) -> RequestError:
        """Return the error that a bad response means, and close it."""
        seconds = min(ERROR_SECONDS, self.endpoint.idle_seconds)
        try:
            body = await read_what_comes(response, MAX_ERROR_BYTES, seconds)
        finally:
            await response.aclose()
        asked = response.retry_after_seconds
        return refusal(self.endpoint, response.status, response.headers, body, asked)


async def _beginning(source: Source) -> list[StreamEvent]:
    """Return the events that have come when the first has that is part of the reply.

    Raises:
        RequestError: There is none.
    """
    came: list[StreamEvent] = []
    has_begun = False
    while not has_begun:
        events = await source.next_events()
        has_begun = not all(isinstance(event, Ping | UnknownEvent) for event in events)
        came += events
    return came
