"""One recording while it is played."""

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Self

from anyio.lowlevel import checkpoint

from gantlet.messages import (
    AssistantMessage,
    BlockStart,
    CallProgress,
    MessageStart,
    MessageStop,
    ModelError,
    ModelErrorKind,
    RetryListener,
    StreamEvent,
)
from gantlet.models.recorded.cassette import Ended, Failed, Part, Recording, Retried
from gantlet.system import Clock

#: How often it is looked how far calls have come, and for how long at most.
_LOOK_SECONDS = 0.001
MAX_SECONDS = 600.0
#: Events that may hand over a call.
_MOVES_ON = (BlockStart, MessageStart, MessageStop)


class Playback:
    """One recording while it is played.

    A reply that broke off while its calls ran breaks off when they are as far as they were: then
    the same has happened, and the same is asked next, however quickly it is played.
    """

    def __init__(
        self, recording: Recording, clock: Clock, pace: float, on_retry: RetryListener | None
    ) -> None:
        self._recording = recording
        self._parts = iter(recording.parts)
        self._clock = clock
        self._pace = pace
        self._on_retry = on_retry
        self._look: Callable[[], Mapping[str, CallProgress]] = dict
        last = recording.parts[-1].part if recording.parts else None
        self._calls = last.calls if isinstance(last, Failed) else {}

    def watch_calls(self, look: Callable[[], Mapping[str, CallProgress]]) -> None:
        """Take what tells how far the calls of the reply have come."""
        self._look = look

    async def next_part(self) -> StreamEvent | AssistantMessage | Ended:
        """Return the next part of the reply, when its time has come.

        Raises:
            ModelError: What was recorded, or the recording stops here.
        """
        for timed in self._parts:
            handed_over = self._look() if self._calls else {}
            if handed_over:
                await self._let_calls_come_as_far(timed.part, handed_over)
            else:
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

    async def _let_calls_come_as_far(
        self, part: Part, handed_over: Mapping[str, CallProgress]
    ) -> None:
        """Wait before the break, and before a call that was not done by then is handed over.

        Nothing else is waited for from here on: calls are to have no more time than they had.
        """
        if isinstance(part, Failed):
            await self._reach(self._calls)
        elif isinstance(part, _MOVES_ON):
            coming = next((call for call in self._calls if call not in handed_over), None)
            if coming is not None and self._calls[coming] is not CallProgress.DONE:
                await self._reach([call for call in self._calls if call in handed_over])

    async def _reach(self, calls: Iterable[str]) -> None:
        """Wait until calls have come as far as they had when the reply broke off."""
        wanted = {call: self._calls[call] for call in calls}
        end = self._clock.now() + MAX_SECONDS
        while self._clock.now() < end:
            now = self._look()
            if all(now.get(call, CallProgress.WAITING) >= far for call, far in wanted.items()):
                return
            await self._clock.sleep_until(self._clock.now() + _LOOK_SECONDS)

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

    def watch_calls(self, look: Callable[[], Mapping[str, CallProgress]]) -> None:
        """Take what tells how far the calls of the reply have come."""
        self._playback.watch_calls(look)

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
