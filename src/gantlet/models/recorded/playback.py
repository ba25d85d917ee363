"""One recording while it is played."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from anyio.lowlevel import checkpoint

from gantlet.messages import (
    AssistantMessage,
    ModelError,
    ModelErrorKind,
    RetryListener,
    StreamEvent,
)
from gantlet.models.recorded.cassette import Ended, Failed, Recording, Retried
from gantlet.system import Clock


class Playback:
    """One recording while it is played."""

    def __init__(
        self, recording: Recording, clock: Clock, pace: float, on_retry: RetryListener | None
    ) -> None:
        self._recording = recording
        self._parts = iter(recording.parts)
        self._clock = clock
        self._pace = pace
        self._on_retry = on_retry

    async def next_part(self) -> StreamEvent | AssistantMessage | Ended:
        """Return the next part of the reply, when its time has come.

        Raises:
            ModelError: What was recorded, or the recording stops here.
        """
        for timed in self._parts:
            await self._wait(timed.after_seconds)
            match timed.part:
                case Retried() as retried:
                    self._tell(retried)
                case Failed() as failed:
                    raise failed.error()
                case part:
                    return part
        raise self.cut_off()

    def cut_off(self) -> ModelError:
        """Return the failure for a recording that nobody listened to until its end."""
        return ModelError(
            self._recording.cut_off,
            ModelErrorKind.BROKEN_STREAM,
            has_begun=bool(self._recording.parts),
        )

    async def _wait(self, seconds: float) -> None:
        """Wait as long as it took, at this pace."""
        if self._pace > 0 and seconds > 0:
            await self._clock.sleep_until(self._clock.now() + seconds * self._pace)
        else:
            await checkpoint()

    def _tell(self, retried: Retried) -> None:
        """Tell whoever listens that the request was made again."""
        if self._on_retry is not None:
            self._on_retry(
                attempt=retried.attempt,
                max_attempts=retried.max_attempts,
                delay_seconds=retried.delay_seconds,
                reason=retried.reason,
                status=retried.status,
            )


class ReplayedStream:
    """A recorded stream while it is played."""

    def __init__(self, begin: Callable[[], Playback]) -> None:
        self._begin = begin

    async def __aenter__(self) -> Self:
        self._playback = self._begin()
        self._first: StreamEvent | Ended | None = await self._next()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing: what was not heard is lost."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        part, self._first = self._first, None
        if part is None:
            part = await self._next()
        if isinstance(part, Ended):
            self._first = part
            raise StopAsyncIteration
        return part

    async def _next(self) -> StreamEvent | Ended:
        """Return the next event of the stream, or its end."""
        part = await self._playback.next_part()
        if isinstance(part, AssistantMessage):
            raise self._playback.cut_off()
        return part
