"""What came of a prompt."""

from gantlet.execution import Denied
from gantlet.loop import TurnResult
from gantlet.messages import ToolUse, TurnEnd, Usage
from gantlet.messages.value import replace, value


@value
class RunResult:
    """What came of a prompt, and of what was said for after it.

    Attributes:
        text: The model's last words.
        turns: How many requests were made.
        cost_usd: What it cost; None where a price is not known.
        denials: The calls that were not allowed to run.
        reason: Why it ended.
        errors: What went wrong, in words for a person.
        deferred: The call that a hook put off; `run()` without a prompt asks it again.
        limit: Which limit ended it, if one did, by its name in `Limits`.
    """

    text: str
    turns: int
    usage: Usage
    cost_usd: float | None
    denials: tuple[ToolUse, ...]
    reason: TurnEnd
    stop_reason: str | None = None
    errors: tuple[str, ...] = ()
    deferred: ToolUse | None = None
    limit: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it ended in any other way than by itself."""
        return self.reason is not TurnEnd.COMPLETED

    @classmethod
    def of(cls, turn: TurnResult, before: "RunResult | None" = None) -> "RunResult":
        """Return the result of a turn, and of those that came before it in the same run.

        The last turn says how it ended; what was asked, used, paid and denied is that of all.
        """
        finished = turn.finished
        denied = (answer for answer in turn.answers if isinstance(answer.outcome, Denied))
        this = cls(
            text=turn.text,
            turns=finished.steps,
            usage=finished.usage,
            cost_usd=finished.cost_usd,
            denials=tuple(answer.call for answer in denied),
            reason=turn.reason,
            stop_reason=turn.stop_reason,
            errors=finished.errors,
            deferred=turn.deferred,
            limit=finished.limit,
        )
        return this if before is None else this.after(before)

    def after(self, before: "RunResult") -> "RunResult":
        """Return the result of a run that this was the last turn of."""
        costs = (before.cost_usd, self.cost_usd)
        known = [cost for cost in costs if cost is not None]
        return replace(
            self,
            turns=before.turns + self.turns,
            usage=before.usage.added(self.usage),
            cost_usd=sum(known) if len(known) == len(costs) else None,
            denials=before.denials + self.denials,
        )
