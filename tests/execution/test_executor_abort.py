"""The user stops calls, or says something new: who ends, who may finish, who never starts."""

import anyio
import pytest

from execution_kit import (
    ALONE,
    SAFE,
    ChangingHooks,
    Person,
    Stage,
    contents,
    reads,
    use,
    writes,
)
from gantlet.execution import AbortKind, AbortScope, Interrupted, SiblingFailure, texts
from gantlet.execution.abort import Abort
from gantlet.messages import OutcomeKind, ResultBlock
from gantlet.testing import Do, Fail, Hang, Report, Return, ScriptedTool, Wait, settle
from gantlet.tool import Interrupt, Named, ToolContext, Traits

FIRM = writes(Named("x"), interrupt=Interrupt.BLOCK)
GENTLE = reads(Named("y"))


async def test_an_abort_by_the_user_stops_what_runs_and_what_waits() -> None:
    stage = Stage()
    stage.tool("Quick", Return("fine"))
    stage.tool("Slow", Hang(), traits=FIRM)
    stage.tool("Alone", traits=ALONE)

    async with stage, stage.executor() as executor:
        for name, call_id in (("Quick", "a"), ("Slow", "b"), ("Alone", "c")):
            executor.submit(use(name, call_id))
        await stage.clock.sleep(1)
        executor.abort()
        executor.submit(use("Quick", "d"))
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert [answer.block for answer in answers] == [
        ResultBlock("a", "fine"),
        ResultBlock(
            "b",
            "The user interrupted this call; it did not finish. Wait for what the user says next.",
            is_error=True,
        ),
        ResultBlock(
            "c", "The user interrupted before this call started; it was not run.", is_error=True
        ),
        ResultBlock(
            "d", "The user interrupted before this call started; it was not run.", is_error=True
        ),
    ]
    assert ended_at == 1
    assert stage.journal.started() == ["a", "b"]


async def test_a_call_whose_hook_or_person_is_awaited_is_stopped_as_one_that_never_ran() -> None:
    person = Person({"a"})
    stage = Stage(permission=person)
    stage.tool("Read")

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        await person.asked("a").wait()
        executor.abort()
        answers = await executor.drain()
        person.answer("a")
        await settle()

    assert [answer.outcome for answer in answers] == [Interrupted(texts.NOT_STARTED)]
    assert stage.told("a") == ["queued", "finished interrupted"]


async def test_a_call_that_waits_for_a_slot_is_stopped_as_one_that_never_ran() -> None:
    stage = Stage()
    stage.tool("Slow", Hang())

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("Slow", "a"))
        executor.submit(use("Slow", "b"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER, "b": texts.NOT_STARTED}


async def test_the_turn_stops_the_calls_of_its_reply() -> None:
    turn = AbortScope()
    stage = Stage()
    stage.tool("Slow", Hang())

    async with stage, stage.executor(turn=turn) as executor:
        executor.submit(use("Slow", "a"))
        await stage.clock.sleep(1)
        turn.abort(Abort(AbortKind.USER))
        answers = await executor.drain()
        async with stage.executor(turn=turn) as late:
            late.submit(use("Slow", "b"))
            not_started = late.results()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER}
    assert contents(not_started) == {"b": texts.NOT_STARTED}
    assert not turn._children


async def test_a_new_message_stops_what_may_be_stopped_and_lets_the_rest_finish() -> None:
    stage = Stage()
    stage.tool("Gentle", Wait(10), traits=GENTLE)
    stage.tool("Firm", Wait(10), Report("half"), Wait(10), Return("whole"), traits=FIRM)

    async with stage, stage.executor() as executor:
        for name, call_id in (("Gentle", "a"), ("Firm", "b"), ("Firm", "c"), ("Gentle", "d")):
            executor.submit(use(name, call_id))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        executor.submit(use("Gentle", "e"))
        answers = await executor.drain()

    assert contents(answers) == {
        "a": texts.INTERRUPTED_BY_USER,
        "b": "whole",
        "c": texts.NOT_STARTED,
        "d": texts.INTERRUPTED_BY_USER,
        "e": texts.NOT_STARTED,
    }
    assert stage.journal.spans() == {"a": (0, 1), "b": (0, 20), "d": (0, 1)}
    assert stage.told("b") == [
        "queued",
        "decided allow",
        "started",
        "progress half",
        "finished succeeded",
    ]


