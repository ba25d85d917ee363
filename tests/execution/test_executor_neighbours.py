"""Calls that end at once share a task; none feels what another one left behind in it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

import anyio
import pytest

from execution_kit import SAFE, FreeTool, Stage, contents, use, writes
from gantlet.execution import AbortKind, Executor
from gantlet.messages import CallStarted, Event
from gantlet.tool import Named, ToolContext

_SPOKEN: ContextVar[str] = ContextVar("_SPOKEN", default="nothing")
_ONE_AFTER_THE_OTHER = writes(Named("desk"), read_only=True)
#: What calls of this file hold on to, so that no collector undoes it.
_HELD: list[object] = []


async def leave_a_scope(context: ToolContext) -> str:
    """Enter a scope that ends soon, and never leave it."""
    scope = anyio.CancelScope(deadline=anyio.current_time())
    _HELD.append(scope)
    scope.__enter__()
    return "left"


async def leave_a_group(context: ToolContext) -> str:
    """Enter a group in which something fails, and never leave it."""
    group = anyio.create_task_group()
    await group.__aenter__()
    group.start_soon(fail)
    _HELD.append(group)
    return "left"


async def leave_a_timer(context: ToolContext) -> str:
    """Have the task cancelled later."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().call_later(0.001, task.cancel)
    return "left"


async def leave_a_timeout(context: ToolContext) -> str:
    """Set a time for the task, and never take it back."""
    timeout = asyncio.timeout(0.001)
    await timeout.__aenter__()
    _HELD.append(timeout)
    return "left"


async def cancel_itself(context: ToolContext) -> str:
    """Cancel the task, and end before it hears of that."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return "left"


async def cancel_itself_and_regret(context: ToolContext) -> str:
    """Cancel the task, and take that back, which does not take all of it back."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    task.uncancel()
    return "left"


async def fail() -> None:
    """Fail after a while."""
    await asyncio.sleep(0.001)
    raise ValueError("nobody waits for me")


async def patient(context: ToolContext) -> str:
    """Wait long enough to be hit by what others left."""
    await asyncio.sleep(0.05)
    return "done"


@pytest.mark.parametrize(
    "leave",
    [
        leave_a_scope,
        leave_a_group,
        leave_a_timer,
        leave_a_timeout,
        cancel_itself,
        cancel_itself_and_regret,
    ],
    ids=lambda leave: leave.__name__,
)
async def test_what_one_call_leaves_behind_hits_no_other(
    leave: Callable[[ToolContext], Awaitable[str]],
) -> None:
    stage = Stage()
    stage.tools += [FreeTool("Leave", leave), FreeTool("Patient", patient)]
    try:
        async with stage:
            async with stage.executor() as executor:
                for call_id, name in (("1", "Leave"), ("2", "Patient"), ("3", "Leave")):
                    executor.submit(use(name, call_id))
                answers = await executor.drain()
            async with stage.executor() as executor:
                executor.submit(use("Patient", "4"))
                answers += await executor.drain()
    finally:
        _HELD.clear()

    assert contents(answers) == {"1": "left", "2": "done", "3": "left", "4": "done"}


@pytest.mark.parametrize("is_stopped", [True, False], ids=["interrupted", "over in time"])
async def test_a_call_that_ends_in_a_scope_it_never_left_costs_only_itself(
    is_stopped: bool,
) -> None:
    began = anyio.Event()

    async def wait_inside(context: ToolContext) -> str:
        scope = anyio.CancelScope()
        scope.__enter__()
        if not is_stopped:
            scope.cancel()
        began.set()
        await anyio.sleep_forever()
        return "never"

    stage = Stage()
    stage.tools += [FreeTool("Inside", wait_inside), FreeTool("Patient", patient)]
    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Inside", "1"))
            await began.wait()
            if is_stopped:
                executor.abort()
            first = contents(await executor.drain())
        async with stage.executor() as executor:
            executor.submit(use("Patient", "2"))
            second = contents(await executor.drain())

    assert ("interrupted this call" if is_stopped else "broke with CancelledError") in str(first)
    assert second == {"2": "done"}


