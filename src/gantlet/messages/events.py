"""What surfaces are told while a turn runs: a closed union."""

from typing import TypeAlias

from gantlet.messages.blocks import Block
from gantlet.messages.call_events import (
    CallDeferred,
    CallFinished,
    CallProgressed,
    CallQueued,
    CallStarted,
    ContextChangeDropped,
    HookRan,
    HookStarted,
    PermissionAsked,
    PermissionDecided,
    StopHookSummary,
)
from gantlet.messages.message import AssistantMessage, UserMessage
from gantlet.messages.outcome import CompactionTrigger, NoticeLevel, TurnEnd
from gantlet.messages.stream import StreamEvent
from gantlet.messages.usage import ModelUsage, Usage
from gantlet.messages.value import value


@value
class TurnStarted:
    """Told when the user's words are accepted, before anything else of the turn."""

    prompt: UserMessage


@value
class StepStarted:
    """Told before each request to the model; the first step of a turn is 1."""

    step: int
    model: str


@value
class StreamAdvanced:
    """Told for each event of the reply's stream, before what follows from it."""

    event: StreamEvent


@value
class TextSpoken:
    """Told for each piece of text as it arrives."""

    text: str


@value
class ThinkingSpoken:
    """Told for each piece of thinking as it arrives."""

    text: str


@value
class BlockFinished:
    """Told when a block of the reply is complete, before the reply as a whole is."""

    block: Block
    message_id: str | None
    model: str | None


@value
class MessageFinished:
    """Told when a reply has ended, as it enters history."""

    message: AssistantMessage


@value
class ReplyLost:
    """Told when a reply broke off: its calls do not count, and nothing more is told of them."""

    call_ids: tuple[str, ...]
    reason: str


@value
class ToolsRevealed:
    """Told when deferred tools become visible to the model."""

    names: tuple[str, ...]


@value
class ResultsReady:
    """Told when each call of a reply has its result, in the one message that holds them all."""

    message: UserMessage


@value
class Retrying:
    """Told before a failed request is sent again; the first retry is attempt 1."""

    attempt: int
    delay_seconds: float
    reason: str
    max_attempts: int | None = None
    status: int | None = None


@value
class ModelSwitched:
    """Told when later requests go to another model."""

    before: str
    after: str
    reason: str


@value
class CompactionStarted:
    """Told when the history is about to be summarised."""

    trigger: CompactionTrigger


@value
class CompactionFailed:
    """Told when the history stays as it was, and why."""

    trigger: CompactionTrigger
    reason: str


@value
class Compacted:
    """Told when a new, shorter history has begun."""

    trigger: CompactionTrigger
    tokens_before: int
    tokens_after: int | None = None


@value
class Notice:
    """Told when the user should know something that is no part of the conversation."""

    level: NoticeLevel
    text: str
    call_id: str | None = None


@value
class SubagentTold:
    """Told for each event of a loop that a call of this one started."""

    call_id: str
    event: "Event"


@value
class TurnFinished:
    """Told last: why the turn ended and what it took; an unknown price makes the cost `None`.

    Attributes:
        limit: Which limit ended it, if one did: `max_turns`, `max_budget_usd`, `max_output_tokens`
            or `max_seconds`.
    """

    reason: TurnEnd
    usage: Usage
    cost_usd: float | None = None
    steps: int = 0
    duration_seconds: float = 0.0
    model_seconds: float = 0.0
    by_model: tuple[ModelUsage, ...] = ()
    errors: tuple[str, ...] = ()
    error_kind: str = ""
    error_status: int | None = None
    limit: str = ""


Event: TypeAlias = (
    TurnStarted
    | StepStarted
    | StreamAdvanced
    | TextSpoken
    | ThinkingSpoken
    | BlockFinished
    | MessageFinished
    | CallQueued
    | CallStarted
    | CallProgressed
    | CallFinished
    | CallDeferred
    | ReplyLost
    | ContextChangeDropped
    | PermissionAsked
    | PermissionDecided
    | HookStarted
    | HookRan
    | StopHookSummary
    | ToolsRevealed
    | ResultsReady
    | Retrying
    | ModelSwitched
    | CompactionStarted
    | CompactionFailed
    | Compacted
    | Notice
    | SubagentTold
    | TurnFinished
)
