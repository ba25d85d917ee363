"""How many tokens a request took."""

from dataclasses import fields

from gantlet.messages.frozen import NOTHING_EXTRA, FrozenDict, FrozenValue, JsonValue
from gantlet.messages.value import value


@value
class Usage(FrozenValue):
    """Token counts as the API reports them; `None` was not reported, which is not zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    extra: FrozenDict = NOTHING_EXTRA

    @property
    def total_tokens(self) -> int:
        """Everything that was read, written and cached."""
        return sum(getattr(self, name) or 0 for name in _COUNTS)

    def added(self, other: "Usage") -> "Usage":
        """Return the sum, for two requests; numbers in `extra` add up too, one level down."""
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cache_creation_input_tokens, other.cache_creation_input_tokens),
            _sum(self.cache_read_input_tokens, other.cache_read_input_tokens),
            _extra_sum(self.extra, other.extra)
            if self.extra and other.extra
            else self.extra or other.extra,
        )

    def updated(self, later: "Usage") -> "Usage":
        """Return what is known after a `later` report about the same request, whose counts win."""
        return Usage(
            _latest(self.input_tokens, later.input_tokens),
            _latest(self.output_tokens, later.output_tokens),
            _latest(self.cache_creation_input_tokens, later.cache_creation_input_tokens),
            _latest(self.cache_read_input_tokens, later.cache_read_input_tokens),
            FrozenDict({**self.extra, **later.extra}) if later.extra else self.extra,
        )


@value
class ModelUsage:
    """What one model took; an unknown price makes the cost `None`."""

    model: str
    usage: Usage
    cost_usd: float | None = None


_COUNTS = tuple(field.name for field in fields(Usage) if field.name != "extra")


def _latest(one: int | None, other: int | None) -> int | None:
    """Return the later of two counts, unless it was not reported."""
    return one if other is None else other


def _sum(one: int | None, other: int | None) -> int | None:
    """Add two counts; two that were not reported stay so."""
    return None if one is None and other is None else (one or 0) + (other or 0)


def _extra_sum(one: FrozenDict, other: FrozenDict) -> FrozenDict:
    """Add numbers that both hold, also inside objects that both hold; else the later wins."""
    both = one.keys() & other.keys()
    merged = {name: _merged(one[name], other[name]) for name in both}
    return FrozenDict({**one, **other, **merged})


def _merged(one: JsonValue, other: JsonValue) -> JsonValue:
    """Add two numbers, or the numbers in two objects; else return the later value."""
    if isinstance(one, dict) and isinstance(other, dict):
        both = {
            name: _number_or_later(one[name], other[name]) for name in one.keys() & other.keys()
        }
        return {**one, **other, **both}
    return _number_or_later(one, other)


def _number_or_later(one: JsonValue, other: JsonValue) -> JsonValue:
    """Add two numbers; of anything else return the later."""
    if isinstance(one, bool) or isinstance(other, bool):
        return other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one + other
    return other
