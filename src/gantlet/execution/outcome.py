"""How a call ended: exactly one of these, always."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from gantlet.messages import Message, OutcomeKind, ResultBlock, ToolUse, dumps
from gantlet.messages.frozen import NOTHING_EXTRA
from gantlet.messages.value import slotted, value
from gantlet.permissions import Decision
from gantlet.tool import ContextModifier, ResultContent, ToolResult


@value
class Succeeded:
    """The tool gave its output, and this is what the model reads of it."""

    output: ToolResult[object]
    content: ResultContent


@value
class Failed:
    """The tool failed.

    Attributes:
        is_benign: The failure is an answer ("nothing found"), and says nothing about other calls.
    """

    content: ResultContent
    message: str
    error_class: str
    is_benign: bool = False


@value
class Invalid:
    """The call could not be made: no such tool, or an input that does not fit."""

    content: str
    message: str
    code: int = 0


@value
class Denied:
    """The call may not run."""

    content: ResultContent
    decision: Decision


@value
class Cancelled:
    """Something other than the user stopped the call: a failed sibling, a lost reply."""

    content: str


@value
class Interrupted:
    """The user stopped the call."""

    content: str


@value
class Unknown:
    """The call was started, and nobody knows what became of it."""

    content: str


Outcome: TypeAlias = Succeeded | Failed | Invalid | Denied | Cancelled | Interrupted | Unknown


class AuditEvent(StrEnum):
    """What the audit trail calls the end of a call."""

    SUCCESS = "tool_use_success"
    ERROR = "tool_use_error"
    CANCELLED = "tool_use_cancelled"
    REJECTED = "tool_use_can_use_tool_rejected"
    POST_HOOK_ERROR = "post_tool_hook_error"


_KINDS: Mapping[type[Outcome], tuple[OutcomeKind, AuditEvent]] = {
    Succeeded: (OutcomeKind.SUCCEEDED, AuditEvent.SUCCESS),
    Failed: (OutcomeKind.FAILED, AuditEvent.ERROR),
    Invalid: (OutcomeKind.INVALID, AuditEvent.ERROR),
    Denied: (OutcomeKind.DENIED, AuditEvent.REJECTED),
    Cancelled: (OutcomeKind.CANCELLED, AuditEvent.CANCELLED),
    Interrupted: (OutcomeKind.INTERRUPTED, AuditEvent.CANCELLED),
    Unknown: (OutcomeKind.UNKNOWN, AuditEvent.ERROR),
}


def ending_of(outcome: Outcome) -> tuple[OutcomeKind, AuditEvent]:
    """Return the outcome's name, and what the audit trail calls it."""
    return _KINDS[type(outcome)]


@slotted
class CallRecord:
    """What the audit trail keeps of a call; times are the clock's seconds."""

    call_id: str
    tool_name: str
    message_id: str
    queued_at: float
    started_at: float | None = None
    ended_at: float | None = None
    decision: Decision | None = None
    outcome: OutcomeKind | None = None
    event: AuditEvent | None = None
    error_class: str = ""
    result_chars: int = 0
    input_snapshot: Mapping[str, object] | None = None
    waited_for: list[str] = field(default_factory=list)
    post_hook_error: str = ""
    #: Only there to be measured, should somebody ask.
    measured: Mapping[str, object] = field(default=NOTHING_EXTRA, repr=False, compare=False)

    @property
    def input_chars(self) -> int:
        """How long the input is as JSON; what cannot be written has no length."""
        try:
            return len(dumps(self.measured).decode("utf-8"))
        except (TypeError, ValueError):
            return 0

    @property
    def events(self) -> tuple[AuditEvent, ...]:
        """Everything the audit trail tells of this call: how it ended, and a hook that failed."""
        ended = () if self.event is None else (self.event,)
        return (*ended, AuditEvent.POST_HOOK_ERROR) if self.post_hook_error else ended


@slotted
class Answer:
    """All that one call leaves behind. It is not changed any more once it is made.

    Attributes:
        block: The one result the model reads.
        structured: The result for programs; `Error: …` where there is none.
        context: What hooks want the model to read beside it.
        stop: Why the turn should end here.
        modifier: A change for later calls, if this one may make it.
    """

    call: ToolUse
    outcome: Outcome
    block: ResultBlock
    record: CallRecord
    structured: object = None
    new_messages: tuple[Message, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    stop: str | None = None
    defers: bool = False
    modifier: ContextModifier | None = None
