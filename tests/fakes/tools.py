"""A tool that does whatever a test hands it."""

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from gantlet.messages import ToolUse
from gantlet.tool import READS_ONLY, Rejected, Tool, ToolContext, ToolInput, Traits, Vote


class FakeInput(ToolInput):
    """Something to tell calls apart by."""

    text: str = ""
    count: int = 0


Action: TypeAlias = Callable[[FakeInput, ToolContext], Any]


def _say_done(args: FakeInput, context: ToolContext) -> str:
    """End well."""
    return "done"


class FakeTool(Tool[FakeInput]):
    """Runs one function, checks with another, and remembers what it was given.

    `seen` holds the args and the context of each run; `checked` those of each check before.
    """

    input_type = FakeInput
    description = "Does what a test says."

    def __init__(
        self,
        run: Action = _say_done,
        *,
        name: str = "Fake",
        check: Action | None = None,
        vote: Action | None = None,
        traits: Traits = READS_ONLY,
    ) -> None:
        self.name = name
        self.seen: list[tuple[FakeInput, ToolContext]] = []
        self.checked: list[tuple[FakeInput, ToolContext]] = []
        self._run = run
        self._check = check
        self._vote = vote
        self._traits = traits

    def traits(self, args: FakeInput) -> Traits:
        """Return the traits the test gave."""
        return self._traits

    async def validate_input(self, args: FakeInput, context: ToolContext) -> Rejected | None:
        """Ask the test's own check."""
        self.checked.append((args, context))
        rejected: Rejected | None = await _done(self._check, args, context)
        return rejected

    async def check_permissions(self, args: FakeInput, context: ToolContext) -> Vote | None:
        """Ask the test's own voter."""
        vote: Vote | None = await _done(self._vote, args, context)
        return vote

    async def run(self, args: FakeInput, context: ToolContext) -> object:
        """Do what the test says."""
        self.seen.append((args, context))
        return await _done(self._run, args, context)


async def _done(action: Action | None, args: FakeInput, context: ToolContext) -> Any:
    """Return what an action returns, awaited where it must be; no action says nothing."""
    returned = None if action is None else action(args, context)
    return await returned if inspect.iscoroutine(returned) else returned


def raises(error: BaseException) -> Action:
    """Return an action that fails."""

    def fail(args: FakeInput, context: ToolContext) -> object:
        raise error

    return fail


def returns(value: object) -> Action:
    """Return an action that gives this value."""
    return lambda args, context: value


def fake_call(name: str = "Fake", call_id: str = "c1", **fields: Any) -> ToolUse:
    """Return a call."""
    return ToolUse(call_id, name, fields)
