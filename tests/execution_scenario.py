"""Arbitrary replies for the executor: what calls do, when they come, and what comes between."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

import anyio
from hypothesis import strategies as st

from execution_kit import Stage, allow
from gantlet.execution import AbortKind, Answer, Effect, Executor, SiblingFailure
from gantlet.hooks import NOTHING_AFTER, AfterCall, BeforeCall, CallEvent, Moment
from gantlet.messages import ToolUse
from gantlet.permissions import Decision, Request
from gantlet.testing import VirtualClock, settle
from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    Access,
    File,
    Footprint,
    Interrupt,
    Named,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
    Tree,
    footprint,
)

End: TypeAlias = Literal["return", "fail", "benign", "bug", "hang", "stubborn", "shield"]

ACCESSES: Sequence[Access] = [
    EXCLUSIVE,
    READS_ANYTHING,
    Access(),
    Access(writes={Named("n")}),
    Access(reads={Named("n")}),
    Access(writes={File("a")}),
    Access(reads={File("a")}),
    Access(writes={File("b")}),
    Access(reads={File("b")}, writes={File("a")}),
    Access(writes={Tree("d")}),
    Access(writes={File("d/x")}),
    Access(reads={Tree("d")}),
    Access(reads={Tree(".")}),
    Access(writes={Named("n"), File("d/y")}),
]
FOOTPRINTS: dict[Access, Footprint] = {access: footprint(access, "/none") for access in ACCESSES}


@dataclass(frozen=True)
class Plan:
    """One call: what it touches, how long it takes, and who changes it on its way."""

    access: Access
    arrives_after: float = 0
    seconds: float = 0
    end: End = "return"
    hook_seconds: float | None = None
    person_seconds: float | None = None
    changed_by: Literal["hook", "person"] | None = None
    changed_access: Access = EXCLUSIVE
    is_denied: bool = False
    read_only: bool = False
    interrupt: Interrupt | None = None
    is_shell: bool = False

    @property
    def last_access(self) -> Access:
        """What the call touches in the end."""
        return self.access if self.changed_by is None else self.changed_access

    @property
    def first(self) -> Footprint:
        """What the call reserves at first."""
        return FOOTPRINTS[self.access]

    @property
    def last(self) -> Footprint:
        """What the call touches when it runs."""
        return FOOTPRINTS[self.last_access]

    @property
    def is_changed_first(self) -> bool:
        """Whether the change, if there is one, comes from a hook."""
        return self.changed_by == "hook"


@dataclass(frozen=True)
class Interruption:
    """Something that stops the reply, after so many seconds."""

    after: float
    kind: Literal["user", "message", "discard"]


@dataclass(frozen=True)
class Scenario:
    """A reply, and all that happens around it."""

    plans: Sequence[Plan]
    slots: float = 10
    interruption: Interruption | None = None
    sibling_failure: SiblingFailure = SiblingFailure.DEPENDENT


SHORT = st.sampled_from([0, 0, 1, 2, 3])
MAYBE_SHORT = st.sampled_from([None, None, None, 0, 1, 2])
ENDS: Sequence[End] = ["return"] * 6 + ["fail", "fail", "benign", "bug", "hang", "stubborn", "shield"]  # type: ignore[assignment]

PLANS = st.builds(
    Plan,
    access=st.sampled_from(ACCESSES),
    arrives_after=st.sampled_from([0, 0, 0, 1, 2]),
    seconds=SHORT,
    end=st.sampled_from(ENDS),
    hook_seconds=MAYBE_SHORT,
    person_seconds=MAYBE_SHORT,
    changed_by=st.sampled_from([None, None, None, "hook", "person"]),
    changed_access=st.sampled_from(ACCESSES),
    is_denied=st.sampled_from([False] * 9 + [True]),
    read_only=st.booleans(),
    interrupt=st.sampled_from([None, None, Interrupt.BLOCK, Interrupt.CANCEL]),
    is_shell=st.booleans(),
)
INTERRUPTIONS = st.none() | st.builds(
    Interruption, st.integers(0, 8), st.sampled_from(["user", "message", "discard"])
)
SCENARIOS = st.builds(
    Scenario,
    plans=st.lists(PLANS, min_size=1, max_size=7),
    slots=st.sampled_from([1, 2, 3, 4, math.inf]),
    interruption=INTERRUPTIONS,
    sibling_failure=st.sampled_from(SiblingFailure),
)


class PlannedInput(ToolInput):
    """Which plan a call follows, and whether it was changed on its way."""

    number: int
    is_changed: bool = False


class PlannedTool(Tool[PlannedInput]):
    """A tool whose calls do what their plan says."""

    name = "Act"
    description = "Does what its plan says."
    input_type = PlannedInput

    def __init__(self, plans: Sequence[Plan], stage: Stage) -> None:
        self._plans = plans
        self._stage = stage

    def traits(self, args: PlannedInput) -> Traits:
        """Return what the plan says about the call, before or after its change."""
        plan = self._plans[args.number]
        return Traits(
            access=plan.changed_access if args.is_changed else plan.access,
            read_only=plan.read_only,
            interrupt=plan.interrupt,
            failure_stops_siblings=plan.is_shell,
        )

    async def run(self, args: PlannedInput, context: ToolContext) -> object:
        """Follow the plan."""
        plan, clock = self._plans[args.number], self._stage.clock
        self._stage.journal.note(clock.now(), context.call.id, "started")
        try:
            context.progress(args.number)
            if plan.seconds:
                await clock.sleep(plan.seconds)
            await self._end(plan)
        finally:
            self._stage.journal.note(clock.now(), context.call.id, "ended")
        return f"done {args.number}"

    async def _end(self, plan: Plan) -> None:
        """End as planned, or do not."""
        match plan.end:
            case "fail" | "benign":
                raise ToolError("No luck.", is_benign=plan.end == "benign")
            case "bug":
                raise RuntimeError("broken")
            case "hang":
                await anyio.sleep_forever()
            case "shield":
                with anyio.CancelScope(shield=True):
                    await anyio.sleep_forever()
            case "stubborn":
                while True:
                    try:
                        await anyio.sleep_forever()
                    except anyio.get_cancelled_exc_class():
                        continue
            case _:
                return


class HangingTool(PlannedTool):
    """The same for calls that never end by themselves."""

    name = "Hang"
    timeout_seconds = 6.0


@dataclass
class Askers:
    """The hooks and the person on a call's way, who take their time and may change the call."""

    plans: Sequence[Plan]
    clock: VirtualClock
    awaiting: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    hooks_ran_for: list[int] = field(default_factory=list)

    def wants(self, event: CallEvent, tool_name: str) -> bool:
        """Listen before each call."""
        return event is CallEvent.BEFORE

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
    """A scenario on its way through the executor, and what came of it."""

    scenario: Scenario
    stage: Stage
    askers: Askers
    executor: Executor
    answers: list[Answer] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    is_interrupted: bool = False
    started_before: int = 0
    told_before: int | None = None
    is_over: bool = False

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

    async def reply(self) -> None:
        """Let the calls come."""
        for number, plan in enumerate(self.scenario.plans):
            if plan.arrives_after:
                await self.stage.clock.sleep(plan.arrives_after)
            self.executor.submit(call_of(plan, number))
            self.answers += self.executor.results()
        self.answers += await self.executor.drain()
        self.is_over = True

    async def interrupt(self) -> None:
        """Stop the reply as planned."""
        planned = self.scenario.interruption
        if planned is None:
            return
        await self.stage.clock.sleep(planned.after)
        self.is_interrupted = True
        self.started_before = len(self.ran)
        match planned.kind:
            case "user":
                self.executor.abort()
            case "message":
                self.executor.abort(AbortKind.MESSAGE)
            case _:
                self.told_before = len(self.stage.events)
                self.effects = await self.executor.discard()


