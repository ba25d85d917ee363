"""Records what a model is asked and what it says, for playing it again without the model."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from gantlet.messages import (
    AssistantMessage,
    CallProgress,
    Capabilities,
    Model,
    ModelError,
    ModelRequest,
    RetryListener,
    StreamEvent,
)
from gantlet.messages.value import replace
from gantlet.models.recorded.cassette import Ended, Failed, How, Part, Retried, Timed
from gantlet.models.recorded.fingerprint import masked_body
from gantlet.models.recorded.writer import CassetteWriter
from gantlet.system import Clock, Environment, Masker, RealClock

#: Tells how far each call of a reply has come.
Look: TypeAlias = Callable[[], Mapping[str, CallProgress]]


class RecordingModel:
    """A model that passes everything on to another one and writes it down.

    Secrets are masked in requests; what the model says is kept as it is. The file is new, and only
    its owner may read it. A cassette that somebody else has begun is theirs to close.

    Raises:
        UserError: The cassette cannot be made.
    """

    def __init__(
        self,
        model: Model,
        cassette: str | Path | CassetteWriter,
        clock: Clock | None = None,
        *,
        masker: Masker | None = None,
    ) -> None:
        self._model = model
        self._clock = clock or RealClock()
        self._masker = masker or Masker(Environment.current().variables)
        self._is_own = not isinstance(cassette, CassetteWriter)
        self._writer = (
            cassette if isinstance(cassette, CassetteWriter) else CassetteWriter(cassette)
        )

    def capabilities(self, model: str) -> Capabilities:
        """Return what the other model can do."""
        return self._model.capabilities(model)

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Stream the other model's reply, and write down each event and when it came.

        Raises:
            ModelError: What the other model raises.
        """
        return _RecordedStream(self, request, on_retry)

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Return the other model's reply, and write it down.

        Raises:
            ModelError: What the other model raises.
        """
        track = self._track(request, How.COMPLETE)
        try:
            reply = await self._model.complete(request, track.listening(on_retry))
        except ModelError as error:
            track.fail(error)
            raise
        track.note(reply)
        return reply

    async def aclose(self) -> None:
        """Close the other model, and the cassette if it was begun here."""
        try:
            await self._model.aclose()
        finally:
            if self._is_own:
                self._writer.close()

    def _track(self, request: ModelRequest, how: How) -> "_Track":
        """Write down a request."""
        body = masked_body(request, how, self._masker)
        changing = {name: self._masker.text(text) for name, text in self._writer.changing.items()}
        number = self._writer.begin(how, body, self.capabilities(request.model), changing)
        return _Track(number, self._writer, self._clock, self._masker)


class _Track:
    """Where the parts of one reply are written down."""

    def __init__(self, number: int, writer: CassetteWriter, clock: Clock, masker: Masker) -> None:
        self._number = number
        self._masker = masker
        self._writer = writer
        self._clock = clock
        self._last = clock.now()

    def note(self, part: Part) -> None:
        """Write down a part of the reply and how long it took to come."""
        now = self._clock.now()
        self._writer.note(self._number, Timed(now - self._last, part))
        self._last = now

    def fail(self, error: ModelError, calls: Mapping[str, CallProgress] | None = None) -> None:
        """Write down a failure; what a server says about one may repeat a secret."""
        failed = Failed.of(error)
        message = self._masker.text(failed.message)
        self.note(replace(failed, message=message, calls=dict(calls or {})))

    def listening(self, on_retry: RetryListener | None) -> RetryListener:
        """Return a listener that writes down each retry and passes it on."""

        def listen(
            *,
            attempt: int,
            max_attempts: int,
            delay_seconds: float,
            reason: str,
            status: int | None,
        ) -> None:
            self.note(Retried(attempt, max_attempts, delay_seconds, str(reason), status))
            if on_retry is not None:
                on_retry(
                    attempt=attempt,
                    max_attempts=max_attempts,
                    delay_seconds=delay_seconds,
                    reason=reason,
                    status=status,
                )

        return listen


class _RecordedStream:
    """A stream that is written down while it is read."""

    def __init__(
        self, recorder: RecordingModel, request: ModelRequest, on_retry: RetryListener | None
    ) -> None:
        self._recorder = recorder
        self._request = request
        self._on_retry = on_retry
        self._failure: ModelError | None = None
        self._look: Look = dict

    async def __aenter__(self) -> Self:
        self._track = self._recorder._track(self._request, How.STREAM)
        self._stream = self._recorder._model.stream(
            self._request, self._track.listening(self._on_retry)
        )
        try:
            self._events = await self._stream.__aenter__()
        except ModelError as error:
            self._track.fail(error)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """End the stream; how far its calls had come when it broke is known only then."""
        try:
            return await self._stream.__aexit__(kind, error, trace)
        finally:
            if self._failure is not None:
                self._track.fail(self._failure, self._look())

    def watch_calls(self, look: Look) -> None:
        """Take what tells how far the calls of this reply have come."""
        self._look = look
        watch_on = getattr(self._events, "watch_calls", None)
        if watch_on is not None:
            watch_on(look)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        try:
            event = await anext(self._events)
        except StopAsyncIteration:
            self._track.note(Ended())
            raise
        except ModelError as error:
            self._failure = error
            raise
        self._track.note(event)
        return event
