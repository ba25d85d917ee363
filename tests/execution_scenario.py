"""Arbitrary replies for the executor: what calls do, when they come, and what comes between."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import anyio
from hypothesis import strategies as st

from execution_kit import Stage
from gantlet.execution import SiblingFailure
from gantlet.messages import ToolUse
from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    Access,
    File,
    Footprint,
    Interrupt,
    Named,
    Surroundings,
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
    Access(writes={File("d/a")}),
    Access(reads={Tree("d")}),
    Access(reads={Tree(".")}),
    Access(writes={Named("n"), File("/none/d/b")}),
]
#: Where calls start, and where those who move the others go and come back from.
HERE, THERE = "/none", "/none/d"
FOOTPRINTS = {(access, cwd): footprint(access, cwd) for access in ACCESSES for cwd in (HERE, THERE)}
ALONE, SAFE = Footprint(is_exclusive=True), Footprint(reads_anything=True)


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
    moves: bool = False


@dataclass(frozen=True)
class Interruption:
    """Something that stops the reply, after so many seconds."""

    after: float
    kind: Literal["user", "message", "discard", "leave", "end"]


@dataclass(frozen=True)
class Scenario:
    """A reply, and all that happens around it."""

    plans: Sequence[Plan]
    slots: float = 10
    interruption: Interruption | None = None
    sibling_failure: SiblingFailure = SiblingFailure.DEPENDENT
    streaming: bool = True


_RETURNS: list[End] = ["return"] * 6
_OTHER_ENDS: list[End] = ["fail", "fail", "benign", "bug", "hang", "stubborn", "shield"]
_MAYBE_SHORT = st.sampled_from([None, None, None, 0, 1, 2])
_PLANS = st.builds(
    Plan,
    access=st.sampled_from(ACCESSES),
    arrives_after=st.sampled_from([0, 0, 0, 1, 2]),
    seconds=st.sampled_from([0, 0, 1, 2, 3]),
    end=st.sampled_from(_RETURNS + _OTHER_ENDS),
    hook_seconds=_MAYBE_SHORT,
    person_seconds=_MAYBE_SHORT,
    changed_by=st.sampled_from([None, None, None, "hook", "person"]),
    changed_access=st.sampled_from(ACCESSES),
    is_denied=st.sampled_from([False] * 9 + [True]),
    read_only=st.booleans(),
    interrupt=st.sampled_from([None, None, Interrupt.BLOCK, Interrupt.CANCEL]),
    is_shell=st.booleans(),
    moves=st.booleans(),
)
_INTERRUPTIONS = st.none() | st.builds(
    Interruption,
    st.integers(0, 8),
    st.sampled_from(["user", "message", "discard", "leave", "end"]),
)
SCENARIOS = st.builds(
    Scenario,
    plans=st.lists(_PLANS, min_size=1, max_size=7),
    slots=st.sampled_from([1, 2, 3, 4, math.inf]),
    interruption=_INTERRUPTIONS,
    sibling_failure=st.sampled_from(SiblingFailure),
    streaming=st.sampled_from([True, True, True, False]),
)


class PlannedInput(ToolInput):
    """Which plan a call follows, and whether it was changed on its way."""

    number: int
    is_changed: bool = False


def call_of(plan: Plan, number: int) -> ToolUse:
    """Return the call that follows a plan."""
    is_endless = plan.end in {"hang", "stubborn", "shield"}
    return ToolUse(str(number), "Hang" if is_endless else "Act", {"number": number})


class PlannedTool(Tool[PlannedInput]):
    """A tool whose calls do what their plan says."""

    name = "Act"
    description = "Does what its plan says."
    input_type = PlannedInput

    def __init__(self, plans: Sequence[Plan], stage: Stage, seen_from: dict[int, str]) -> None:
        self._plans = plans
        self._stage = stage
        self._seen_from = seen_from

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
        self._seen_from[args.number] = context.surroundings.cwd
        try:
            context.progress(args.number)
            if plan.seconds:
                await clock.sleep(plan.seconds)
            await _end(plan)
        finally:
            self._stage.journal.note(clock.now(), context.call.id, "ended")
        return ToolResult(f"done {args.number}", context_modifier=_move if plan.moves else None)


class HangingTool(PlannedTool):
    """The same for calls that never end by themselves."""

    name = "Hang"
    timeout_seconds = 6.0


async def _end(plan: Plan) -> None:
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
            await _ignore_cancellation()
        case _:
            return


async def _ignore_cancellation() -> None:
    """Never come back."""
    while True:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            continue


def _move(surroundings: Surroundings) -> Surroundings:
    """Go there, or come back."""
    return surroundings.moved_to(THERE if surroundings.cwd == HERE else HERE)
