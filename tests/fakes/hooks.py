"""Hooks that say what a test wrote down for them, and remember what they were told."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from gantlet.hooks import NOTHING_AFTER, NOTHING_BEFORE, AfterCall, BeforeCall, CallEvent, Moment
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
class ScriptedHooks:
    """Answers with the given values; an exception is raised, nonsense returned as it is.

    Attributes:
        listens: The events for which somebody listens.
        told: Each event that came, with the moment and what came along.
        asked: Each question whether somebody listens.
    """

    before_says: object = NOTHING_BEFORE
    after_says: object = NOTHING_AFTER
    failure_says: object = NOTHING_AFTER
    listens: Collection[CallEvent] = tuple(CallEvent)
    told: list[tuple[CallEvent, Moment, object]] = field(default_factory=list)
    asked: list[tuple[CallEvent, str]] = field(default_factory=list)

    @property
    def events(self) -> list[CallEvent]:
        """The events that came, in order."""
        return [event for event, _, _ in self.told]

    def wants(self, event: CallEvent, tool_name: str) -> bool:
        """Return whether somebody listens."""
        self.asked.append((event, tool_name))
        return event in self.listens

    async def before(self, moment: Moment) -> BeforeCall:
        """Say what was written down for before."""
        self.told.append((CallEvent.BEFORE, moment, None))
        answer: BeforeCall = _spoken(self.before_says)
        return answer

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Say what was written down for after."""
        self.told.append((CallEvent.AFTER, moment, output))
        answer: AfterCall = _spoken(self.after_says)
        return answer

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Say what was written down for a failure."""
        self.told.append((CallEvent.AFTER_FAILURE, moment, message))
        answer: AfterCall = _spoken(self.failure_says)
        return answer


def _spoken(answer: object) -> Any:
    """Return an answer of the script, or raise it."""
    if isinstance(answer, BaseException):
        raise answer
    return answer
