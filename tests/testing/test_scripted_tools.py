"""Scripted tools do what their script says, at exact moments; scripted replies ask for them."""

from collections.abc import Callable

import anyio
import pytest

from execution_kit import use
from gantlet.messages import ToolUse
from gantlet.testing import (
    Do,
    Entry,
    Fail,
    Hang,
    IgnoreCancel,
    Journal,
    Report,
    Return,
    Say,
    ScriptedTool,
    Step,
    VirtualClock,
    Wait,
    play,
)
from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    Interrupt,
    Surroundings,
    ToolContext,
    ToolError,
    ToolResult,
    Traits,
)


def context(call_id: str = "a", report: Callable[[object], None] = print) -> ToolContext:
    """Return what a tool is told about a call."""
    return ToolContext(use("Act", call_id), Surroundings("/"), report=report)


async def run(tool: ScriptedTool, clock: VirtualClock, told: ToolContext | None = None) -> object:
    """Run a tool while the clock moves by itself."""
    assert tool.input_type is not None
    with anyio.fail_after(30):
        async with clock:
            return await tool.run(tool.input_type(), told or context())


async def test_the_steps_are_taken_in_order_and_at_their_time() -> None:
    clock, seen = VirtualClock(), list[object]()
    steps: list[Step] = [
        Report(1),
        Wait(2),
        Do(lambda told: seen.append(("did", told.call.id))),
        Report(2),
        Return("value"),
        Report("never"),
    ]
    tool = ScriptedTool("Act", steps, clock=clock)

    returned = await run(tool, clock, context(report=seen.append))

    assert returned == ToolResult("value")
    assert seen == [1, ("did", "a"), 2]
    assert tool.journal.entries == [Entry(0.0, "a", "started"), Entry(2.0, "a", "ended")]


async def test_without_a_last_word_a_tool_says_done() -> None:
    clock = VirtualClock()

    assert await run(ScriptedTool("Act", clock=clock), clock) == "done"


async def test_an_action_may_be_awaited() -> None:
    clock, seen = VirtualClock(), list[float]()

    async def act(told: ToolContext) -> None:
        await clock.sleep(3)
        seen.append(clock.now())

    await run(ScriptedTool("Act", [Do(act)], clock=clock), clock)

    assert seen == [3.0]


async def test_a_modifier_comes_with_the_value() -> None:
    clock = VirtualClock()

    def modifier(surroundings: Surroundings) -> Surroundings:
        return surroundings

    tool = ScriptedTool("Act", [Return("moved", modifier=modifier)], clock=clock)

    assert await run(tool, clock) == ToolResult("moved", context_modifier=modifier)


async def test_a_failure_is_an_error_for_the_model_or_a_bug() -> None:
    clock = VirtualClock()

    with pytest.RaisesGroup(pytest.RaisesExc(ToolError, match="No luck")):
        await run(ScriptedTool("Act", [Fail("No luck.")], clock=clock), clock)
    clock = VirtualClock()
    with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match="broken")):
        await run(ScriptedTool("Act", [Fail("broken", is_bug=True)], clock=clock), clock)
    clock = VirtualClock()
    benign = pytest.RaisesExc(ToolError, check=lambda error: error.is_benign)
    with pytest.RaisesGroup(benign):
        await run(ScriptedTool("Act", [Fail("none", is_benign=True)], clock=clock), clock)


@pytest.mark.parametrize(("step", "deliveries"), [(Hang(), 1), (IgnoreCancel(), 3)])
async def test_a_tool_that_hangs_ends_when_cancelled_and_one_that_ignores_it_does_not(
    step: Step, deliveries: int
) -> None:
    clock = VirtualClock()
    tool = ScriptedTool("Act", [step], clock=clock)
    coroutine = tool.run(tool.input_type(), context())
    coroutine.send(None)
    thrown = 0

    for _ in range(3):
        thrown += 1
        try:
            coroutine.throw(anyio.get_cancelled_exc_class()())
        except anyio.get_cancelled_exc_class():
            break
    coroutine.close()

    assert thrown == deliveries
    assert [entry.what for entry in tool.journal.entries] == ["started", "ended"]


def test_the_traits_are_those_the_test_gives() -> None:
    clock = VirtualClock()
    plain = ScriptedTool("Act", clock=clock)
    given = Traits(destructive=True)
    other = ScriptedTool("Act", clock=clock, traits=given)
    parts = ScriptedTool(
        "Act", clock=clock, access=READS_ANYTHING, read_only=False, interrupt=Interrupt.CANCEL
    )
    args = plain.input_type()

    assert plain.traits(args) == Traits(read_only=True, access=EXCLUSIVE, open_world=False)
    assert other.traits(args) is given
    assert parts.traits(args) == Traits(
        read_only=False, access=READS_ANYTHING, interrupt=Interrupt.CANCEL, open_world=False
    )


def test_a_journal_knows_who_started_and_how_long_each_took() -> None:
    journal = Journal()
    for at, call_id, what in (
        (1.0, "a", "started"),
        (2.0, "b", "started"),
        (4.0, "a", "ended"),
        (5.0, "c", "started"),
    ):
        journal.note(at, call_id, what)

    assert journal.started() == ["a", "b", "c"]
    assert journal.spans() == {"a": (1.0, 4.0), "b": (2.0, 5.0), "c": (5.0, 5.0)}
    assert Journal().spans() == {}


async def test_a_reply_is_played_moment_by_moment() -> None:
    clock = VirtualClock()
    seen: list[tuple[float, object]] = []

    def submit(call: ToolUse) -> None:
        seen.append((clock.now(), call.id))

    async def awaited() -> None:
        await clock.sleep(1)
        seen.append((clock.now(), "awaited"))

    moments = [
        Say(1, use("Act", "a")),
        Say(0, use("Act", "b")),
        Say(2, lambda: seen.append((clock.now(), "action"))),
        Say(0.5, awaited),
        Say(0, use("Act", "c")),
    ]
    with anyio.fail_after(30):
        async with clock:
            await play(moments, clock, submit)

    assert seen == [(1.0, "a"), (1.0, "b"), (3.0, "action"), (4.5, "awaited"), (4.5, "c")]
