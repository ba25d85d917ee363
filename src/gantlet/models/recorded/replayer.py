"""Plays a cassette: the same events in the same order, without the model that said them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from itertools import takewhile
from pathlib import Path

from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    JsonValue,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    RetryListener,
    StreamEvent,
)
from gantlet.messages.value import value
from gantlet.models.recorded.cassette import How, Recording, read_cassette
from gantlet.models.recorded.fingerprint import (
    Clean,
    canonical,
    difference,
    fingerprint,
    masked_body,
)
from gantlet.models.recorded.playback import Playback, ReplayedStream
from gantlet.system import Clock, Environment, Masker, RealClock


@value
class _Take:
    """A recording in the form in which requests are compared."""

    recording: Recording
    parts: dict[str, JsonValue]
    key: str


class ReplayingModel:
    """A model that answers each recorded request with what was recorded, once.

    Requests are told apart by messages, system prompt and tools; `clean` takes out of each text in
    them what changes from run to run, such as dates and temporary folders. `pace` multiplies the
    recorded delays: 1 is as it was, 0 does not wait.

    Attributes:
        changing: What of the requests now changes from run to run, by the names that the recorder
            gave: where a recorded request has the one text, this run's has the other.
        masker: What masks requests before they are compared.

    Raises:
        UserError: The cassette cannot be read.
    """

    def __init__(
        self,
        path: str | Path,
        clock: Clock | None = None,
        *,
        pace: float = 0.0,
        masker: Masker | None = None,
        clean: Clean | None = None,
    ) -> None:
        self.changing: Mapping[str, str] = {}
        self.masker = masker or Masker(Environment.current().variables)
        self._path = Path(path)
        self._clock = clock or RealClock()
        self._pace = pace
        self._clean = clean or str
        self._takes = [self._take(recording) for recording in read_cassette(self._path)]
        self._waiting = {take.recording.number: take for take in self._takes}

    @property
    def first_model(self) -> str:
        """The name of the model that was asked first; empty if none was."""
        name = self._first.get("model")
        return name if isinstance(name, str) else ""

    @property
    def first_tools(self) -> frozenset[str]:
        """The names of the tools that it was told of."""
        tools = self._first.get("tools")
        told = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        return frozenset(str(tool.get("name")) for tool in told)

    @property
    def _first(self) -> Mapping[str, JsonValue]:
        """The request that was made first."""
        return self._takes[0].recording.body if self._takes else {}

    @property
    def unplayed(self) -> int:
        """How many recorded requests have not been made yet."""
        return len(self._waiting)

    def capabilities(self, model: str) -> Capabilities:
        """Return what the recorded model could do."""
        for take in self._takes:
            if take.recording.body.get("model") == model:
                return take.recording.capabilities
        return Capabilities(model)

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Play a recorded stream.

        Raises:
            ModelError: What was recorded, or there is no such recording.
        """
        return ReplayedStream(lambda: self._playback(request, How.STREAM, on_retry))

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Return a recorded reply.

        Raises:
            ModelError: What was recorded, or there is no such recording.
        """
        playback = self._playback(request, How.COMPLETE, on_retry)
        part = await playback.next_part()
        if not isinstance(part, AssistantMessage):
            raise playback.cut_off()
        return part

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""

    def _playback(
        self, request: ModelRequest, how: How, on_retry: RetryListener | None
    ) -> Playback:
        """Begin to play the recording of a request."""
        recording = self._claim(request, how)
        return Playback(recording, self._clock, self._pace, on_retry)

    def _take(self, recording: Recording) -> _Take:
        """Return a recording that can be compared."""
        parts = canonical(recording.body, self._cleaned(recording.changing))
        return _Take(recording, parts, fingerprint(parts))

    def _cleaned(self, changing: Mapping[str, str]) -> Clean:
        """Return what takes out of a text what changes from run to run."""
        known = [(text, f"<{name}>") for name, text in changing.items() if text]

        def clean(text: str) -> str:
            for changes, name in known:
                text = text.replace(changes, name)
            return self._clean(text)

        return clean

    def _claim(self, request: ModelRequest, how: How) -> Recording:
        """Return the first recording of a request that was not played yet."""
        changing = {name: self.masker.text(text) for name, text in self.changing.items()}
        parts = canonical(masked_body(request, how, self.masker), self._cleaned(changing))
        key = fingerprint(parts)
        for take in self._waiting.values():
            if take.key == key and take.recording.how is how:
                return self._waiting.pop(take.recording.number).recording
        raise ModelError(self._complaint(parts, key, how), ModelErrorKind.INVALID_REQUEST)

    def _complaint(self, parts: dict[str, JsonValue], key: str, how: How) -> str:
        """Say why there is no recording to play, as precisely as can be."""
        same = [take for take in self._takes if take.key == key]
        if any(take.recording.how is how for take in same):
            return f"{self._path}: this request was recorded {len(same)} x and is made once more."
        if same:
            recorded = same[0].recording.how
            if how is How.COMPLETE and not same[0].recording.has_end:
                return f"{self._path}: {same[0].recording.cut_off}"
            return f"{self._path}: this request was recorded with {recorded}(), not {how}()."
        if not self._waiting:
            return f"{self._path}: all {len(self._takes)} recordings were played. Record it anew."
        nearest = max(self._waiting.values(), key=lambda take: _equal_messages(take.parts, parts))
        place = f"{self._path}:{nearest.recording.line}"
        return (
            f"{place}: this request was not recorded. The nearest one differs at "
            f"{difference(nearest.parts, parts)}. Record it anew, or take out with `clean` what "
            "changes from run to run."
        )


def _equal_messages(one: dict[str, JsonValue], other: dict[str, JsonValue]) -> int:
    """Return how many messages two requests share from the beginning."""
    messages = [parts["messages"] for parts in (one, other)]
    pairs = zip(*(part if isinstance(part, list) else [] for part in messages), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
