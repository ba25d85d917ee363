"""Hooks and people on a call's way: they cost no slot, keep its place, and may change it."""

from collections.abc import Mapping

import pytest

from execution_kit import (
    ALONE,
    SAFE,
    ChangingHooks,
    FreeTool,
    Person,
    Stage,
    allow,
    contents,
    reads,
    use,
    writes,
)
from gantlet.execution import texts
from gantlet.messages import OutcomeKind, PermissionDecided
from gantlet.permissions import Decision
from gantlet.testing import Return, Wait, settle
from gantlet.tool import Named, ToolContext, Traits

X, Y, XY = writes(Named("x")), writes(Named("y")), writes(Named("x"), Named("y"))
BY_NOTE: Mapping[str, Traits] = {
    "x": X,
    "y": Y,
    "xy": XY,
    "read x": reads(Named("x")),
    "safe": SAFE,
    "alone": ALONE,
}


def noted(stage: Stage, seconds: float = 1) -> FreeTool:
    """Add a tool whose note says what it touches, and that takes some time."""

    async def run(context: ToolContext) -> str:
        stage.journal.note(stage.clock.now(), context.call.id, "started")
        try:
            await stage.clock.sleep(seconds)
        finally:
            stage.journal.note(stage.clock.now(), context.call.id, "ended")
        return str(context.call.input["note"])

    tool = FreeTool("Act", run, BY_NOTE)
    stage.tools.append(tool)
    return tool


async def test_a_person_who_is_asked_takes_no_slot() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    stage.tool("Read", Wait(1), Return("fine"))

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Read", "b"))
        await person.asked("a").wait()
        await stage.clock.sleep(10)
        meanwhile = stage.journal.spans()
        person.answer("a")
        answers = await executor.drain()

    assert meanwhile == {"b": (0.0, 1.0)}
    assert stage.journal.spans() == {"b": (0.0, 1.0), "a": (10.0, 11.0)}
    assert contents(answers) == {"a": "fine", "b": "fine"}


async def test_what_a_call_touches_stays_reserved_while_a_person_is_asked() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    noted(stage)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="x"))
        executor.submit(use("Act", "c", note="y"))
        await person.asked("a").wait()
        await stage.clock.sleep(10)
        waiting = list(executor.waiting)
        person.answer("a")
        await executor.drain()

    assert waiting == ["b"]
    assert stage.journal.spans() == {"c": (0.0, 1.0), "a": (10.0, 11.0), "b": (11.0, 12.0)}


async def test_the_earliest_call_that_was_allowed_gets_the_next_slot() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    stage.tool("Read", Wait(4))

    async with stage, stage.executor(max_concurrency=1) as executor:
        for call_id in "abc":
            executor.submit(use("Read", call_id))
        await stage.clock.sleep(2)
        person.answer("a")
        await executor.drain()

    assert stage.journal.started() == ["b", "a", "c"]


async def test_a_call_that_was_denied_lets_those_go_that_waited_for_it() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    noted(stage)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="x"))
        await person.asked("a").wait()
        person.answer("a", Decision.deny("not now", "person"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.DENIED,
        OutcomeKind.SUCCEEDED,
    ]
    assert stage.journal.started() == ["b"]


async def test_a_hook_that_takes_long_takes_no_slot() -> None:
    stage = Stage()
    hooks = ChangingHooks(stage.clock, {"a": {"note": "y"}}, seconds=10)
    stage.hooks = hooks
    noted(stage)

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("Act", "a", note="y"))
        executor.submit(use("Act", "b", note="x"))
        await executor.drain()

    assert stage.journal.spans() == {"b": (0.0, 1.0), "a": (10.0, 11.0)}


async def test_a_call_that_a_hook_widened_waits_at_its_old_position() -> None:
    stage = Stage()
    hooks = ChangingHooks(stage.clock, {"b": {"note": "xy"}}, seconds=1)
    stage.hooks = hooks
    noted(stage, seconds=3)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        executor.submit(use("Act", "c", note="x"))
        await stage.clock.sleep(2)
        waiting = list(executor.waiting)
        answers = await executor.drain()

    assert waiting == ["b", "c"]
    assert stage.journal.spans() == {"a": (0.0, 3.0), "b": (3.0, 6.0), "c": (6.0, 9.0)}
    assert contents(answers) == {"a": "x", "b": "xy", "c": "x"}
    assert answers[1].record.waited_for == ["a"]
    assert hooks.ran_for == ["a", "b", "c"]


