"""The scripted model: plays a script in this process, as a model behind a network would."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self, TypeVar

import anyio
from anyio.lowlevel import checkpoint

from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    RetryListener,
    StreamEvent,
)
from gantlet.messages.value import replace
from gantlet.models.scripted.assembled import assemble
from gantlet.models.scripted.performance import Hang, Step
from gantlet.models.scripted.player import Player
from gantlet.models.scripted.received import InvalidRequestError, ReceivedRequest, receive
from gantlet.models.scripted.script import ApiError, Drop, Garble, Script
from gantlet.models.scripted.speech import Pause, Send
from gantlet.system import Clock, RealClock

_FIRST_RETRY_SECONDS = 0.5
_PASSING = frozenset(
    {
        ModelErrorKind.RATE_LIMIT,
        ModelErrorKind.OVERLOADED,
        ModelErrorKind.SERVER_ERROR,
        ModelErrorKind.CONNECTION,
    }
)
_T = TypeVar("_T")


class _ScriptedError(ModelError):
    """A failure that the script asked for, and when to try again."""

    retry_after_seconds: float | None = None


class ScriptedModel:
    """A model that says what a script says.

    Like the API it refuses a history that is not valid. `max_retries` is how often a request that
    failed before its reply began is made again, as a client would.

    Attributes:
        requests: Every request that came, in order; one that is made again stands there again.
    """

    def __init__(
        self,
        script: Script,
        clock: Clock | None = None,
        *,
        capabilities: Capabilities | None = None,
        max_retries: int = 0,
    ) -> None:
        self.requests: list[ReceivedRequest] = []
        self._player = Player(script)
        self._clock = clock or RealClock()
        self._capabilities = capabilities or Capabilities()
        self._max_retries = max_retries

    def capabilities(self, model: str) -> Capabilities:
        """Return what was given, whatever the model is called."""
        return replace(self._capabilities, model=model)

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Play the reply, event by event, at the moments the script says.

        Raises:
            ModelError: The script fails here, or the request is not valid.
        """
        return _Playing(lambda: self._retried(request, on_retry, _opened, is_streamed=True))

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Play the reply and return it whole when its time has come.

        Raises:
            ModelError: The script fails somewhere in it, or the request is not valid.
        """
        return await self._retried(request, on_retry, _whole, is_streamed=False)

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""

    async def _retried(
        self,
        request: ModelRequest,
        on_retry: RetryListener | None,
        take: Callable[["_Events"], Awaitable[_T]],
        *,
        is_streamed: bool,
    ) -> _T:
        """Take the reply; if it does not begin and trying again makes sense, try again."""
        for attempt in range(1, self._max_retries + 1):
            try:
                return await take(self._events(request, is_streamed=is_streamed))
            except _ScriptedError as failure:
                if failure.has_begun or failure.kind not in _PASSING:
                    raise
                await self._wait(failure, attempt, on_retry)
        return await take(self._events(request, is_streamed=is_streamed))

    async def _wait(
        self, failure: _ScriptedError, attempt: int, on_retry: RetryListener | None
    ) -> None:
        """Say that the request is made again, and wait before it is."""
        delay = failure.retry_after_seconds
        if delay is None:
            delay = _FIRST_RETRY_SECONDS * 2 ** (attempt - 1)
        if on_retry is not None:
            on_retry(
                attempt=attempt,
                max_attempts=self._max_retries,
                delay_seconds=delay,
                reason=failure.kind,
                status=failure.status,
            )
        await self._clock.sleep_until(self._clock.now() + delay)

    def _events(self, request: ModelRequest, *, is_streamed: bool) -> "_Events":
        """Take note of a request and return the events of its reply."""
        try:
            received = receive(request.body(stream=is_streamed), betas=request.betas)
            self.requests.append(received)
            steps = self._player.answer(received).steps
        except InvalidRequestError as error:
            raise ModelError(str(error), ModelErrorKind.INVALID_REQUEST, status=400) from error
        return _Events(steps, self._clock, is_streamed=is_streamed)


class _Events:
    """The events of one reply, each at its moment."""

    def __init__(self, steps: tuple[Step, ...], clock: Clock, *, is_streamed: bool) -> None:
        self._steps = iter(steps)
        self._clock = clock
        self._is_streamed = is_streamed
        self._first: StreamEvent | None = None
        self._has_begun = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        await checkpoint()
        for step in self._steps:
            match step:
                case Send(event):
                    self._has_begun = self._is_streamed
                    return event
                case Pause(seconds):
                    await self._clock.sleep_until(self._clock.now() + seconds)
                case Hang():
                    await anyio.sleep_forever()
                case _:
                    raise self._failure(step)
        raise StopAsyncIteration

    async def open(self) -> None:
        """Wait for the reply to begin."""
        self._first = await anext(self, None)

    def _failure(self, step: ApiError | Drop | Garble) -> _ScriptedError:
        """Return what a client makes of a fault."""
        match step:
            case ApiError():
                failure = _ScriptedError(
                    f"{step.type}: {step.message}",
                    step.kind,
                    status=None if self._has_begun else step.status,
                    has_begun=self._has_begun,
                )
                failure.retry_after_seconds = step.retry_after_seconds
                return failure
            case Drop():
                said = "The connection was closed by the script."
                kind = ModelErrorKind.CONNECTION
            case Garble():
                said = f"The script sent something that is no event ({step})."
                kind = ModelErrorKind.BROKEN_STREAM
        return _ScriptedError(said, kind, has_begun=self._has_begun)


class _Playing:
    """A reply that is played as long as the context lasts."""

    def __init__(self, begin: Callable[[], Awaitable[_Events]]) -> None:
        self._begin = begin

    async def __aenter__(self) -> AsyncIterator[StreamEvent]:
        return await self._begin()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing: what was not heard is lost."""


async def _opened(events: _Events) -> _Events:
    """Return the events of a reply that has begun."""
    await events.open()
    return events


async def _whole(events: _Events) -> AssistantMessage:
    """Return a reply that has ended."""
    return assemble([event async for event in events])
