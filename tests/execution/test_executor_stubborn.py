"""Tools that will not stop: each call still has one answer, and nothing is waited for for ever."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import anyio
import pytest

from execution_kit import Stage, contents, is_idle, use, writes
from gantlet.execution import Abandoned, AbortKind, texts
from gantlet.messages import ResultBlock
from gantlet.system import run_in_thread
from gantlet.testing import Do, Hang, IgnoreCancel, Return, Wait
from gantlet.tool import Interrupt, Named, ToolContext

WOULD_NOT_STOP = texts.error(texts.UNKNOWN)

Stubborn = Callable[[ToolContext], Awaitable[object]]


async def swallow_cancellation(context: ToolContext) -> None:
    while True:
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            continue


async def swallow_everything(context: ToolContext) -> None:
    while True:
        try:
            await anyio.sleep_forever()
        except BaseException:  # noqa: BLE001 - what this test is about
            continue


async def swallow_everything_inside_new_scopes(context: ToolContext) -> None:
    while True:
        try:
            with anyio.move_on_after(1000):
                await anyio.sleep_forever()
        except BaseException:  # noqa: BLE001 - what this test is about
            continue


async def shield_for_ever(context: ToolContext) -> None:
    with anyio.CancelScope(shield=True):
        await anyio.sleep_forever()


async def shield_in_a_group(context: ToolContext) -> None:
    with anyio.CancelScope(shield=True):
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            await anyio.sleep_forever()


async def clean_up_for_ever(context: ToolContext) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep_forever()


STUBBORN = [
    swallow_cancellation,
    swallow_everything,
    swallow_everything_inside_new_scopes,
    shield_for_ever,
    shield_in_a_group,
    clean_up_for_ever,
]


@pytest.mark.parametrize("body", STUBBORN)
async def test_a_tool_that_will_not_stop_is_abandoned_when_its_grace_is_over(
    body: Stubborn,
) -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(body))
    stage.tool("Other", Wait(20), Return("fine"))

    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Stubborn", "a"))
            await stage.clock.sleep(1)
            executor.abort()
            blocks = [answer.block for answer in await executor.drain()]
        async with stage.executor() as executor:
            executor.submit(use("Other", "b"))
            after = await executor.drain()

    assert blocks == [ResultBlock("a", WOULD_NOT_STOP, is_error=True)]
    assert stage.bodies.abandoned == [Abandoned("a", "Stubborn")]
    assert contents(after) == {"b": "fine"}


@pytest.mark.parametrize("body", STUBBORN)
async def test_a_tool_that_will_not_stop_when_its_time_is_over_is_abandoned(body: Stubborn) -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(body), timeout_seconds=3)

    async with stage, stage.executor() as executor:
        executor.submit(use("Stubborn", "a"))
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": WOULD_NOT_STOP}
    assert stage.bodies.abandoned == [Abandoned("a", "Stubborn")]
    assert 3 <= ended_at <= 8


@pytest.mark.parametrize("body", STUBBORN)
async def test_nothing_is_about_to_run_once_a_stubborn_tool_was_abandoned(body: Stubborn) -> None:
    stage = Stage(moves=False)
    stage.tool("Stubborn", Do(body))

    async with stage, stage.executor() as executor:
        executor.submit(use("Stubborn", "a"))
        await stage.clock.advance(1)
        executor.abort()
        await stage.clock.advance(10)
        idle = await is_idle()
        answers = executor.results()

    assert idle
    assert contents(answers) == {"a": WOULD_NOT_STOP}


@pytest.mark.parametrize("body", STUBBORN)
async def test_leaving_the_session_ends_past_a_stubborn_tool(body: Stubborn) -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(body))

    async with stage:
        executor = stage.executor()
        executor.submit(use("Stubborn", "a"))
        await stage.clock.sleep(1)

    assert contents(executor.answers()) == {"a": WOULD_NOT_STOP}
    assert stage.bodies.abandoned == [Abandoned("a", "Stubborn")]


@pytest.mark.parametrize("body", STUBBORN)
async def test_a_cancelled_session_ends_past_a_stubborn_tool(body: Stubborn) -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(body))

    async with stage.clock:
        with anyio.CancelScope() as session:
            async with stage.bodies, stage.executor() as executor:
                executor.submit(use("Stubborn", "a"))
                await stage.clock.sleep(1)
                session.cancel()
                await executor.drain()

    assert contents(executor.answers()) == {"a": WOULD_NOT_STOP}
    assert stage.bodies.abandoned == [Abandoned("a", "Stubborn")]


async def test_the_slot_of_an_abandoned_tool_is_free_again() -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(swallow_everything_inside_new_scopes), timeout_seconds=1)
    stage.tool("Other", Return("fine"))

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("Stubborn", "a"))
        executor.submit(use("Other", "b"))
        answers = await executor.drain()

    assert contents(answers) == {"a": WOULD_NOT_STOP, "b": "fine"}


async def test_a_call_that_waited_for_an_abandoned_one_goes() -> None:
    stage = Stage()
    stage.tool("Stubborn", IgnoreCancel(), traits=writes(Named("x")), timeout_seconds=1)
    stage.tool("Other", Return("fine"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Stubborn", "a"))
        executor.submit(use("Other", "b"))
        answers = await executor.drain()

    assert contents(answers) == {"a": WOULD_NOT_STOP, "b": "fine"}


async def test_a_thread_that_cannot_be_stopped_is_abandoned() -> None:
    stage = Stage(moves=False)
    blocked, release = threading.Event(), threading.Event()

    def block() -> None:
        blocked.set()
        release.wait(20)

    stage.tool("Thread", Do(lambda context: run_in_thread(block)))

    try:
        async with stage, stage.executor() as executor:
            executor.submit(use("Thread", "a"))
            await run_in_thread(lambda: blocked.wait(20))
            executor.abort()
            await stage.clock.advance(4.9)
            before = executor.results()
            await stage.clock.advance(0.2)
            after = executor.results()
            idle = await is_idle()
    finally:
        release.set()

    assert before == []
    assert contents(after) == {"a": WOULD_NOT_STOP}
    assert idle
    assert stage.bodies.abandoned == [Abandoned("a", "Thread")]


async def test_a_tool_that_polls_with_short_timeouts_is_not_taken_for_stubborn() -> None:
    stage = Stage()

    async def poll(context: ToolContext) -> None:
        for _ in range(300):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await anyio.sleep_forever()

    stage.tool("Poll", Do(poll), Return("fine"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Poll", "a"))
        answers = await executor.drain()

    assert contents(answers) == {"a": "fine"}
    assert stage.bodies.abandoned == []


async def test_a_tool_that_cleans_up_within_its_grace_is_waited_for() -> None:
    stage = Stage()
    cleaned: list[float] = []

    async def clean_up(context: ToolContext) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await stage.clock.sleep(4)
            cleaned.append(stage.clock.now())

    stage.tool("Tidy", Do(clean_up))

    async with stage, stage.executor() as executor:
        executor.submit(use("Tidy", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": texts.INTERRUPTED_BY_USER}
    assert cleaned == [5.0]
    assert stage.bodies.abandoned == []


async def test_a_tool_that_answers_when_it_is_cancelled_keeps_its_answer() -> None:
    stage = Stage()

    async def half(context: ToolContext) -> None:
        with anyio.move_on_after(1000):
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                return

    stage.tool("Half", Do(half), Return("half of it"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Half", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": "half of it"}


async def test_a_tool_that_never_returns_is_stopped_when_its_time_is_over() -> None:
    stage = Stage()
    stage.tool("Endless", Hang(), timeout_seconds=2.5)

    async with stage, stage.executor() as executor:
        executor.submit(use("Endless", "a"))
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {
        "a": "<tool_use_error>Endless did not finish within 2.5 seconds and was stopped."
        " Ask for less.</tool_use_error>"
    }
    assert ended_at == 2.5
    assert stage.bodies.abandoned == []


@pytest.mark.parametrize("seconds", [float("inf"), float("nan")])
async def test_a_time_that_never_comes_is_no_limit(seconds: float) -> None:
    stage = Stage()
    stage.tool("Slow", Wait(1000), Return("fine"), timeout_seconds=seconds)
    stage.tool("Timed", Hang(), timeout_seconds=5)

    async with stage, stage.executor() as executor:
        executor.submit(use("Slow", "a"))
        executor.submit(use("Timed", "b"))
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers)["a"] == "fine"
    assert ended_at == 1000


async def test_two_reasons_to_give_a_body_up_abandon_it_once() -> None:
    stage = Stage()
    stage.tool("Stubborn", Do(shield_for_ever), timeout_seconds=1)

    async with stage, stage.executor() as executor:
        executor.submit(use("Stubborn", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": WOULD_NOT_STOP}
    assert stage.bodies.abandoned == [Abandoned("a", "Stubborn")]


async def test_a_stubborn_tool_that_may_finish_is_abandoned_after_its_time_and_its_grace() -> None:
    stage = Stage()
    stage.tool(
        "Stubborn", Do(shield_for_ever), traits=writes(Named("x"), interrupt=Interrupt.BLOCK)
    )

    async with stage, stage.executor() as executor:
        executor.submit(use("Stubborn", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": WOULD_NOT_STOP}
    assert ended_at == 1 + 30 + 5
