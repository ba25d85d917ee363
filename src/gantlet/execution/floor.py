"""What one running call may ask of the executor: a slot, its time, and another reservation."""

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from gantlet.execution import texts
from gantlet.execution.abort import Abort, AbortKind
from gantlet.execution.bodies import Abandoned, AbandonedError, Bodies, Body, TimedOutError
from gantlet.execution.call import Prepared, Services
from gantlet.execution.outcome import CallRecord, Cancelled, Interrupted, Outcome
from gantlet.execution.slots import Slots
from gantlet.execution.tracked import Tracked
from gantlet.messages import CallProgressed, CallStarted, Event, JsonValue, freeze
from gantlet.messages.value import value
from gantlet.tool import Surroundings, as_text


@value
class Ground:
    """What all floors of a reply share."""

    services: Services
    bodies: Bodies
    slots: Slots
    emit: Callable[[Event], None]
    surroundings: Callable[[], Surroundings]
    is_heard: bool
    regrant: Callable[[Tracked, Prepared], Awaitable[None]]


@value
class CallFloor:
    """The executor as one call sees it."""

    tracked: Tracked
    ground: Ground

    @property
    def prepared(self) -> Prepared:
        """The call as it is now."""
        return self.tracked.prepared

    @property
    def record(self) -> CallRecord:
        """What the audit trail will keep."""
        return self.tracked.record

    @property
    def message_id(self) -> str:
        """The reply the call belongs to."""
        return self.tracked.message_id

    @property
    def surroundings(self) -> Surroundings:
        """Where the call stands now."""
        return self.ground.surroundings()

    @property
    def is_heard(self) -> bool:
        """Whether anybody hears what is told of the call."""
        return self.ground.is_heard

    def elapsed(self) -> float | None:
        """Return for how many seconds the tool has run, or None if it has not."""
        began = self.tracked.record.started_at
        return None if began is None else self.ground.bodies.clock.now() - began

    def check_aborted(self) -> Outcome | None:
        """Return how the call ends if it was aborted meanwhile."""
        reason = self.tracked.abort.reason
        return None if reason is None else stopped(reason, has_run=self.tracked.has_run)

    async def regrant(self, prepared: Prepared) -> None:
        """Take note of a changed call; wait until what it touches now is free."""
        await self.ground.regrant(self.tracked, prepared)

    async def run_body(self, body: Callable[[], Coroutine[Any, Any, object]]) -> object:
        """Run a tool's body in a slot, within its time, and so that it can be abandoned."""
        tracked, ground = self.tracked, self.ground
        way = tracked.way
        assert way is not None
        if not ground.slots.take_now():
            await ground.slots.take(tracked.position)
        try:
            if way.has_waited or way.is_cancelled:
                await checkpoint_if_cancelled()  # a slot can come at the same time as the end
            ground.services.before_run(tracked.prepared.call)
            tracked.record.started_at = ground.bodies.clock.now()
            if ground.is_heard:
                ground.emit(CallStarted(tracked.prepared.call.id, tracked.name))
            tool, driven = tracked.prepared.tool, Body(body())
            if tool is None or tool.timeout_seconds is None:
                return await way.drive(driven)
            return await self._drive_within(way, driven, tool.timeout_seconds)
        except AbandonedError:
            ground.bodies.abandoned.append(Abandoned(tracked.prepared.call.id, tracked.name))
            raise
        finally:
            ground.slots.give()

    async def _drive_within(self, way: Body[Any], body: Body[object], seconds: float) -> object:
        """Await the body for so many seconds, then stop it."""
        with anyio.CancelScope() as timed:
            time_out = partial(self._time_out, timed, body)
            overdue = self.ground.bodies.deadlines.after(seconds, time_out)
            try:
                return await way.drive(body, timed)
            finally:
                overdue.call_off()
        raise TimedOutError

    def _time_out(self, timed: anyio.CancelScope, body: Body[object]) -> None:
        """Stop a body whose time is over; give up on it if it does not stop."""
        timed.cancel()
        body.ask_to_end()
        bodies = self.ground.bodies
        giving_up = bodies.deadlines.after(bodies.grace_seconds, body.abandon)
        self.tracked.call_off.append(giving_up.call_off)

    def report(self, update: object) -> None:
        """Pass a tool's progress on, unless the call has ended."""
        if not self.tracked.is_done:
            call_id = self.tracked.prepared.call.id
            self.ground.emit(CallProgressed(call_id, as_json(update)))


def stopped(reason: Abort, *, has_run: bool) -> Outcome:
    """Return the outcome of a call that something stopped."""
    match reason.kind:
        case AbortKind.DISCARDED:
            return Cancelled(texts.DISCARDED)
        case AbortKind.SIBLING:
            return Cancelled(texts.sibling_failed(reason.description))
        case AbortKind.ENDED:
            return Interrupted(texts.PROGRAM_ENDED if has_run else texts.NOT_STARTED_AT_END)
        case AbortKind.USER | AbortKind.MESSAGE:
            return Interrupted(texts.INTERRUPTED_BY_USER if has_run else texts.NOT_STARTED)


def as_json(value: object) -> JsonValue:
    """Return a value as JSON; what is none becomes text. Never raises."""
    if type(value) is str:
        return value
    for turn in (freeze, as_text):
        with suppress(Exception):  # a foreign value may do anything when it is looked at
            return turn(value)
    return f"<{type(value).__name__}>"
