"""How far a turn may go, what it has taken so far, and what that cost."""

from dataclasses import field
from math import inf
from sys import float_info
from typing import TypeVar

from gantlet.messages import Capabilities, ModelUsage, TurnEnd, Usage
from gantlet.messages.value import slotted, value
from gantlet.tool import UserError

_Number = TypeVar("_Number", int, float)


@value
class Limits:
    """Where a turn ends even if the model would go on; None is no limit.

    A budget can only be kept where the model's price is known. Where it is not, another limit must
    bound the turn, or it does not begin.
    """

    max_turns: int | None = None
    max_budget_usd: float | None = None
    max_output_tokens: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("max_turns", "max_output_tokens"):
            check_limit(name, getattr(self, name), whole=True)
        for name in ("max_budget_usd", "max_seconds"):
            check_limit(name, getattr(self, name), whole=False)

    def within(self, other: "Limits") -> "Limits":
        """Return limits that keep within these and others: the smaller one of each."""
        return Limits(
            _smaller(self.max_turns, other.max_turns),
            _smaller(self.max_budget_usd, other.max_budget_usd),
            _smaller(self.max_output_tokens, other.max_output_tokens),
            _smaller(self.max_seconds, other.max_seconds),
        )

    def left_after(self, taken: "Taken") -> "Limits":
        """Return what is left of these for what else is done for the same prompt."""
        return Limits(
            _left(self.max_turns, taken.steps),
            _left(self.max_budget_usd, taken.cost_usd or 0.0),
            _left(self.max_output_tokens, taken.output_tokens),
            _left(self.max_seconds, taken.seconds),
        )

    def reached(self, taken: "Taken") -> "LimitHit | None":
        """Return the limit that so much has reached, if any."""
        spent, budget = taken.cost_usd, self.max_budget_usd
        if self.max_turns is not None and taken.steps >= self.max_turns:
            text = f"Stopped after {taken.steps} requests, the most that were allowed (max turns)."
            return LimitHit("max_turns", text)
        if budget is not None and spent is not None and spent >= budget:
            text = f"Stopped at ${spent:.4f}: the budget was ${budget:g}."
            return LimitHit("max_budget_usd", text)
        if self.max_output_tokens is not None and taken.output_tokens >= self.max_output_tokens:
            return self.out_of_tokens(taken.output_tokens)
        if self.max_seconds is not None and taken.seconds >= self.max_seconds:
            return self.out_of_time(taken.seconds)
        return None

    def out_of_tokens(self, written: int) -> "LimitHit":
        """Return that the model may write nothing more."""
        text = f"Stopped after {written} output tokens; {self.max_output_tokens} were allowed."
        return LimitHit("max_output_tokens", text)

    def out_of_time(self, seconds: float) -> "LimitHit":
        """Return that the time is over."""
        text = f"Stopped after {seconds:.3g} s; {self.max_seconds or 0:g} were allowed."
        return LimitHit("max_seconds", text)

    def unkept_budget(self, model: Capabilities) -> str:
        """Return why the budget cannot be kept with a model, or nothing."""
        prices = (model.input_usd_per_million, model.output_usd_per_million)
        if self.max_budget_usd is None or None not in prices:
            return ""
        return (
            f"The price of {model.model or 'the model'} is not known, so that the budget of "
            f"${self.max_budget_usd:g} cannot be kept."
        )

    @property
    def has_other(self) -> bool:
        """Whether anything but a budget bounds a turn."""
        others = (self.max_turns, self.max_output_tokens, self.max_seconds)
        return any(limit is not None for limit in others)


def check_limit(name: str, given: object, *, whole: bool) -> None:
    """Refuse what is no limit, because nothing would ever reach it.

    Raises:
        UserError: It is none.
    """
    kinds = (int,) if whole else (int, float)
    if given is None:
        return
    if isinstance(given, kinds) and not isinstance(given, bool) and given >= 0:
        if whole or given <= float_info.max or given == inf:
            return
        raise UserError(f"{name} is larger than any number to reckon with; give None for no limit.")
    what = "a whole number" if whole else "a number"
    raise UserError(f"{name} is {given!r}; give {what} that is 0 or more, or None for no limit.")


def _smaller(one: _Number | None, other: _Number | None) -> _Number | None:
    """Return the smaller limit; None is no limit."""
    given = [limit for limit in (one, other) if limit is not None]
    return min(given) if given else None


def _left(limit: _Number | None, taken: _Number) -> _Number | None:
    """Return what is left of a limit; None is no limit."""
    return None if limit is None else max(limit - taken, type(limit)(0))


@value
class Taken:
    """What something has taken of its limits so far; a cost of None is not known."""

    steps: int
    cost_usd: float | None
    output_tokens: int
    seconds: float = 0.0


@value
class LimitHit:
    """A limit that was reached: which, by its name in `Limits`, and in words for a person."""

    limit: str
    message: str

    @property
    def reason(self) -> TurnEnd:
        """Why the turn ends, by the names that programs driving us expect."""
        is_turns = self.limit == "max_turns"
        return TurnEnd.MAX_TURNS if is_turns else TurnEnd.BUDGET_EXHAUSTED


@slotted
class Meter:
    """What a turn has taken so far."""

    started_at: float
    steps: int = 0
    model_seconds: float = 0.0
    _by_model: dict[str, Usage] = field(default_factory=dict)
    _prices: dict[str, Capabilities] = field(default_factory=dict)

    def add(self, usage: Usage, capabilities: Capabilities) -> None:
        """Count one reply."""
        known = self._by_model.get(capabilities.model)
        self._by_model[capabilities.model] = usage if known is None else known.added(usage)
        self._prices[capabilities.model] = capabilities

    @property
    def usage(self) -> Usage:
        """The tokens of every model together."""
        total = Usage()
        for usage in self._by_model.values():
            total = total.added(usage)
        return total

    @property
    def by_model(self) -> tuple[ModelUsage, ...]:
        """The tokens and the cost of each model."""
        return tuple(
            ModelUsage(model, usage, cost_of(usage, self._prices[model]))
            for model, usage in self._by_model.items()
        )

    @property
    def cost_usd(self) -> float | None:
        """What it cost; None as soon as one model's price is not known."""
        costs = [one.cost_usd for one in self.by_model]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def output_tokens(self) -> int:
        """How much the models have written."""
        return self.usage.output_tokens or 0

    def tokens_left(self, limits: Limits) -> int | None:
        """Return how much may still be written; None is no limit."""
        most = limits.max_output_tokens
        return None if most is None else most - self.output_tokens

    def hit(self, limits: Limits, now: float) -> LimitHit | None:
        """Return the limit that is reached, if any."""
        cost = self.cost_usd if limits.max_budget_usd is not None else None
        tokens = self.output_tokens if limits.max_output_tokens is not None else 0
        return limits.reached(Taken(self.steps, cost, tokens, now - self.started_at))

    def too_late(self, limits: Limits, now: float) -> LimitHit:
        """Return that the time is over."""
        return limits.out_of_time(now - self.started_at)


def cost_of(usage: Usage, prices: Capabilities) -> float | None:
    """Return what tokens cost in dollars, or None if a price is not known."""
    parts = (
        (usage.input_tokens, prices.input_usd_per_million),
        (usage.output_tokens, prices.output_usd_per_million),
        (usage.cache_creation_input_tokens, prices.cache_write_usd_per_million),
        (usage.cache_read_input_tokens, prices.cache_read_usd_per_million),
    )
    total = 0.0
    for tokens, price in parts:
        if not tokens:
            continue
        if price is None:
            return None
        total += tokens * price / 1_000_000
    return total