def call_of(plan: Plan, number: int) -> ToolUse:
    """Return the call that follows a plan."""
    is_endless = plan.end in {"hang", "stubborn", "shield"}
    return ToolUse(str(number), "Hang" if is_endless else "Act", {"number": number})


async def run(scenario: Scenario, check: Callable[[Run], None]) -> Run:
    """Run a scenario; check it at every moment at which everything waits."""
    clock = VirtualClock()
    askers = Askers(scenario.plans, clock)
    stage = Stage(clock=clock, hooks=askers, permission=askers, cwd="/none", moves=False)
    stage.tools += [PlannedTool(scenario.plans, stage), HangingTool(scenario.plans, stage)]
    async with stage:
        executor = stage.executor(
            max_concurrency=scenario.slots, sibling_failure=scenario.sibling_failure
        )
        made = Run(scenario, stage, askers, executor)
        async with executor, anyio.create_task_group() as group:
            group.start_soon(made.reply)
            group.start_soon(made.interrupt)
            await drive(made, partial(check, made))
    return made


async def drive(made: Run, check: Callable[[], None]) -> None:
    """Move time from moment to moment until the reply is over."""
    clock = made.stage.clock
    for _ in range(1000):
        await settle()
        check()
        if made.is_over and clock.next_moment is None:
            return
        assert clock.next_moment is not None, "everybody waits, and nothing will ever happen"
        await clock.advance(clock.next_moment - clock.now())
    raise AssertionError("this takes for ever")
