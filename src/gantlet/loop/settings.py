"""How the loop asks the model."""

from collections.abc import Mapping
from dataclasses import field

from gantlet.loop.limits import Limits, check_limit
from gantlet.messages.value import value


@value
class LoopSettings:
    """The knobs of the loop.

    Attributes:
        max_tokens: How long one reply may be; 0 means as long as the model can.
        extra: Further fields of each request: thinking, tool_choice, metadata and such.
        stop_hook_cap: How often in a row Stop hooks may keep a turn going.
        compact_at: The share of the context at which the conversation is compacted.
    """

    model: str
    fallback_models: tuple[str, ...] = ()
    max_tokens: int = 0
    limits: Limits = field(default_factory=Limits)
    extra: Mapping[str, object] = field(default_factory=dict)
    betas: tuple[str, ...] = ()
    auto_compact: bool = True
    compact_at: float = 0.85
    stop_hook_cap: int = 8

    def __post_init__(self) -> None:
        check_limit("max_tokens", self.max_tokens, whole=True)