async def test_a_call_that_was_widened_waits_for_later_ones_that_are_going() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "xy"}}, seconds=1)
    noted(stage, seconds=3)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        await stage.clock.sleep(2)
        executor.submit(use("Act", "c", note="y"))
        await executor.drain()

    assert stage.journal.spans() == {"b": (0.0, 3.0), "a": (3.0, 6.0), "c": (6.0, 9.0)}


async def test_a_call_that_was_narrowed_goes_on_at_once() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "read x"}}, seconds=1)
    noted(stage)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="xy"))
        executor.submit(use("Act", "b", note="y"))
        answers = await executor.drain()

    assert stage.journal.spans() == {"a": (1.0, 2.0), "b": (2.0, 3.0)}
    assert contents(answers) == {"a": "read x", "b": "y"}


async def test_a_call_that_turned_to_something_else_lets_those_go_that_waited() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "y"}}, seconds=2)
    noted(stage, seconds=5)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="x"))
        executor.submit(use("Act", "c", note="y"))
        await executor.drain()

    assert stage.journal.spans() == {"c": (0.0, 5.0), "b": (2.0, 7.0), "a": (5.0, 10.0)}


async def test_a_person_may_change_a_call_too_and_hooks_do_not_run_again() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    hooks = ChangingHooks(stage.clock, {})
    stage.hooks = hooks
    noted(stage, seconds=3)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        await person.asked("a").wait()
        await stage.clock.sleep(1)
        person.answer("a", allow({"note": "xy"}))
        answers = await executor.drain()

    assert stage.journal.spans() == {"b": (0.0, 3.0), "a": (3.0, 6.0)}
    assert contents(answers) == {"a": "xy", "b": "y"}
    assert hooks.ran_for == ["a", "b"]
    decided = [event for event in stage.events if isinstance(event, PermissionDecided)]
    assert [event.call_id for event in decided] == ["b", "a", "a"]


async def test_a_changed_call_that_waits_is_stopped_like_one_that_never_started() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"b": {"note": "xy"}}, seconds=1)
    noted(stage, seconds=100)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        await stage.clock.sleep(2)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER, "b": texts.NOT_STARTED}
    assert stage.journal.started() == ["a"]


async def test_a_changed_call_that_waits_has_no_slot() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"b": {"note": "xy"}}, seconds=1)
    noted(stage, seconds=3)
    stage.tool("Read", Wait(3), traits=reads(Named("z")))

    async with stage, stage.executor(max_concurrency=2) as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        await stage.clock.sleep(2)
        executor.submit(use("Read", "c"))
        await executor.drain()

    assert stage.journal.spans() == {"a": (0.0, 3.0), "c": (2.0, 5.0), "b": (3.0, 6.0)}


@pytest.mark.parametrize("first", ["a", "b"])
async def test_two_calls_that_turn_into_each_other_both_run(first: str) -> None:
    person = Person({"a", "b"})
    stage = Stage(permission=person)
    noted(stage)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="x"))
        executor.submit(use("Act", "b", note="y"))
        for call_id in (first, "b" if first == "a" else "a"):
            await person.asked(call_id).wait()
            person.answer(call_id, allow({"note": "xy"}))
            await settle()
        answers = await executor.drain()

    assert contents(answers) == {"a": "xy", "b": "xy"}
    assert stage.journal.spans() == {"a": (0.0, 1.0), "b": (1.0, 2.0)}


async def test_a_call_that_became_exclusive_waits_for_everybody_and_holds_everybody() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"b": {"note": "alone"}}, seconds=1)
    noted(stage, seconds=3)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a", note="safe"))
        executor.submit(use("Act", "b", note="safe"))
        executor.submit(use("Act", "c", note="safe"))
        await stage.clock.sleep(2)
        executor.submit(use("Act", "d", note="safe"))
        await executor.drain()

    assert stage.journal.spans() == {
        "a": (0.0, 3.0),
        "c": (0.0, 3.0),
        "b": (3.0, 6.0),
        "d": (6.0, 9.0),
    }
