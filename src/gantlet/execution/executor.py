"""Many calls at once.

Each starts as soon as nothing before it is in its way, each has one answer.
"""

import logging
from collections import deque
from collections.abc import Coroutine, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self

import anyio

from gantlet.execution import texts
from gantlet.execution.abort import Abort, AbortKind, AbortScope
from gantlet.execution.answers import (
    broken,
    changed_by,
    cut_short,
    finishing_of,
    make_answer,
    within_budget,
)
from gantlet.execution.bodies import Abandoned, AbandonedError, Bodies, Body
from gantlet.execution.call import Prepared, Services, prepare
from gantlet.execution.effects import Effect, Effects
from gantlet.execution.floor import CallFloor, Ground, stopped
from gantlet.execution.foreign import said
from gantlet.execution.outcome import Answer, CallRecord, Failed, Invalid, Outcome
from gantlet.execution.oversize import size_of
from gantlet.execution.pipeline import CallRun, unknown_tool
from gantlet.execution.runners import Host
from gantlet.execution.scheduler import Scheduler
from gantlet.execution.settings import ExecutionSettings
from gantlet.execution.siblings import Siblings
from gantlet.execution.slots import Slots
from gantlet.execution.stopping import Stopper
from gantlet.execution.tracked import COMPLETED, EXECUTING, QUEUED, YIELDED, Tracked
from gantlet.messages import (
    CallProgress,
    CallQueued,
    ContextChangeDropped,
    Event,
    Notice,
    NoticeLevel,
    ToolUse,
)
from gantlet.messages.value import replace
from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    ContextModifier,
    Footprint,
    Surroundings,
    footprint,
)

_log = logging.getLogger(__name__)

_ENDED = Abort(AbortKind.ENDED)


