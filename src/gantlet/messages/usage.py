"""How many tokens a request took."""

from dataclasses import fields

from gantlet.messages.frozen import NOTHING_EXTRA, FrozenDict, FrozenValue, JsonValue
from gantlet.messages.value import replace, value


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
        counts = {name: _sum(getattr(self, name), getattr(other, name)) for name in _COUNTS}
        return Usage(**counts, extra=_extra_sum(self.extra, other.extra))

    def updated(self, later: "Usage") -> "Usage":
        """Return what is known after a `later` report about the same request, whose counts win."""
        reported = {name: getattr(later, name) for name in _COUNTS}
        known = {name: count for name, count in reported.items() if count is not None}
        return replace(self, **known, extra=FrozenDict({**self.extra, **later.extra}))


@value
class ModelUsage:
    """What one model took; an unknown price makes the cost `None`."""

    model: str
    usage: Usage
    cost_usd: float | None = None


_COUNTS = tuple(field.name for field in fields(Usage) if field.name != "extra")


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
