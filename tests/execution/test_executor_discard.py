"""A lost reply: nothing of it is told or started any more, and nothing happens twice."""

from collections.abc import Mapping

import anyio
import pytest

from execution_kit import ALONE, ChangingHooks, FreeTool, Stage, contents, reads, use, writes
from gantlet.execution import (
    Cancelled,
    Effect,
    Effects,
    Failed,
    Succeeded,
    Unknown,
    texts,
)
from gantlet.messages import FrozenDict, JsonValue, OutcomeKind, Text
from gantlet.testing import Fail, Hang, IgnoreCancel, Report, Return, Wait
from gantlet.tool import Interrupt, Named, ToolContext, ToolResult

X = writes(Named("x"))
REPEATED = (
    "This call already ran for a reply that was lost while it streamed. It was not run again."
    " Its result was:\n"
)


async def test_after_a_discard_nothing_is_told_and_nothing_starts() -> None:
    stage = Stage()
    stage.tool("Write", Report("half"), Wait(10), Report("whole"), traits=X)
    stage.tool("Read", Hang(), traits=reads(Named("y")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        executor.submit(use("Write", "b"))
        executor.submit(use("Read", "c"))
        await stage.clock.sleep(1)
        told = list(stage.log)
        effects = await executor.discard()
        executor.submit(use("Read", "d"))
        handed_out = executor.results(), await executor.drain()
        outcomes = [answer.outcome for answer in executor.answers()]

    assert stage.log == told
    assert stage.journal.started() == ["a", "c"]
    assert handed_out == ([], [])
    assert effects == [Effect("Write", {}, Succeeded(ToolResult("done"), "done"))]
    assert outcomes == [
        Succeeded(ToolResult("done"), "done"),
        Cancelled(texts.DISCARDED),
        Cancelled(texts.DISCARDED),
        Cancelled(texts.DISCARDED),
    ]


async def test_a_discard_stops_what_may_be_stopped_and_waits_for_the_rest() -> None:
    stage = Stage()
    stage.tool("Gentle", Wait(20), traits=writes(Named("x"), interrupt=Interrupt.CANCEL))
    stage.tool("Firm", Wait(20), traits=writes(Named("y"), interrupt=Interrupt.BLOCK))
    stage.tool("Endless", Hang(), traits=writes(Named("z"), interrupt=Interrupt.BLOCK))

    async with stage, stage.executor() as executor:
        for name in ("Gentle", "Firm", "Endless"):
            executor.submit(use(name, name))
        await stage.clock.sleep(1)
        effects = await executor.discard()
        ended_at = stage.clock.now()

    assert effects == [
        Effect("Gentle", {}, Cancelled(texts.DISCARDED)),
        Effect("Firm", {}, Succeeded(ToolResult("done"), "done")),
        Effect("Endless", {}, Cancelled(texts.DISCARDED)),
    ]
    assert stage.journal.spans() == {"Gentle": (0, 1), "Firm": (0, 20), "Endless": (0, 31)}
    assert ended_at == 31


async def test_what_only_read_and_what_never_ran_leaves_no_effect() -> None:
    stage = Stage()
    stage.tool("Read", traits=reads(Named("x")))
    stage.tool("Write", Hang(), traits=X)

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Missing", "b"))
        executor.submit(use("Write", "c", note=5))
        await stage.clock.sleep(1)
        effects = await executor.discard()

    assert effects == []


async def test_discarding_twice_tells_the_same_effects() -> None:
    stage = Stage()
    stage.tool("Write", traits=X)

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        await stage.clock.sleep(1)
        once, twice = await executor.discard(), await executor.discard()

    assert once == twice == [Effect("Write", {}, Succeeded(ToolResult("done"), "done"))]


async def test_a_call_that_succeeded_is_not_run_again() -> None:
    stage = Stage()
    stage.tool("Write", Return("written"), traits=X)
    effects = Effects()

    async with stage:
        async with stage.executor() as lost:
            lost.submit(use("Write", "a", note="1"))
            await stage.clock.sleep(1)
            effects.add(await lost.discard())
        async with stage.executor(effects=effects) as executor:
            executor.submit(use("Write", "b", note="1"))
            executor.submit(use("Write", "c", note="1"))
            executor.submit(use("Write", "d", note="2"))
            answers = await executor.drain()

    assert contents(answers) == {
        "b": f"{REPEATED}written",
        "c": "written",
        "d": "written",
    }
    assert [answer.block.is_error for answer in answers] == [None, None, None]
    assert stage.journal.started() == ["a", "c", "d"]
    assert stage.told("b") == ["queued", "finished succeeded"]
    assert effects == Effects()


async def test_a_call_that_failed_is_not_run_again_and_stops_nobody() -> None:
    stage = Stage()
    shell = writes(Named("x"), failure_stops_siblings=True)
    stage.tool("Shell", Fail("No luck."), traits=shell)
    effects = Effects()

    async with stage:
        async with stage.executor() as lost:
            lost.submit(use("Shell", "a"))
            await stage.clock.sleep(1)
            effects.add(await lost.discard())
        async with stage.executor(effects=effects) as executor:
            executor.submit(use("Shell", "b"))
            executor.submit(use("Shell", "c", note="other"))
            answers = await executor.drain()

    failure = "<tool_use_error>No luck.</tool_use_error>"
    assert contents(answers) == {"b": f"{REPEATED}{failure}", "c": failure}
    assert [answer.block.is_error for answer in answers] == [True, True]
    assert stage.journal.started() == ["a", "c"]


@pytest.mark.parametrize("step", [Hang(), IgnoreCancel()])
async def test_a_call_that_did_not_finish_is_not_run_again_blindly(
    step: Hang | IgnoreCancel,
) -> None:
    stage = Stage()
    stage.tool("Write", step, traits=writes(Named("x"), interrupt=Interrupt.CANCEL))
    effects = Effects()

    async with stage:
        async with stage.executor() as lost:
            lost.submit(use("Write", "a"))
            await stage.clock.sleep(1)
            effects.add(await lost.discard())
        async with stage.executor(effects=effects) as executor:
            executor.submit(use("Write", "b"))
            answers = await executor.drain()

    assert [answer.outcome for answer in answers] == [Unknown(texts.REPEATED_UNKNOWN)]
    assert [answer.record.outcome for answer in answers] == [OutcomeKind.UNKNOWN]
    assert stage.journal.started() == ["a"]


async def test_a_call_whose_input_a_hook_changed_is_known_by_what_the_model_asked() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "changed"}, "b": {"note": "changed"}})
    stage.tool("Write", Return("written"), traits=X)
    effects = Effects()

    async with stage:
        async with stage.executor() as lost:
            lost.submit(use("Write", "a", note="asked"))
            await stage.clock.sleep(1)
            effects.add(await lost.discard())
        async with stage.executor(effects=effects) as executor:
            executor.submit(use("Write", "b", note="asked"))
            answers = await executor.drain()

    assert contents(answers) == {"b": f"{REPEATED}written"}
    assert stage.journal.started() == ["a"]


