"""What one running call may ask of the executor: a slot, its time, and another reservation."""

import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from gantlet.execution import texts
from gantlet.execution.abort import Abort, AbortKind
from gantlet.execution.bodies import Abandoned, AbandonedError, Bodies, Body, TimedOutError
from gantlet.execution.call import Prepared, Services
from gantlet.execution.masking import masked_json
from gantlet.execution.outcome import CallRecord, Cancelled, Interrupted, Outcome
from gantlet.execution.runners import Host
from gantlet.execution.slots import Slots
from gantlet.execution.tracked import Tracked
from gantlet.messages import CallProgressed, CallStarted, Event, JsonValue, freeze
from gantlet.messages.value import slotted
from gantlet.tool import Surroundings, as_text

_log = logging.getLogger(__name__)

#: Makes what a tool's body is: its own code, ready to be driven.
MakeBody: TypeAlias = Callable[[], Coroutine[Any, Any, object]]


@slotted
class Ground:
    """What all floors of a reply share, and where its calls stand now."""

    services: Services
    bodies: Bodies
    slots: Slots
    emit: Callable[[Event], None]
    surroundings: Surroundings
    is_heard: bool
    regrant: Callable[[Tracked, Prepared], Awaitable[None]]


@slotted
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
    def surroundings(self) -> Surroundings:
        """Where the call stands now."""
        return self.ground.surroundings

    @property
    def stretch(self) -> int:
        """The stretch in which it has run since it began; 0 if others have had a turn since."""
        way = self.tracked.way
        if way is None or way.has_waited or way.host is None:
            return 0
        return way.host.stretch

    def end_stretch(self) -> None:
        """Take note that others have done something for this call, which may change things."""
        way = self.tracked.way
        if way is not None and way.host is not None:
            way.host.end_stretch()

    def elapsed(self) -> float | None:
        """Return for how many seconds the tool has run, or None if it has not."""
        began = self.tracked.record.started_at
        return None if began is None else self.ground.bodies.clock.now() - began

    async def regrant(self, prepared: Prepared) -> None:
        """Take note of a changed call; wait until what it touches now is free."""
        await self.ground.regrant(self.tracked, prepared)

    def begin_body(self, make: MakeBody) -> Body[object] | None:
        """Begin a tool's body if nothing has to be waited for before; it may have ended, too."""
        tracked, ground = self.tracked, self.ground
        way, tool = tracked.way, tracked.prepared.tool
        assert way is not None
        if way.has_waited or way.is_cancelled or tool is None or tool.timeout_seconds is not None:
            return None
        if way.host is None or not ground.slots.take_now():
            return None
        has_ended = True
        try:
            self._announce()
            body = Body(make())
            has_ended = body.begin(way.host, way)
        finally:
            if not tracked.prepared.traits.read_only:
                way.host.end_stretch()
            if has_ended:
                ground.slots.give()
        return body

    async def finish_body(self, body: Body[object]) -> object:
        """Run a body that was begun to its end."""
        try:
            return await body
        except AbandonedError:
            self._give_up()
            raise
        finally:
            self.ground.slots.give()

    async def run_body(self, make: MakeBody) -> object:
        """Run a tool's body in a slot, within its time, and so that it can be abandoned."""
        tracked, ground = self.tracked, self.ground
        way, tool = tracked.way, tracked.prepared.tool
        assert way is not None
        if not ground.slots.take_now():
            await ground.slots.take(tracked.position)
        try:
            if way.has_waited or way.is_cancelled:
                await checkpoint_if_cancelled()  # a slot can come at the same time as the end
            self._announce()
            if tool is None or tool.timeout_seconds is None:
                return await way.drive(Body(make()))
            return await self._drive_within(way, Body(make()), tool.timeout_seconds)
        except AbandonedError:
            self._give_up()
            raise
        finally:
            self.end_stretch()
            ground.slots.give()

    def _give_up(self) -> None:
        """Take note of a body that would not stop."""
        call = self.tracked.prepared.call
        self.ground.bodies.abandoned.append(Abandoned(call.id, call.name))

    def _announce(self) -> None:
        """Say that the tool runs from now on; what must be written before it does is written."""
        tracked, ground = self.tracked, self.ground
        ground.services.before_run(tracked.prepared.call)
        tracked.record.started_at = ground.bodies.clock.now()
        if ground.is_heard:
            ground.emit(CallStarted(tracked.prepared.call.id, tracked.name))

    async def _drive_within(self, way: Body[Any], body: Body[object], seconds: float) -> object:
        """Await the body for so many seconds, then stop it."""
        with anyio.CancelScope() as timed:
            time_out = partial(self._time_out, timed, body)
            overdue = self.ground.bodies.deadlines.after(seconds, time_out)
            try:
                return await way.drive(body, Host.current())
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
        """Pass progress on, unless the call has ended; what cannot be shown is dropped."""
        try:
            if not self.tracked.is_done:
                call_id, masker = self.tracked.prepared.call.id, self.ground.services.masker
                self.ground.emit(CallProgressed(call_id, masked_json(masker, as_json(update))))
        except Exception:  # noqa: BLE001 - the work goes on
            _log.exception("Progress of %s cannot be shown.", self.tracked.name)


def stopped(reason: Abort, *, has_run: bool) -> Outcome:
    """Return the outcome of a call that something stopped."""
    match reason.kind:
        case AbortKind.DISCARDED:
            return Cancelled(texts.DISCARDED)
        case AbortKind.SIBLING:
            return Cancelled(texts.sibling_failed(reason.description))
        case AbortKind.ENDED:
            return Interrupted(texts.PROGRAM_ENDED if has_run else texts.NOT_STARTED_AT_END)
        case AbortKind.LIMIT:
            return Interrupted(texts.OUT_OF_TIME if has_run else texts.NOT_STARTED_IN_TIME)
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
