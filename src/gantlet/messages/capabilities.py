"""What a model can do and what it costs, as far as the rest of us must know."""

from gantlet.messages.value import value


@value
class Capabilities:
    """One model's abilities; the defaults are what may be assumed of a model nobody has described.

    Prices are in dollars per million tokens; `None` is unknown.
    """

    model: str = ""
    strict_tools: bool = False
    """The API takes `strict` in a tool definition."""
    input_examples: bool = False
    """The API takes `input_examples` in a tool definition."""
    deferred_tools: bool = False
    """The API takes `defer_loading` in a tool definition and `tool_reference` in a result."""
    thinking: bool = False
    """The model can think before it speaks."""
    context_tokens: int = 200_000
    max_output_tokens: int = 8_192
    input_usd_per_million: float | None = None
    output_usd_per_million: float | None = None
    cache_write_usd_per_million: float | None = None
    cache_read_usd_per_million: float | None = None