class Executor:
    """The calls of one reply. Use it as a context manager inside the session's `Bodies`.

    `submit` calls as they are complete, take `results` as they come, `drain` when the reply has
    ended. Leaving the context ends what still runs; afterwards `answers` has one answer for every
    call.
    """

    def __init__(
        self,
        services: Services,
        bodies: Bodies,
        surroundings: Surroundings,
        settings: ExecutionSettings | None = None,
        *,
        effects: Effects | None = None,
        turn: AbortScope | None = None,
    ) -> None:
        self.surroundings = surroundings
        self._given = services
        self._tell = services.emit
        self._is_heard = services.is_heard()
        self._services = services = replace(services, emit=self._emit)
        self._bodies = bodies
        self._now = bodies.clock.now
        self._settings = settings or ExecutionSettings()
        self._effects = effects or Effects()
        self._turn = turn or AbortScope()
        self._reply = self._turn.child()
        self._siblings = Siblings(self._settings.sibling_failure)
        self._stopper = Stopper(bodies, self._settings.block_seconds)
        self._scheduler = Scheduler()
        self._calls: list[Tracked] = []
        self._ready: deque[int] = deque()
        self._held: list[Tracked] = []
        self._yielded = 0
        self._unfinished = 0
        self._chars = 0
        self._is_pumping = False
        self._is_discarded = False
        self._all_ended: anyio.Event | None = None
        self._slots = Slots(self._settings.max_concurrency)
        self._ground = Ground(
            services=services,
            bodies=bodies,
            slots=self._slots,
            emit=self._emit,
            surroundings=surroundings,
            is_heard=self._is_heard,
            regrant=self._regrant,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what still runs; whatever does not end is abandoned when its grace is over."""
        self._reply.abort(_ENDED)
        if self._unfinished:
            for tracked in self._calls:
                self._on_abort(tracked, _ENDED)  # also what a greater reason left to finish
        if self._unfinished:
            with anyio.CancelScope(shield=True):
                await self._all_done()
        self._reply.close()
        self._let_go()

    def _let_go(self) -> None:
        """Break the circles through which a reply would hold itself until garbage is looked for."""
        self._services = self._given
        del self._ground

    def submit(self, call: ToolUse, message_id: str = "", problem: str = "") -> None:
        """Take a call that is complete. It starts now, or as soon as it can.

        `problem` says why what the model sent is no input at all; such a call is only answered.
        """
        record = CallRecord(call.id, call.name, message_id, self._now())
        prepared = prepare(call, self._services.pool)
        if prepared.tool is not None and prepared.tool.keeps_input:
            record.input_snapshot = call.input
        tracked = Tracked(len(self._calls), call, prepared, record, self._reply.child(), message_id)
        tracked.abort.on_abort = partial(self._on_abort, tracked)
        self._calls.append(tracked)
        self._unfinished += 1
        if self._is_heard:
            self._emit(CallQueued(call))
        at_once = self._answer_at_once(tracked)
        if problem and at_once is None:
            at_once = Invalid(texts.invalid_input(problem), problem)
        if at_once is not None:
            self._complete(tracked, at_once)
        elif self._settings.streaming:
            self._reserve(tracked)
        else:
            self._held.append(tracked)

    def results(self) -> list[Answer]:
        """Return the answers that have come since the last time, in the order of the calls."""
        ready: list[Answer] = []
        if self._is_discarded:
            return ready
        while self._yielded < len(self._calls):
            tracked = self._calls[self._yielded]
            if tracked.answer is None:
                break
            answer = tracked.answer = self._fitted(tracked, tracked.answer)
            tracked.state = YIELDED
            self._yielded += 1
            ready.append(answer)
        return ready

    async def drain(self) -> list[Answer]:
        """Wait for every call that was submitted; return the answers not yet handed out."""
        held, self._held = self._held, []
        for tracked in held:
            if not tracked.is_done:
                self._reserve(tracked)
        await self._all_done()
        return self.results()

    def answers(self) -> list[Answer]:
        """Return the answers there are, handed out or not, in the order of the calls."""
        answers = (tracked.answer for tracked in self._calls)
        return [answer for answer in answers if answer is not None]

    def progress(self) -> dict[str, CallProgress]:
        """Return how far each call has come, by its id, in the order of the calls."""
        return {tracked.asked.id: tracked.progress for tracked in self._calls}

    def abort(self, kind: AbortKind = AbortKind.USER) -> None:
        """Stop what runs and what waits.

        At once, or, for a new message, as each call's traits say.
        """
        self._reply.abort(Abort(kind))
        self._pump()

    async def discard(self) -> list[Effect]:
        """Forget this reply: start and tell nothing more, end what runs as its traits say.

        Returns:
            What already happened, for the next attempt.
        """
        self._is_discarded = True
        self._reply.abort(Abort(AbortKind.DISCARDED))
        await self._all_done()
        answered = zip(self._calls, self.answers(), strict=True)
        effects = (tracked.effect_of(answer.outcome) for tracked, answer in answered)
        return [effect for effect in effects if effect is not None]

    @property
    def waiting(self) -> Sequence[str]:
        """The ids of calls that may not go yet."""
        return [self._calls[position].prepared.call.id for position in self._scheduler.waiting]

    def _answer_at_once(self, tracked: Tracked) -> Outcome | None:
        """Return the outcome of a call that need not, or must not, be run."""
        reason = tracked.abort.reason
        if reason is not None:
            return stopped(reason, has_run=False)
        if tracked.prepared.tool is None:
            return unknown_tool(tracked.name, self._services.pool)
        failed = self._siblings.reason_to_cancel(tracked)
        if failed is not None:
            return stopped(failed, has_run=False)
        if not self._effects.remaining:
            return None
        tracked.effect = self._effects.take(tracked.asked)
        return None if tracked.effect is None else tracked.effect.answer()

    def _reserve(self, tracked: Tracked) -> None:
        """Reserve what a call touches, and start it if it may go."""
        if self._scheduler.add(tracked.position, self._footprint(tracked)):
            self._start(tracked)

    def _footprint(self, tracked: Tracked) -> Footprint:
        """Return what a call touches; in batches all that counts is whether it writes."""
        exact = tracked.prepared.footprint(self.surroundings)
        tracked.is_alone = tracked.is_alone or exact.is_exclusive
        if self._settings.streaming:
            return exact
        coarse = EXCLUSIVE if exact.writes_something else READS_ANYTHING
        return footprint(coarse, self.surroundings.cwd)

    def _start(self, tracked: Tracked) -> None:
        """Send a call through the pipeline, unless it is too late for that."""
        if self._bodies.is_closing:
            self._complete(tracked, stopped(_ENDED, has_run=False))
            return
        tracked.state = EXECUTING
        self._bodies.start(partial(self._run, tracked), tracked.context)

    def _run(self, tracked: Tracked, host: Host) -> Coroutine[Any, Any, None] | None:
        """Take one call through the pipeline, and complete it whatever happens.

        Returns nothing if it went all the way at once, or else what is left to do.
        """
        if tracked.is_done:
            return None  # it was stopped before it began
        run = CallRun(CallFloor(tracked, self._ground), self._services)
        tracked.way = way = Body(run.outcome())
        outcome: Outcome | None = None
        try:
            if not way.begin(host):
                return self._go_on(tracked, run, way)
            outcome = way.value
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            outcome = _broken(tracked, error)
        finally:
            if not way.has_begun:
                self._finish(tracked, run, outcome)
        return None

    async def _go_on(self, tracked: Tracked, run: CallRun, way: Body[Outcome]) -> None:
        """Take a call that waits to its end."""
        outcome: Outcome | None = None
        try:
            outcome = await self._bodies.drive(way)
        except AbandonedError:
            self._bodies.abandoned.append(Abandoned(tracked.prepared.call.id, tracked.name))
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            outcome = _broken(tracked, error)
        finally:
            self._finish(tracked, run, outcome)

    def _finish(self, tracked: Tracked, run: CallRun, outcome: Outcome | None) -> None:
        """Complete a call that is at its end; one without an outcome was cut short."""
        if outcome is None:
            outcome = cut_short(tracked, run, self._services.spill, self._services.masker)
            run.tell_interrupted(outcome)
        self._complete(tracked, outcome, run)

    def _complete(self, tracked: Tracked, outcome: Outcome, run: CallRun | None = None) -> None:
        """Give a call its one answer, and let those go that waited for it."""
        if tracked.answer is not None:
            return
        position, scheduler = tracked.position, self._scheduler
        for one in scheduler.waited_for(position):
            tracked.record.waited_for.append(self._calls[one].prepared.call.id)
        answer = tracked.answer = make_answer(tracked, outcome, run, self._now())
        tracked.state = COMPLETED
        tracked.abort.close()
        tracked.abort.on_abort = None  # it holds the call, which holds it
        for call_off in tracked.call_off:
            call_off()
        self._unfinished -= 1
        if self._is_heard and not answer.defers:
            self._emit(finishing_of(answer, self._services.masker))
        if scheduler.has(position):
            if answer.modifier is not None:
                self._change_context(tracked, answer, answer.modifier)
            self._ready.extend(scheduler.finish(position))
        self._let_others_know(tracked, outcome)

    def _let_others_know(self, tracked: Tracked, outcome: Outcome) -> None:
        """Stop those who make no sense after a call, start those who waited for it."""
        if isinstance(outcome, Failed):
            for victim, reason in self._siblings.victims_of(tracked, outcome, self._calls):
                victim.abort.abort(reason)
        if self._ready:
            self._pump()
        if not self._unfinished:
            self._tell_all_ended()

    def _pump(self) -> None:
        """Start the calls that may go now."""
        if self._is_pumping:
            return
        self._is_pumping = True
        try:
            while self._ready:
                tracked = self._calls[self._ready.popleft()]
                if tracked.is_done:
                    continue
                if tracked.regranted is not None:
                    tracked.regranted.set()
                else:
                    self._start(tracked)
        finally:
            self._is_pumping = False

    async def _regrant(self, tracked: Tracked, prepared: Prepared) -> None:
        """Reserve what a changed call touches, at its old position; wait until that is free."""
        tracked.prepared = prepared
        wanted = self._footprint(tracked)
        if self._scheduler.footprint_of(tracked.position).covers(wanted):
            return
        may_go, freed = self._scheduler.change(tracked.position, wanted)
        self._ready.extend(freed)
        if may_go:
            self._pump()
            return
        tracked.state = QUEUED
        tracked.regranted = anyio.Event()
        self._pump()
        try:
            await tracked.regranted.wait()
        finally:
            tracked.regranted = None
            tracked.state = EXECUTING

    def _change_context(self, tracked: Tracked, answer: Answer, modifier: ContextModifier) -> None:
        """Apply a call's change for later ones if it ran alone.

        And ask those again what they touch.
        """
        if not tracked.is_alone:
            self._emit(ContextChangeDropped(answer.call.id))
            return
        before = self.surroundings
        try:
            self.surroundings = self._ground.surroundings = changed_by(modifier, before)
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("The context change of %s failed.", tracked.name)
            text = f"The context change of {tracked.name} failed and was dropped: {said(error)}"
            self._emit(Notice(NoticeLevel.WARNING, text, answer.call.id))
        if self.surroundings.cwd == before.cwd:
            return
        for position in self._scheduler.waiting:
            if self._scheduler.refresh(position, self._footprint(self._calls[position])):
                self._ready.append(position)

    def _on_abort(self, tracked: Tracked, reason: Abort) -> None:
        """Stop one call as the reason and its traits say."""
        if tracked.is_done:
            return
        if tracked.way is None:
            self._complete(tracked, stopped(tracked.abort.reason or reason, has_run=False))
        else:
            self._stopper.stop(tracked, reason)

    async def _all_done(self) -> None:
        """Wait until every call has its answer."""
        while self._unfinished:
            if self._all_ended is None:
                self._all_ended = anyio.Event()  # one for all who wait
            await self._all_ended.wait()

    def _tell_all_ended(self) -> None:
        """Wake those who wait for all of them."""
        ended, self._all_ended = self._all_ended, None
        if ended is not None:
            ended.set()

    def _fitted(self, tracked: Tracked, answer: Answer) -> Answer:
        """Return an answer that fits into what the reply's results may take together."""
        size = size_of(answer.block.content or "")
        tool = tracked.prepared.tool
        over = self._chars + size > self._settings.reply_budget_chars
        if over and tool is not None and tool.max_result_chars != float("inf"):
            answer = within_budget(answer, tracked, self._services.spill)
            size = size_of(answer.block.content or "")
        self._chars += size
        return answer

    def _emit(self, event: Event) -> None:
        """Tell whoever listens; one who breaks is not allowed to break a call."""
        if self._is_discarded:
            return
        try:
            self._tell(event)
        except Exception:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("Telling of %s failed.", type(event).__name__)


def _broken(tracked: Tracked, error: Exception) -> Outcome:
    """Return the outcome of a call on which the pipeline itself broke."""
    _log.exception("The pipeline broke on a call of %s; this is a bug.", tracked.name)
    return broken(tracked, error)
