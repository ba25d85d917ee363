"""Tools that do exactly what a test says, at exact moments, and a reply that asks for them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from typing import TypeAlias

import anyio

from gantlet.messages import ToolUse
from gantlet.messages.value import slotted, value
from gantlet.testing.clock import VirtualClock
from gantlet.tool import (
    EXCLUSIVE,
    Access,
    ContextModifier,
    Interrupt,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
)


@value
class Wait:
    """Do nothing for so many of the clock's seconds."""

    seconds: float


@value
class Report:
    """Report progress."""

    update: object


@value
class Fail:
    """End with a failure the model can read, or, as a bug, with one it should not see."""

    message: str
    is_bug: bool = False
    is_benign: bool = False


@value
class Hang:
    """Never come back, until cancelled."""


@value
class IgnoreCancel:
    """Never come back, and swallow every cancellation."""


@value
class Do:
    """Do something of the test's own."""

    action: Callable[[ToolContext], object]


@value
class Return:
    """End with this value."""

    value: object = "done"
    modifier: ContextModifier | None = None


Step: TypeAlias = Wait | Report | Fail | Hang | IgnoreCancel | Do | Return


@value
class Entry:
    """One line of a journal: at this time, this call started or ended."""

    at: float
    call_id: str
    what: str


@slotted
class Journal:
    """What scripted tools did, in the order in which it happened."""

    entries: list[Entry] = field(default_factory=list)

    def note(self, at: float, call_id: str, what: str) -> None:
        """Add a line."""
        self.entries.append(Entry(at, call_id, what))

    def started(self) -> list[str]:
        """Return the ids of the calls that started, in order."""
        return [entry.call_id for entry in self.entries if entry.what == "started"]

    def spans(self) -> dict[str, tuple[float, float]]:
        """Return when each call began and ended; one that never ended has the last moment."""
        last = self.entries[-1].at if self.entries else 0.0
        began = {entry.call_id: entry.at for entry in self.entries if entry.what == "started"}
        ended = {entry.call_id: entry.at for entry in self.entries if entry.what == "ended"}
        return {call_id: (at, ended.get(call_id, last)) for call_id, at in began.items()}


class ScriptedInput(ToolInput):
    """A scripted tool takes a note, so that two calls can differ."""

    note: str = ""


class ScriptedTool(Tool[ScriptedInput]):
    """A tool whose every call goes through the same steps."""

    input_type = ScriptedInput

    def __init__(
        self,
        name: str,
        steps: Sequence[Step] = (),
        *,
        clock: VirtualClock,
        journal: Journal | None = None,
        traits: Traits | None = None,
        access: Access = EXCLUSIVE,
        read_only: bool = True,
        interrupt: Interrupt | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        self.name = name
        self.description = f"Does what its script says: {name}."
        self.steps = tuple(steps)
        self.timeout_seconds = timeout_seconds
        self.journal = journal or Journal()
        self._clock = clock
        self._traits = traits or Traits(
            read_only=read_only, access=access, interrupt=interrupt, open_world=False
        )

    def traits(self, args: ScriptedInput) -> Traits:
        """Return the traits the test gave."""
        return self._traits

    async def run(self, args: ScriptedInput, context: ToolContext) -> object:
        """Go through the steps."""
        call_id = context.call.id
        self.journal.note(self._clock.now(), call_id, "started")
        try:
            for step in self.steps:
                if isinstance(step, Return):
                    return ToolResult(step.value, context_modifier=step.modifier)
                await self._take(step, context)
        finally:
            self.journal.note(self._clock.now(), call_id, "ended")
        return "done"

    async def _take(self, step: Step, context: ToolContext) -> None:
        """Take one step."""
        match step:
            case Wait(seconds):
                await self._clock.sleep(seconds)
            case Report(update):
                context.progress(update)
            case Fail(message, is_bug, is_benign):
                raise RuntimeError(message) if is_bug else ToolError(message, is_benign=is_benign)
            case Do(action):
                await _done(action(context))
            case _:
                await _never_come_back(ignores_cancel=isinstance(step, IgnoreCancel))


async def _done(value: object) -> None:
    """Wait for what an action returned, if it can be waited for."""
    if isinstance(value, Awaitable):
        await value


async def _never_come_back(*, ignores_cancel: bool) -> None:
    """Wait for ever, until cancelled or whatever anybody says."""
    while True:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            if not ignores_cancel:
                raise


@value
class Say:
    """A moment of a scripted reply: after so many seconds, something happens."""

    after: float
    what: ToolUse | Callable[[], object]


async def play(
    moments: Sequence[Say], clock: VirtualClock, submit: Callable[[ToolUse], object]
) -> None:
    """Play a reply: wait, then submit the call or do what the moment says, one after another."""
    for moment in moments:
        if moment.after > 0:
            await clock.sleep(moment.after)
        if isinstance(moment.what, ToolUse):
            submit(moment.what)
        else:
            await _done(moment.what())
