"""What each model can do and what it costs, as the vendor documents it."""

import re
from typing import Final, NamedTuple

from gantlet.messages import Capabilities
from gantlet.messages.value import replace


class _Price(NamedTuple):
    """Dollars per million tokens; writing to the cache for five minutes."""

    input: float
    output: float
    cache_write: float
    cache_read: float


#: By name, without the date of a snapshot. A model that is not listed has no known price.
_PRICES: Final = {
    "claude-fable-5-1": _Price(10.0, 50.0, 12.5, 0.25),
    "claude-fable-5": _Price(10.0, 50.0, 12.5, 1.0),
    "claude-mythos-5-1": _Price(10.0, 50.0, 12.5, 0.25),
    "claude-mythos-5": _Price(10.0, 50.0, 12.5, 1.0),
    "claude-opus-5-5": _Price(4.0, 20.0, 5.0, 0.2),
    "claude-opus-5": _Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-8": _Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-7": _Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-6": _Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-5": _Price(5.0, 25.0, 6.25, 0.5),
    "claude-opus-4-1": _Price(15.0, 75.0, 18.75, 1.5),
    "claude-opus-4-0": _Price(15.0, 75.0, 18.75, 1.5),
    "claude-opus-4": _Price(15.0, 75.0, 18.75, 1.5),
    "claude-sonnet-5-5": _Price(2.0, 10.0, 2.5, 0.2),
    "claude-sonnet-5": _Price(2.0, 10.0, 2.5, 0.2),
    "claude-sonnet-4-6": _Price(3.0, 15.0, 3.75, 0.3),
    "claude-sonnet-4-5": _Price(3.0, 15.0, 3.75, 0.3),
    "claude-sonnet-4-0": _Price(3.0, 15.0, 3.75, 0.3),
    "claude-sonnet-4": _Price(3.0, 15.0, 3.75, 0.3),
    # for prompts above 100,000 tokens; shorter ones cost a fifth, but a budget must hold for both
    "claude-haiku-5-5": _Price(0.5, 2.5, 0.625, 0.05),
    "claude-haiku-4-5": _Price(1.0, 5.0, 1.25, 0.1),
}

_FULL: Final = Capabilities(
    strict_tools=True,
    input_examples=True,
    deferred_tools=True,
    thinking=True,
    context_tokens=200_000,
    max_output_tokens=64_000,
)
_RECENT: Final = replace(_FULL, max_output_tokens=128_000)
_EARLY: Final = Capabilities(thinking=True, max_output_tokens=32_000)

#: By the beginning of a name, the most particular first. A new model of a family can do what the
#: family can.
_ABILITIES: Final = (
    ("claude-3", Capabilities()),
    ("claude-opus-4-0", _EARLY),
    ("claude-opus-4-1", _EARLY),
    ("claude-opus-4-5", _FULL),
    ("claude-opus-4-", _RECENT),
    ("claude-opus-4", _EARLY),
    ("claude-opus-", _RECENT),
    ("claude-sonnet-4-5", _FULL),
    ("claude-sonnet-4-6", _FULL),
    ("claude-sonnet-4", replace(_EARLY, max_output_tokens=64_000)),
    ("claude-sonnet-", _RECENT),
    ("claude-haiku-4", _FULL),
    ("claude-haiku-", _RECENT),
    ("claude-fable-", _RECENT),
    ("claude-mythos-", _RECENT),
)

_SNAPSHOT = re.compile(r"(?:[-@]\d{8}.*|-latest|-v\d.*|\[.*)$")


def capabilities_of(model: str, *, has_full_api: bool) -> Capabilities:
    """Return what may be assumed of a model by its name.

    A server without the full API gets nothing it might not know: no strict or deferred tools, no
    examples. The name may carry a region, a vendor or the date of a snapshot.
    """
    name = _bare(model)
    abilities = next((known for start, known in _ABILITIES if name.startswith(start)), None)
    if abilities is None:
        return Capabilities(model)
    if not has_full_api:
        abilities = replace(
            abilities, strict_tools=False, input_examples=False, deferred_tools=False
        )
    return replace(_priced(abilities, _PRICES.get(name)), model=model)


def _bare(model: str) -> str:
    """Return the name alone: `eu.anthropic.claude-opus-4.5-20251101` is `claude-opus-4-5`."""
    name = model.lower()
    begins = name.find("claude-")
    return _SNAPSHOT.sub("", name[begins:].replace(".", "-")) if begins >= 0 else name


def _priced(abilities: Capabilities, price: _Price | None) -> Capabilities:
    """Return the abilities with what they cost, where that is known."""
    if price is None:
        return abilities
    return replace(
        abilities,
        input_usd_per_million=price.input,
        output_usd_per_million=price.output,
        cache_write_usd_per_million=price.cache_write,
        cache_read_usd_per_million=price.cache_read,
    )
