"""What one turn keeps while it runs, and what comes of it."""

from dataclasses import field

from gantlet.execution import Answer
from gantlet.loop.continuing import Continuing
from gantlet.loop.conversation import Conversation
from gantlet.loop.limits import LimitHit, Limits, Meter
from gantlet.loop.repetition import Repetition
from gantlet.loop.turn_result import TurnResult
from gantlet.messages import (
    AssistantMessage,
    ModelError,
    ModelRequest,
    StopReason,
    ToolUse,
    TurnEnd,
    TurnFinished,
)
from gantlet.messages.value import slotted


class EndTurn(Exception):  # noqa: N818 - no error: the way out of the steps
    """The turn ends here.

    Attributes:
        limit: The name of the limit that was reached, if it was one.
    """

    def __init__(self, reason: TurnEnd, message: str = "", limit: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.limit = limit

    @classmethod
    def at(cls, hit: LimitHit) -> "EndTurn":
        """Return the end of a turn at a limit."""
        return cls(hit.reason, hit.message, hit.limit)


@slotted
class TurnState:
    """What one turn keeps while it runs."""

    meter: Meter
    repetition: Repetition = field(default_factory=Repetition)
    answers: list[Answer] = field(default_factory=list)
    last: AssistantMessage | None = None
    stop_reason: str | None = None
    continuing: Continuing = field(default_factory=Continuing)
    is_paused: bool = False
    is_out_of_time: bool = False
    #: The reply may have no more tokens than the turn has left.
    is_capped: bool = False
    unpriced: set[str] = field(default_factory=set)
    error: ModelError | None = None
    limit: str = ""

    @property
    def is_cut_at_limit(self) -> bool:
        """Whether the last reply was cut off where the turn may write nothing more."""
        return self.is_capped and self.stop_reason == StopReason.MAX_TOKENS

    def request(self, talk: Conversation) -> ModelRequest:
        """Return the next request; its reply has room for what the turn may still write.

        Raises:
            EndTurn: That is nothing.
        """
        limits = talk.settings.limits
        left = self.meter.tokens_left(limits)
        if left is not None and left <= 0:
            raise self.out_of_tokens(limits)
        request = talk.request(doublings=self.continuing.doublings, at_most=left)
        self.is_capped = request.max_tokens == left
        return request

    def out_of_tokens(self, limits: Limits) -> EndTurn:
        """Return the end of a turn in which the model may write nothing more."""
        return EndTurn.at(limits.out_of_tokens(self.meter.output_tokens))

    def result(
        self, reason: TurnEnd, errors: tuple[str, ...], now: float, deferred: ToolUse | None
    ) -> TurnResult:
        """Return what came of the turn."""
        meter = self.meter
        finished = TurnFinished(
            reason,
            meter.usage,
            meter.cost_usd,
            steps=meter.steps,
            duration_seconds=now - meter.started_at,
            model_seconds=meter.model_seconds,
            by_model=meter.by_model,
            errors=errors,
            error_kind=self.error.kind.value if self.error is not None else "",
            error_status=self.error.status if self.error is not None else None,
            limit=self.limit,
        )
        return TurnResult(
            reason, self.last, tuple(self.answers), self.stop_reason, finished, deferred
        )
