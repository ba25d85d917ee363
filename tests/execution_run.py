"""A scenario on its way through the executor, moment by moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from execution_kit import Stage, allow
from execution_scenario import (
    ALONE,
    FOOTPRINTS,
    HERE,
    SAFE,
    HangingTool,
    Plan,
    PlannedTool,
    Scenario,
    call_of,
)
from gantlet.execution import AbortKind, Answer, Effect, Effects, Executor
from gantlet.hooks import NOTHING_AFTER, AfterCall, BeforeCall, HookEvent, Moment, NoHooks
from gantlet.permissions import Decision, Request
from gantlet.testing import VirtualClock, settle
from gantlet.tool import Access, Footprint, ToolResult
from patience import PATIENCE_SECONDS


@dataclass
class Askers(NoHooks):
    """The hooks and the person on a call's way, who take their time and may change the call."""

    plans: Sequence[Plan]
    clock: VirtualClock
    awaiting: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    hooks_ran_for: list[int] = field(default_factory=list)

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Listen before each call."""
        return event is HookEvent.PRE_TOOL_USE

    async def _wait(self, number: int, seconds: float | None) -> None:
        """Take some time."""
        if seconds is None:
            return
        self.awaiting.add(number)
        try:
            await self.clock.sleep(seconds)
        finally:
            self.awaiting.discard(number)

    async def before(self, moment: Moment) -> BeforeCall:
        """Change the call if that is planned."""
        number = moment.args.number
        plan = self.plans[number]
        self.hooks_ran_for.append(number)
        self.gone.add(number)
        await self._wait(number, plan.hook_seconds)
        if plan.changed_by != "hook":
            return BeforeCall()
        self.changed.add(number)
        return BeforeCall(updated_input={"number": number, "is_changed": True})

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER

    async def decide(self, request: Request) -> Decision:
        """Deny, allow, or allow something else, as planned."""
        number = request.args.number
        plan = self.plans[number]
        await self._wait(number, plan.person_seconds)
        if plan.is_denied:
            return Decision.deny("no", "person")
        if plan.changed_by == "person" and not request.args.is_changed:
            self.changed.add(number)
            return allow({"number": number, "is_changed": True})
        return allow()


@dataclass
class Run:
    """A scenario on its way, and what came of it."""

    scenario: Scenario
    stage: Stage
    askers: Askers
    executor: Executor
    seen_from: dict[int, str]
    answers: list[Answer] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    submitted: int = 0
    is_interrupted: bool = False
    started_before: int = 0
    told_before: int | None = None
    is_drained: bool = False
    is_over: bool = False
    leaving: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ending: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    @property
    def is_lost(self) -> bool:
        """Whether the reply was discarded."""
        return self.told_before is not None

    @property
    def running(self) -> set[int]:
        """The calls whose tool runs just now."""
        running: set[int] = set()
        for entry in self.stage.journal.entries:
            (running.add if entry.what == "started" else running.discard)(int(entry.call_id))
        return running

    @property
    def finished(self) -> set[int]:
        """The calls that have their answer."""
        return {int(answer.call.id) for answer in self.executor.answers()}

    @property
    def ran(self) -> list[int]:
        """The calls whose tool was started, in that order."""
        return [int(call_id) for call_id in self.stage.journal.started()]

    def touched(self, number: int) -> Footprint:
        """Return what a call that ran has touched."""
        plan = self.scenario.plans[number]
        access = plan.access if plan.changed_by is None else plan.changed_access
        return FOOTPRINTS[access, self.seen_from[number]]

    def reserved_first(self, number: int, cwd: str) -> Footprint:
        """Return what a call reserves before it is changed, if it ever is."""
        return self._reserved(self.scenario.plans[number].access, cwd)

    def reserved(self, number: int) -> Footprint:
        """Return what a call has reserved now."""
        plan, cwd = self.scenario.plans[number], self.executor.surroundings.cwd
        first = self.reserved_first(number, cwd)
        last = self._reserved(plan.changed_access, cwd)
        is_wider = number in self.askers.changed and not first.covers(last)
        return last if is_wider else first

    def _reserved(self, access: Access, cwd: str) -> Footprint:
        """Return what is reserved for an access set: all or nothing, unless calls are streamed."""
        exact = FOOTPRINTS[access, cwd]
        if self.scenario.streaming:
            return exact
        return ALONE if exact.writes_something else SAFE

    async def reply(self) -> None:
        """Let the calls come."""
        for number, plan in enumerate(self.scenario.plans):
            if plan.arrives_after:
                await self.stage.clock.sleep(plan.arrives_after)
            self.executor.submit(call_of(plan, number))
            self.submitted += 1
            self.answers += self.executor.results()
        self.is_drained = True
        self.answers += await self.executor.drain()

    async def interrupt(self) -> None:
        """Stop the reply as planned."""
        planned = self.scenario.interruption
        if planned is None:
            return
        await self.stage.clock.sleep(planned.after)
        self.is_interrupted, self.started_before = True, len(self.ran)
        match planned.kind:
            case "user":
                self.executor.abort()
            case "message":
                self.executor.abort(AbortKind.MESSAGE)
            case "leave":
                self.leaving.cancel()
            case "end":
                self.ending.cancel()
            case _:
                self.told_before = len(self.stage.events)
                self.effects = await self.executor.discard()

    async def session(self) -> None:
        """Run the reply in a session of its own."""
        with self.ending:
            async with self.stage.bodies:
                with self.leaving:
                    async with self.executor:
                        await self._talk()
        self.is_over = True

    async def _talk(self) -> None:
        """Let the reply come, and what stops it."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self.reply)
                group.start_soon(self.interrupt)
        finally:
            if self.leaving.cancel_called:  # only now is the executor left
                self.started_before = len(self.ran)


async def run(
    scenario: Scenario, check: Callable[[Run], None], effects: Sequence[Effect] = ()
) -> Run:
    """Run a scenario; check it at every moment at which everything waits."""
    clock, seen_from = VirtualClock(), dict[int, str]()
    askers = Askers(scenario.plans, clock)
    stage = Stage(clock=clock, hooks=askers, permission=askers, cwd=HERE)
    for kind in (PlannedTool, HangingTool):
        stage.tools.append(kind(scenario.plans, stage, seen_from))
    executor = stage.executor(
        effects=Effects(list(effects)),
        max_concurrency=scenario.slots,
        sibling_failure=scenario.sibling_failure,
        streaming=scenario.streaming,
    )
    made = Run(scenario, stage, askers, executor, seen_from)
    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(made.session)
            await _drive(made, partial(check, made))
    return made


async def _drive(made: Run, check: Callable[[], None]) -> None:
    """Move time from moment to moment until everything is over."""
    clock = made.stage.clock
    for _ in range(1000):
        await settle()
        check()
        if made.is_over:
            return
        assert clock.next_moment is not None, "everybody waits, and nothing will ever happen"
        await clock.advance(clock.next_moment - clock.now())
    raise AssertionError("this takes for ever")
