"""How a reply ends before its calls do: each has an answer, and nothing is waited for for ever."""

import asyncio

import anyio

from execution_kit import ALONE, AllowEverything, ChangingHooks, Stage, contents, use, writes
from gantlet.execution import Abandoned, Answer, Interrupted, texts
from gantlet.hooks import AfterCall, BeforeCall, HookEvent, Moment
from gantlet.messages import CallFinished, Event
from gantlet.permissions import Decision, Request
from gantlet.testing import Hang, Return, Wait
from gantlet.tool import Named, ToolResult


class StubbornHooks(ChangingHooks):
    """Hooks that will not stop before a call, or after it."""

    def __init__(self, event: HookEvent) -> None:
        super().__init__(clock=Stage().clock, changes={})
        self._event = event

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Listen at one moment."""
        return event is self._event

    async def before(self, moment: Moment) -> BeforeCall:
        """Swallow every cancellation."""
        while True:
            with anyio.CancelScope(shield=True):
                await anyio.sleep_forever()

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Swallow every cancellation."""
        while True:
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                continue


async def test_a_hook_that_will_not_stop_before_a_call_is_given_up() -> None:
    stage = Stage(hooks=StubbornHooks(HookEvent.PRE_TOOL_USE))
    stage.tool("Read")

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": texts.NOT_STARTED}
    assert ended_at == 6
    assert stage.bodies.abandoned == [Abandoned("a", "Read")]


async def test_a_hook_that_will_not_stop_after_a_call_costs_no_result() -> None:
    stage = Stage(hooks=StubbornHooks(HookEvent.POST_TOOL_USE))
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": "written"}


class StubbornPermission(AllowEverything):
    """A permission that will not stop."""

    async def decide(self, request: Request) -> Decision:
        """Swallow everything."""
        while True:
            try:
                with anyio.move_on_after(1000):
                    await anyio.sleep_forever()
            except BaseException:  # noqa: BLE001 - what this test is about
                continue


async def test_a_session_ends_past_a_permission_that_will_not_stop() -> None:
    stage = Stage(permission=StubbornPermission())
    stage.tool("Read")

    async with stage:
        executor = stage.executor()
        executor.submit(use("Read", "a"))
        await stage.clock.sleep(1)

    assert contents(executor.answers()) == {"a": texts.NOT_STARTED_AT_END}


async def test_a_cancelled_drain_leaves_an_answer_for_every_call() -> None:
    stage = Stage()
    stage.tool("Quick", Return("fine"))
    stage.tool("Slow", Hang())
    stage.tool("Alone", traits=ALONE)

    async with stage:
        with anyio.CancelScope() as outer:
            async with stage.executor() as executor:
                for name, call_id in (("Quick", "a"), ("Slow", "b"), ("Alone", "c")):
                    executor.submit(use(name, call_id))
                await stage.clock.sleep(1)
                outer.cancel()
                await executor.drain()

        answers = executor.answers()

    assert contents(answers) == {
        "a": "fine",
        "b": texts.PROGRAM_ENDED,
        "c": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a", "b"]


async def test_a_cancelled_session_starts_nothing_more() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))
    stage.tool("Next", Return("ran"), traits=writes(Named("x")))

    async with stage.clock:
        with anyio.CancelScope() as session:
            async with stage.bodies, stage.executor() as executor:
                executor.submit(use("Slow", "a"))
                executor.submit(use("Next", "b"))
                await stage.clock.sleep(1)
                session.cancel()

    assert contents(executor.answers()) == {
        "a": texts.PROGRAM_ENDED,
        "b": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a"]


async def test_calls_that_are_not_waited_for_end_with_the_session() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))
    stage.tool("Next", Return("ran"), traits=writes(Named("x")))

    async with stage:
        executor = stage.executor()
        executor.submit(use("Slow", "a"))
        executor.submit(use("Next", "b"))
        await stage.clock.sleep(1)
    executor.submit(use("Next", "c"))

    assert contents(executor.answers()) == {
        "a": texts.PROGRAM_ENDED,
        "b": texts.NOT_STARTED_AT_END,
        "c": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a"]


async def test_leaving_without_draining_ends_what_runs_and_answers_what_waits() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))

    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Slow", "a"))
            executor.submit(use("Slow", "b"))
            await stage.clock.sleep(1)
        outcomes = [answer.outcome for answer in executor.answers()]

    assert outcomes == [Interrupted(texts.PROGRAM_ENDED), Interrupted(texts.NOT_STARTED_AT_END)]


async def test_two_may_wait_for_the_same_calls() -> None:
    stage = Stage()
    stage.tool("Slow", Wait(1), Return("fine"))
    drained: list[list[Answer]] = []

    async with stage, stage.executor() as executor:

        async def drain() -> None:
            drained.append(await executor.drain())

        executor.submit(use("Slow", "a"))
        async with anyio.create_task_group() as group:
            group.start_soon(drain)
            group.start_soon(drain)
            group.start_soon(drain)

    assert [contents(answers) for answers in drained] == [{"a": "fine"}, {}, {}]


async def test_an_abort_after_a_slot_was_handed_on_comes_in_time() -> None:
    stage = Stage(moves=False)
    stage.tool("First", Wait(1), Return("fine"))
    stage.tool("Next", Return("ran"))

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("First", "a"))
        executor.submit(use("Next", "b"))
        await stage.clock.advance(0)

        def abort_when_done(event: Event) -> None:
            if isinstance(event, CallFinished):
                executor.abort()

        stage.listener = abort_when_done
        await stage.clock.advance(1)
        answers = executor.results()

    assert contents(answers) == {"a": "fine", "b": texts.NOT_STARTED}
    assert stage.journal.started() == ["a"]