async def test_the_user_may_lose_patience_after_a_message() -> None:
    stage = Stage()
    stage.tool("Firm", Wait(100), traits=FIRM)

    async with stage, stage.executor() as executor:
        executor.submit(use("Firm", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        await stage.clock.sleep(1)
        executor.abort(AbortKind.USER)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER}
    assert ended_at == 2


async def test_leaving_ends_a_call_that_may_finish() -> None:
    stage = Stage()
    stage.tool("Firm", Wait(100), traits=FIRM)

    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Firm", "a"))
            await stage.clock.sleep(1)
            executor.abort(AbortKind.MESSAGE)
        ended_at = stage.clock.now()

    assert contents(executor.answers()) == {"a": texts.PROGRAM_ENDED}
    assert ended_at == 1


@pytest.mark.parametrize(
    ("traits", "stops"),
    [
        (SAFE, True),
        (writes(Named("x")), False),
        (reads(Named("x"), interrupt=Interrupt.BLOCK), False),
        (writes(Named("x"), interrupt=Interrupt.CANCEL), True),
    ],
)
async def test_without_its_own_word_a_call_that_only_reads_is_stopped_and_others_finish(
    traits: Traits, stops: bool
) -> None:
    stage = Stage()
    stage.tool("Act", Wait(5), Return("fine"), traits=traits)

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER if stops else "fine"}


async def test_a_failed_sibling_is_a_greater_reason_than_the_user() -> None:
    stage = Stage()
    shell = writes(Named("x"), failure_stops_siblings=True)
    stage.tool("Shell", Wait(1), Fail("No luck."), traits=shell)

    async def end_slowly(context: ToolContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await stage.clock.sleep(2)

    stage.tool("Slow", Do(end_slowly), traits=GENTLE)

    async with stage, stage.executor(sibling_failure=SiblingFailure.ALL) as executor:
        executor.submit(use("Shell", "a"))
        executor.submit(use("Slow", "b"))
        await stage.clock.sleep(2)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers)["b"] == "Cancelled: parallel tool call Shell() errored"


async def test_a_lost_reply_is_a_greater_reason_than_a_failed_sibling() -> None:
    stage = Stage()
    shell = writes(Named("x"), failure_stops_siblings=True)
    stage.tool("Shell", Fail("No luck."), traits=shell)

    async with stage, stage.executor(sibling_failure=SiblingFailure.ALL) as executor:
        executor.submit(use("Shell", "a"))
        await stage.clock.sleep(1)
        await executor.discard()
        executor.submit(use("Shell", "b"))
        answers = executor.answers()

    assert contents(answers)["b"] == texts.DISCARDED


async def test_a_tool_that_aborts_its_own_reply_is_stopped_like_the_others() -> None:
    stage = Stage()
    stage.tool("Slow", Hang())

    class Impatient(ScriptedTool):
        async def run(self, args: object, context: ToolContext) -> object:
            executor.abort()
            await self._clock.sleep(1)
            return "too late"

    stage.tools.append(Impatient("Act", clock=stage.clock, traits=SAFE))

    async with stage, stage.executor() as executor:
        executor.submit(use("Slow", "a"))
        executor.submit(use("Act", "b"))
        answers = await executor.drain()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER, "b": texts.INTERRUPTED_BY_USER}


async def test_aborting_when_everything_is_done_changes_nothing() -> None:
    stage = Stage()
    stage.tool("Read", Return("fine"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        first = await executor.drain()
        executor.abort()
        executor.abort(AbortKind.MESSAGE)
        second = await executor.drain()

    assert (contents(first), second) == ({"a": "fine"}, [])
    assert [answer.record.outcome for answer in executor.answers()] == [OutcomeKind.SUCCEEDED]


async def test_a_message_stops_a_hook_that_is_awaited_whatever_the_call_says() -> None:
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"a": {}}, seconds=100)
    stage.tool("Firm", traits=FIRM)

    async with stage, stage.executor() as executor:
        executor.submit(use("Firm", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": texts.NOT_STARTED}
    assert ended_at == 1