async def test_a_call_sees_the_variables_of_who_submitted_it_and_of_no_call_before() -> None:
    seen: list[str] = []

    async def speak(context: ToolContext) -> str:
        seen.append(_SPOKEN.get())
        _SPOKEN.set("something")
        return "said"

    stage = Stage()
    stage.tools.append(FreeTool("Speak", speak, traits=_ONE_AFTER_THE_OTHER))
    async with stage, stage.executor() as executor:
        _SPOKEN.set("a word")
        for number in range(3):
            executor.submit(use("Speak", str(number)))
        await executor.drain()

    assert seen == ["a word"] * 3
    assert _SPOKEN.get() == "a word"


@pytest.mark.parametrize("traits", [SAFE, _ONE_AFTER_THE_OTHER], ids=["at once", "in a row"])
async def test_calls_that_take_long_without_waiting_let_others_stop_them(traits: object) -> None:
    async def hold_the_thread(context: ToolContext) -> str:
        until = time.monotonic() + 0.02
        while time.monotonic() < until:
            pass
        return "done"

    async def stop(executor: Executor) -> None:
        await began.wait()
        executor.abort(AbortKind.USER)

    def listen(event: Event) -> None:
        if isinstance(event, CallStarted):
            began.set()

    began = anyio.Event()
    stage = Stage()
    stage.listener = listen
    stage.tools.append(FreeTool("Hold", hold_the_thread, traits=traits))  # type: ignore[arg-type]
    async with stage, stage.executor() as executor, anyio.create_task_group() as group:
        group.start_soon(stop, executor)
        for number in range(20):
            executor.submit(use("Hold", str(number)))
        answers = await executor.drain()

    assert len(answers) == 20
    assert 1 <= list(contents(answers).values()).count("done") < 20


async def test_what_a_call_cancels_around_the_session_stops_those_behind_it() -> None:
    around = anyio.CancelScope()
    ran: list[str] = []

    async def cancel_all(context: ToolContext) -> str:
        around.cancel()
        return "cancelled"

    async def note(context: ToolContext) -> str:
        ran.append(context.call.id)
        return "ran"

    stage = Stage()
    stage.tools += [FreeTool("Cancel", cancel_all), FreeTool("Note", note)]
    with around:
        async with stage, stage.executor() as executor:
            executor.submit(use("Cancel", "1"))
            for number in range(2, 5):
                executor.submit(use("Note", str(number)))
            await executor.drain()

    assert ran == []
    assert len(executor.answers()) == 4


async def test_calls_whose_task_is_cancelled_before_it_begins_have_their_answers() -> None:
    """Cancel it as asyncio does when a program ends by Ctrl-C."""
    stage = Stage(moves=False)
    stage.tools.append(FreeTool("Patient", patient))
    async with stage, stage.executor() as executor:
        for number in range(3):
            executor.submit(use("Patient", str(number)))
        for task in asyncio.all_tasks():
            if "_take" in task.get_name():
                task.cancel()

    assert [answer.call.id for answer in executor.answers()] == ["0", "1", "2"]
    assert "was not run" in str(executor.answers()[0].block.content)


@pytest.mark.parametrize("is_timed", [True, False], ids=["its time is over", "interrupted"])
async def test_a_call_that_leaves_the_program_while_it_is_stopped_only_fails(
    is_timed: bool,
) -> None:
    began = anyio.Event()

    async def leave(context: ToolContext) -> str:
        began.set()
        try:
            await anyio.sleep_forever()
        finally:
            raise SystemExit(3)

    stage = Stage()
    tool = FreeTool("Leave", leave)
    tool.timeout_seconds = 1.0 if is_timed else None
    stage.tools += [tool, FreeTool("Patient", patient)]
    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Leave", "1"))
            await began.wait()
            if not is_timed:
                executor.abort()
            first = contents(await executor.drain())
        async with stage.executor() as executor:
            executor.submit(use("Patient", "2"))
            second = contents(await executor.drain())

    assert "Leave broke with SystemExit" in str(first["1"])
    assert second == {"2": "done"}
