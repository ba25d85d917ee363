"""One call as the executor follows it, and the states it goes through."""

from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import field
from enum import Enum
from typing import Any

import anyio

from gantlet.execution.abort import AbortScope
from gantlet.execution.bodies import Body
from gantlet.execution.call import Prepared
from gantlet.execution.effects import Effect
from gantlet.execution.outcome import Answer, CallRecord, Outcome
from gantlet.messages import CallProgress, ToolUse
from gantlet.messages.value import slotted


class State(Enum):
    """How far a call has come."""

    #: Waits for earlier calls that it conflicts with.
    QUEUED = "queued"
    #: On its way through the pipeline; what it touches is reserved.
    EXECUTING = "executing"
    #: Has its one answer.
    COMPLETED = "completed"
    #: Its answer was handed out, in its turn.
    YIELDED = "yielded"


#: Looked up once: every call goes through them.
QUEUED = State.QUEUED
EXECUTING = State.EXECUTING
COMPLETED = State.COMPLETED
YIELDED = State.YIELDED


@slotted
class Tracked:
    """A call, its place in the reply, and how far it has come.

    Attributes:
        answer: Its one answer, once it has it.
        asked: What the model asked for; what is run may have been changed on the way.
        context: The variables it sees: those of whoever submitted it, and no other call's.
        is_alone: The call asked for everything, and so has the floor to itself.
        way: Its way through the pipeline, while it is on it.
        regranted: Set when what it touches since it was changed is free.
        effect: What it did for a lost reply, for which it was not run again.
        call_off: What to do once it has its answer.
    """

    position: int
    asked: ToolUse
    prepared: Prepared
    record: CallRecord
    abort: AbortScope
    message_id: str = ""
    state: State = QUEUED
    answer: Answer | None = None
    context: Context = field(default_factory=copy_context)
    is_alone: bool = False
    way: Body[Any] | None = None
    regranted: anyio.Event | None = None
    effect: Effect | None = None
    call_off: list[Callable[[], None]] = field(default_factory=list)

    __eq__ = object.__eq__  # each is its own, whatever it holds
    __hash__ = object.__hash__

    @property
    def is_done(self) -> bool:
        """Whether the call has its answer."""
        return self.answer is not None

    @property
    def is_running(self) -> bool:
        """Whether the tool's own code runs just now."""
        return self.way is not None and self.way.is_in_part

    @property
    def has_run(self) -> bool:
        """Whether the tool was started."""
        return self.record.started_at is not None

    @property
    def progress(self) -> CallProgress:
        """How far it has come, as a model is told that wants to know."""
        if self.is_done:
            return CallProgress.DONE
        if not self.has_run:
            return CallProgress.WAITING
        return CallProgress.RUNNING if self.is_running else CallProgress.ENDING

    def effect_of(self, outcome: Outcome) -> Effect | None:
        """Return what must not happen again if the reply is lost after this outcome."""
        if self.effect is None and self.has_run and not self.prepared.traits.read_only:
            return Effect(self.asked.name, self.asked.input, outcome)
        return self.effect

    @property
    def name(self) -> str:
        """The name the model used."""
        return self.prepared.call.name
