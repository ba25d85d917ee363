"""Turns what happens into lines for the program that reads us, at once and in order."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from gantlet.messages import (
    BlockFinished,
    CallFinished,
    CallProgressed,
    CallQueued,
    CallStarted,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Event,
    HookRan,
    HookStarted,
    JsonValue,
    MessageStart,
    ModelUsage,
    Notice,
    PermissionDecided,
    ResultBlock,
    ResultsReady,
    Retrying,
    StopHookSummary,
    StreamAdvanced,
    Text,
    TurnFinished,
    Usage,
    blocks_of,
)
from gantlet.messages.outcome import Behaviour
from gantlet.messages.value import replace
from gantlet.session import Session
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.frames import Frame, Frames

#: A call is said to be still running at most so often.
PROGRESS_SECONDS = 1.0
_REMINDER = "<system-reminder>"


class Telling:
    """Hears the events of one session and writes its lines."""

    def __init__(
        self, flags: Flags, put: Callable[[Frame], None], session_id: str, session: Session | None
    ) -> None:
        self.frames = Frames(session_id)
        self.turn: TurnFinished | None = None
        self.structured: JsonValue = None
        self._put = put
        self._flags = flags
        self._session = session
        self.usage = Usage()
        self._calls: dict[str, tuple[str, float]] = {}
        self._told_at: dict[str, float] = {}
        self._results: dict[str, tuple[JsonValue, str | None]] = {}

    def hear(self, event: Event) -> None:
        """Write what an event means, if it means anything to readers."""
        take = _TAKE.get(type(event))
        if take is not None:
            take(self, event)

    def _block(self, event: BlockFinished) -> None:
        """Tell a finished block of a reply."""
        if isinstance(event.block, Text) and not event.block.text.strip():
            return
        uuid = self._session.recorder.leaf if self._session is not None else None
        self._put(self.frames.assistant(event, uuid, event.model or "unknown", self.usage))

    def _stream(self, event: StreamAdvanced) -> None:
        """Tell an event of the stream; keep what a reply takes from its start on."""
        if isinstance(event.event, MessageStart):
            self.usage = event.event.message.usage or Usage()
        if self._flags.include_partial_messages:
            self._put(self.frames.stream_event(event.event))

    def _queued(self, event: CallQueued) -> None:
        """Note when a call was asked for."""
        self._calls[event.call.id] = (event.call.name, time.monotonic())

    def _started(self, event: CallStarted) -> None:
        """Note when a call began."""
        self._calls[event.call_id] = (event.name, time.monotonic())

    def _progress(self, event: CallProgressed) -> None:
        """Tell now and then that a call still runs."""
        name, began = self._calls.get(event.call_id, ("", time.monotonic()))
        now = time.monotonic()
        if now - self._told_at.get(event.call_id, began - PROGRESS_SECONDS) >= PROGRESS_SECONDS:
            self._told_at[event.call_id] = now
            self._put(self.frames.progress(event, name, now - began))

    def _finished(self, event: CallFinished) -> None:
        """Keep what comes with a result until it is told."""
        uuid = None
        if self._session is not None:
            uuid = self._session.recorder.line_of_result(event.call_id)
        self._results[event.call_id] = (event.structured, uuid)
        self._calls.pop(event.call_id, None)
        self._told_at.pop(event.call_id, None)

    def _results_ready(self, event: ResultsReady) -> None:
        """Tell each result, in the order of the calls."""
        said = []
        for block in blocks_of(event.message):
            if isinstance(block, ResultBlock):
                structured, uuid = self._results.pop(block.tool_use_id, (None, None))
                self._put(self.frames.result_of_call(block, structured, uuid))
            elif isinstance(block, Text) and not block.text.startswith(_REMINDER):
                said.append(block)
        if said:
            self._put(self.frames.synthetic(said))

    def _decided(self, event: PermissionDecided) -> None:
        """Tell that a call was denied."""
        if event.behaviour is Behaviour.DENY:
            name, _ = self._calls.get(event.call_id, ("", 0.0))
            self._put(self.frames.denied(event, name))

    def _hook_started(self, event: HookStarted) -> None:
        """Tell that a hook runs."""
        if self._flags.include_hook_events:
            self._put(self.frames.hook_started(event))

    def _hook_ran(self, event: HookRan) -> None:
        """Tell how a hook ended."""
        if self._flags.include_hook_events:
            self._put(self.frames.hook_ran(event))

    def _stop_hooks_ran(self, event: StopHookSummary) -> None:
        """Tell what the hooks at the end of a turn came to."""
        if self._flags.include_hook_events:
            self._put(self.frames.stop_summary(event))

    def _retrying(self, event: Retrying) -> None:
        """Tell that a request is tried again."""
        self._put(self.frames.retry(event))

    def _compacting(self, event: CompactionStarted) -> None:
        """Tell that the conversation is being made shorter."""
        self._put(self.frames.system("status", status="compacting"))

    def _not_compacted(self, event: CompactionFailed) -> None:
        """Tell that it stays as long as it is."""
        failed = {"compact_result": "failed", "compact_error": event.reason}
        self._put(self.frames.system("status", status=None, **failed))

    def _compacted(self, event: Compacted) -> None:
        """Tell that it is shorter."""
        self._put(self.frames.system("status", status=None, compact_result="success"))
        self._put(self.frames.compacted(event))

    def _notice(self, event: Notice) -> None:
        """Tell something beside the conversation."""
        self._put(self.frames.notice(event))

    def _turn_finished(self, event: TurnFinished) -> None:
        """Keep what a turn took, with what those before it took for the same prompt."""
        self.turn = event if self.turn is None else _together(self.turn, event)


def _together(before: TurnFinished, last: TurnFinished) -> TurnFinished:
    """Return what two turns took; the last one says how it ended."""
    by_model = {one.model: one for one in before.by_model}
    for one in last.by_model:
        known = by_model.get(one.model)
        by_model[one.model] = one if known is None else _added(known, one)
    return replace(
        last,
        duration_seconds=before.duration_seconds + last.duration_seconds,
        model_seconds=before.model_seconds + last.model_seconds,
        by_model=tuple(by_model.values()),
    )


def _added(one: ModelUsage, other: ModelUsage) -> ModelUsage:
    """Return what two turns took of the same model; an unknown price stays unknown."""
    costs = (one.cost_usd, other.cost_usd)
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    return replace(one, usage=one.usage.added(other.usage), cost_usd=cost)


#: What is written for each kind of event; of the others nothing is.
_TAKE: Mapping[type, Callable[[Telling, Any], None]] = {
    BlockFinished: Telling._block,
    StreamAdvanced: Telling._stream,
    CallQueued: Telling._queued,
    CallStarted: Telling._started,
    CallProgressed: Telling._progress,
    CallFinished: Telling._finished,
    ResultsReady: Telling._results_ready,
    PermissionDecided: Telling._decided,
    HookStarted: Telling._hook_started,
    HookRan: Telling._hook_ran,
    StopHookSummary: Telling._stop_hooks_ran,
    Retrying: Telling._retrying,
    CompactionStarted: Telling._compacting,
    CompactionFailed: Telling._not_compacted,
    Compacted: Telling._compacted,
    Notice: Telling._notice,
    TurnFinished: Telling._turn_finished,
}
