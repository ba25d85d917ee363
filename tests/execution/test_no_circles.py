"""A reply that is over holds nothing in a circle, so that nobody has to look for garbage."""

import gc
import weakref
from pathlib import Path
from typing import Any

from execution_kit import SAFE, use
from gantlet.execution import Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.permissions import ReadOnlyPermission
from gantlet.pool import assemble
from gantlet.tool import Surroundings, Tool, ToolContext, Traits


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
