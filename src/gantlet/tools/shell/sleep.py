"""Wait for some time."""

import anyio
from pydantic import Field

from gantlet.tool import (
    TOUCHES_NOTHING,
    Interrupt,
    Ports,
    Tool,
    ToolContext,
    ToolInput,
    Traits,
)
from gantlet.tool.background import BACKGROUND_TASKS, BackgroundTasks

_MAX_SECONDS = 3600.0


class SleepInput(ToolInput):
    """How long to wait."""

    duration_ms: float = Field(
        ge=0, le=_MAX_SECONDS * 1000, description="Milliseconds to wait, up to an hour."
    )


class Sleep(Tool[SleepInput]):
    """Waits, without a process, and wakes up early for news."""

    name = "Sleep"
    search_hint = "wait pause delay until later"
    description = (
        "Wait for some time. Ends early when a background task has something to tell, and whenever"
        " the user says something. Better than `sleep` in a shell: nothing runs meanwhile."
    )
    input_type = SleepInput

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._tasks = tasks

    @classmethod
    def build(cls, ports: Ports) -> "Sleep":
        """Take the tasks of this session, whose news end the wait."""
        return cls(ports.need(BACKGROUND_TASKS))

    def traits(self, args: SleepInput) -> Traits:
        """Touches nothing, and can be cut short at any time."""
        return Traits(
            read_only=True, access=TOUCHES_NOTHING, interrupt=Interrupt.CANCEL, open_world=False
        )

    async def run(self, args: SleepInput, context: ToolContext) -> str:
        """Wait."""
        began = anyio.current_time()
        with anyio.move_on_after(args.duration_ms / 1000):
            await self._tasks.wait_for_news()
            waited = anyio.current_time() - began
            return f"Woke after {waited:.1f}s: a background task has news."
        return f"Waited {args.duration_ms / 1000:g}s."
