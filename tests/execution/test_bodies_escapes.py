"""Nothing that a tool raises ends more than its call: not even what only we may raise."""

import asyncio
import contextlib
from collections.abc import Callable

import anyio
import pytest

from execution_kit import FreeTool, Stage, use
from gantlet.execution import Answer
from gantlet.messages import OutcomeKind
from gantlet.testing import Return, Wait
from gantlet.tool import ToolContext

#: What ends more than a call if nobody holds it, made anew for each call.
ESCAPES: dict[str, Callable[[], BaseException]] = {
    "closing": GeneratorExit,
    "cancellation": asyncio.CancelledError,
    "cancellations": lambda: BaseExceptionGroup("several", [asyncio.CancelledError()]),
    "closings": lambda: BaseExceptionGroup("several", [GeneratorExit()]),
    "exit": SystemExit,
}
each_escape = pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)


class PlainTool(FreeTool):
    """A tool whose `run` is no coroutine; what it returns is awaited by us."""

    def run(self, args: object, context: ToolContext) -> object:  # type: ignore[override]
        """Do what the test says."""
        return self._run(context)


async def _answered(stage: Stage, *, is_interrupted: bool = False) -> list[Answer]:
    """Return the answers of an odd call and of one beside it, and of one in the next reply."""
    stage.tool("Other", Wait(1), Return("fine"))
    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Odd", "a"))
            executor.submit(use("Other", "b"))
            if is_interrupted:
                await asyncio.sleep(0)
                executor.abort()
            answers = await executor.drain()
        async with stage.executor() as executor:
            executor.submit(use("Other", "c"))
            answers += await executor.drain()
    return answers


@each_escape
async def test_what_a_tool_has_somebody_else_raise_for_it_costs_only_its_call(
    escape: Callable[[], BaseException],
) -> None:
    stage = Stage()

    def run(context: ToolContext) -> asyncio.Future[str]:
        failed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        failed.set_exception(escape())
        return failed

    stage.tools.append(PlainTool("Odd", run))
    answers = await _answered(stage)

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.FAILED,
        OutcomeKind.SUCCEEDED,
        OutcomeKind.SUCCEEDED,
    ]


@each_escape
@pytest.mark.parametrize("waits", [False, True], ids=["at once", "later"])
async def test_what_is_raised_in_a_cancelled_scope_that_was_left_open_costs_only_its_call(
    escape: Callable[[], BaseException], waits: bool
) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> object:
        if waits:
            await asyncio.sleep(0)
        scope = anyio.CancelScope()
        scope.__enter__()
        scope.cancel()
        raise escape()

    stage.tools.append(FreeTool("Odd", run))
    answers = await _answered(stage)

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.FAILED,
        OutcomeKind.SUCCEEDED,
        OutcomeKind.SUCCEEDED,
    ]


@each_escape
async def test_what_a_tool_raises_when_it_is_interrupted_does_not_end_the_session(
    escape: Callable[[], BaseException],
) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> object:
        try:
            await anyio.sleep_forever()
        finally:
            raise escape()

    stage.tools.append(FreeTool("Odd", run))
    first, second, third = await _answered(stage, is_interrupted=True)

    assert first.record.outcome in {OutcomeKind.INTERRUPTED, OutcomeKind.FAILED}
    assert second.record.outcome is OutcomeKind.INTERRUPTED
    assert third.record.outcome is OutcomeKind.SUCCEEDED


@pytest.mark.parametrize("waits", [False, True], ids=["at once", "later"])
async def test_a_cancellation_of_the_tools_own_beside_ours_does_not_end_the_session(
    waits: bool,
) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> object:
        if waits:
            with contextlib.suppress(asyncio.CancelledError):
                await anyio.sleep_forever()
        else:
            abort()
        raise asyncio.CancelledError

    stage.tools.append(FreeTool("Odd", run))
    stage.tool("Other", Wait(1), Return("fine"))
    async with stage:
        async with stage.executor() as executor:
            abort = executor.abort
            executor.submit(use("Odd", "a"))
            await asyncio.sleep(0)
            executor.abort()
            first = await executor.drain()
        async with stage.executor() as executor:
            executor.submit(use("Other", "b"))
            second = await executor.drain()

    assert [answer.record.outcome for answer in first] == [OutcomeKind.INTERRUPTED]
    assert [answer.record.outcome for answer in second] == [OutcomeKind.SUCCEEDED]
