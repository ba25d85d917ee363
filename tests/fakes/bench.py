"""A session around the executor: everything real, except who decides and what time it is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio

from fakes.permissions import AllowingPermission
from gantlet.execution import Answer, Bodies, ExecutionSettings, Executor, Services, Spill
from gantlet.hooks import Hooks, NoHooks
from gantlet.messages import Event, ToolUse
from gantlet.permissions import Permission
from gantlet.pool import assemble
from gantlet.testing import VirtualClock
from gantlet.tool import AnyTool, Surroundings

_E = TypeVar("_E")


@dataclass(slots=True)
class Bench:
    """Runs the calls of one reply through a real executor, under a clock that starts at 100.

    Attributes:
        folder: The working directory; spilled results go below it.
        events: What surfaces were told.
        meanwhile: What to do once every call was submitted.
    """

    tools: Iterable[AnyTool]
    folder: Path
    permission: Permission = field(default_factory=AllowingPermission)
    hooks: Hooks = field(default_factory=NoHooks)
    settings: ExecutionSettings = field(default_factory=ExecutionSettings)
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(100.0))
    events: list[Event] = field(default_factory=list)
    emit: Callable[[Event], None] | None = None
    before_run: Callable[[ToolUse], None] = lambda call: None
    reveal: Callable[[str], None] = lambda name: None
    meanwhile: Callable[[Executor], object] = lambda executor: None
    spill: Spill = field(init=False)

    def __post_init__(self) -> None:
        self.spill = Spill(self.folder / "tool-results")

    @property
    def spilled(self) -> list[Path]:
        """The files of results that were too big, by name."""
        return sorted(self.spill.folder.iterdir()) if self.spill.folder.exists() else []

    def told(self, kind: type[_E]) -> list[_E]:
        """Return the events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    async def answers(self, *calls: ToolUse) -> list[Answer]:
        """Submit calls and return their answers, in order."""
        with anyio.fail_after(60):
            async with self.clock, Bodies(self.clock) as bodies:
                surroundings = Surroundings(cwd=str(self.folder))
                async with Executor(
                    self._services(), bodies, surroundings, self.settings
                ) as executor:
                    for call in calls:
                        executor.submit(call, "msg_1")
                    self.meanwhile(executor)
                    return await executor.drain()

    async def answer(self, call: ToolUse) -> Answer:
        """Submit one call and return its answer."""
        [answer] = await self.answers(call)
        return answer

    def _services(self) -> Services:
        """Return the session as the pipeline sees it."""
        return Services(
            pool=assemble(self.tools),
            permission=self.permission,
            hooks=self.hooks,
            spill=self.spill,
            emit=self.emit or self.events.append,
            before_run=self.before_run,
            reveal=self.reveal,
        )