async def test_a_call_answered_from_a_lost_reply_is_known_when_that_is_lost_too() -> None:
    stage = Stage()
    stage.tool("Write", Return("written"), traits=X)
    effects = Effects()

    async with stage:
        for call_id in "abc":
            async with stage.executor(effects=effects) as lost:
                lost.submit(use("Write", call_id))
                await stage.clock.sleep(1)
                effects.add(await lost.discard())
        async with stage.executor(effects=effects) as executor:
            executor.submit(use("Write", "d"))
            answers = await executor.drain()

    assert contents(answers) == {"d": f"{REPEATED}written"}
    assert stage.journal.started() == ["a"]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"n": 1}, {"n": 1}, True),
        ({"n": 1, "m": [2]}, {"m": [2], "n": 1}, True),
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": [{"m": 0}]}, {"n": [{"m": False}]}, False),
        ({"n": None}, {}, False),
        ({"n": "1"}, {"n": 1}, False),
        ({"n": [1]}, {"n": [1, 1]}, False),
    ],
)
def test_only_the_very_same_call_is_taken_for_a_repetition(
    one: Mapping[str, JsonValue], other: Mapping[str, JsonValue], is_same: bool
) -> None:
    effect = Effect("Write", FrozenDict(one), Unknown("who knows"))
    effects = Effects([effect])

    taken = effects.take(use("Write", "b", **other))

    assert taken == (effect if is_same else None)
    assert effects == (Effects() if is_same else Effects([effect]))


def test_another_tool_with_the_same_input_is_another_call() -> None:
    effects = Effects([Effect("Write", FrozenDict(), Unknown("who knows"))])

    assert effects.take(use("Edit", "b")) is None


def test_a_result_of_blocks_is_repeated_after_a_word_about_it() -> None:
    outcome = Succeeded(ToolResult("ignored"), (Text("one"), Text("two")))

    answer = Effect("Read", {}, outcome).answer()

    told = (Text(REPEATED.rstrip()), Text("one"), Text("two"))
    assert answer == Succeeded(ToolResult(told), told)


def test_a_failure_of_blocks_is_repeated_as_a_failure() -> None:
    outcome = Failed((Text("one"),), "one", "ToolError")

    answer = Effect("Read", {}, outcome).answer()

    told = (Text(REPEATED.rstrip()), Text("one"))
    assert answer == Failed(told, "one", "RepeatedCall", is_benign=True)


async def test_a_discarded_call_does_not_start_though_its_hook_just_answered() -> None:
    stage = Stage()
    started: list[str] = []

    async def run(context: ToolContext) -> str:
        started.append(context.call.id)
        return "ran"

    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "x"}}, seconds=1)
    stage.tools.append(FreeTool("Act", run, {"": X, "x": ALONE}))

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a"))
        await stage.clock.sleep(1)
        effects = await executor.discard()

    assert (effects, started) == ([], [])


async def test_leaving_does_not_wait_for_what_a_lost_reply_let_finish() -> None:
    stage = Stage()
    stage.tool("Firm", Hang(), traits=X)

    async with stage:
        with anyio.CancelScope() as outer:
            async with stage.executor() as executor:
                executor.submit(use("Firm", "a"))
                await stage.clock.sleep(1)
                outer.cancel()
                await executor.discard()
        ended_at = stage.clock.now()

    assert contents(executor.answers()) == {"a": texts.DISCARDED}
    assert ended_at == 1
