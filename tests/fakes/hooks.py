"""Hooks that say what a test wrote down for them, and remember what they were told."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from gantlet.hooks import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    HookEvent,
    Moment,
    NoHooks,
)
from gantlet.messages import Notice, NoticeLevel
from gantlet.tool import ToolResult

#: What hooks can say that is no answer.
HOOK_FAILURES: list[object] = [
    RuntimeError("boom"),
    asyncio.CancelledError(),
    SystemExit(1),
    GeneratorExit(),
    None,
    "allow",
]


def told_of_failure(when: str, said: str) -> Notice:
    """Return what the user is told when a hook failed."""
    return Notice(NoticeLevel.WARNING, f"A hook failed {when} Fake: {said}", "c1")


@dataclass(slots=True)
class ScriptedHooks(NoHooks):
    """Answers with the given values; an exception is raised, nonsense returned as it is.

    Attributes:
        listens: The events for which somebody listens.
        told: Each event that came, with the moment and what came along.
        asked: Each question whether somebody listens.
    """

    before_says: object = NOTHING_BEFORE
    after_says: object = NOTHING_AFTER
    failure_says: object = NOTHING_AFTER
    listens: Collection[HookEvent] = tuple(HookEvent)
    told: list[tuple[HookEvent, Moment, object]] = field(default_factory=list)
    asked: list[tuple[HookEvent, str]] = field(default_factory=list)

    @property
    def events(self) -> list[HookEvent]:
        """The events that came, in order."""
        return [event for event, _, _ in self.told]

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return whether somebody listens."""
        self.asked.append((event, subject))
        return event in self.listens

    async def before(self, moment: Moment) -> BeforeCall:
        """Say what was written down for before."""
        self.told.append((HookEvent.PRE_TOOL_USE, moment, None))
        answer: BeforeCall = _spoken(self.before_says)
        return answer

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Say what was written down for after."""
        self.told.append((HookEvent.POST_TOOL_USE, moment, output))
        answer: AfterCall = _spoken(self.after_says)
        return answer

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Say what was written down for a failure."""
        self.told.append((HookEvent.POST_TOOL_USE_FAILURE, moment, message))
        answer: AfterCall = _spoken(self.failure_says)
        return answer


def _spoken(answer: object) -> Any:
    """Return an answer of the script, or raise it."""
    if isinstance(answer, BaseException):
        raise answer
    return answer
