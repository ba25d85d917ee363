"""A reply that is over holds nothing in a circle, so that nobody has to look for garbage."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from execution_kit import SAFE, FreeTool, Stage, use
from gantlet.execution import Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.permissions import ReadOnlyPermission
from gantlet.pool import assemble
from gantlet.tool import Surroundings, Tool, ToolContext, ToolError, Traits


class Look(Tool[object]):
    """Looks, and says so."""

    name = "Look"
    description = "Looks."
    input_schema = {"type": "object"}  # noqa: RUF012 - the contract declares it so

    def traits(self, args: object) -> Traits:
        """Disturb nobody."""
        return SAFE

    async def run(self, args: object, context: ToolContext) -> str:
        """Look."""
        context.report("looking")
        return "seen"


async def test_a_reply_that_is_over_goes_without_being_looked_for(tmp_path: Path) -> None:
    told: list[str] = []
    services = Services(
        assemble([Look()]),
        ReadOnlyPermission(),
        NoHooks(),
        Spill(tmp_path / "results"),
        lambda event: told.append(type(event).__name__),
    )
    gc.collect()
    gc.disable()
    try:
        async with Bodies() as bodies:
            async with Executor(services, bodies, Surroundings("/")) as executor:
                for number in range(3):
                    executor.submit(use("Look", f"c{number}"))
                answers = await executor.drain()
            held: list[weakref.ref[Any]] = [
                weakref.ref(tracked.way) for tracked in executor._calls if tracked.way is not None
            ]
            held.append(weakref.ref(executor))
            del executor
        left = [one() for one in held if one() is not None]
    finally:
        gc.enable()

    assert [answer.outcome.content for answer in answers] == ["seen"] * 3
    assert told.count("CallFinished") == 3
    assert left == []


async def wait(context: ToolContext) -> str:
    """Let others work."""
    await asyncio.sleep(0)
    return "seen"


async def fail(context: ToolContext) -> str:
    """Fail at once."""
    raise ToolError("nothing to see")


async def fail_later(context: ToolContext) -> str:
    """Fail after others have worked."""
    await asyncio.sleep(0)
    raise ToolError("nothing to see")


async def never_end(context: ToolContext) -> str:
    """Wait until somebody stops it."""
    await anyio.sleep_forever()
    return "never"


async def leave_a_scope(context: ToolContext) -> str:
    """Fail in a scope that is never left."""
    anyio.CancelScope().__enter__()
    raise ToolError("nothing to see")


@pytest.mark.parametrize(
    "run", [wait, fail, fail_later, never_end, leave_a_scope], ids=lambda run: run.__name__
)
async def test_a_reply_goes_however_its_calls_ended(
    run: Callable[[ToolContext], Awaitable[str]],
) -> None:
    stage = Stage()
    stage.tools.append(FreeTool("Look", run))
    gc.collect()
    gc.disable()
    try:
        async with stage:
            async with stage.executor() as executor:
                for number in range(3):
                    executor.submit(use("Look", f"c{number}"))
                for _ in range(5):
                    await asyncio.sleep(0)
                if run is never_end:
                    executor.abort()
                answers = await executor.drain()
            held: list[weakref.ref[Any]] = [
                weakref.ref(tracked.way) for tracked in executor._calls if tracked.way is not None
            ]
            held.append(weakref.ref(executor))
            del executor
            for _ in range(5):
                await asyncio.sleep(0)
            left = [one() for one in held if one() is not None]
    finally:
        gc.enable()

    assert len(answers) == len(held) - 1 == 3
    assert left == []
