"""How the loop asks the model."""

from collections.abc import Mapping
from dataclasses import field

from gantlet.loop.limits import Limits, check_limit
from gantlet.messages.value import value


@value
class CompactionSettings:
    """When a conversation is made shorter.

    Attributes:
        is_possible: Whether it ever is, also when the model says that it is too long.
        is_automatic: Whether it is before the context is full.
        share: The share of the context at which that happens.
        context_tokens: How much fits into the context; 0 means what is known of the model.
        window_tokens: How much of the context is used at most; 0 means all of it.
    """

    is_possible: bool = True
    is_automatic: bool = True
    share: float = 0.85
    context_tokens: int = 0
    window_tokens: int = 0

    def room(self, context_tokens: int) -> int:
        """Return how many tokens of a context may be used."""
        known = self.context_tokens or context_tokens
        return min(self.window_tokens or known, known)


@value
class LoopSettings:
    """The knobs of the loop.

    Attributes:
        max_tokens: How long one reply may be; 0 means as long as the model can.
        extra: Further fields of each request: thinking, tool_choice, metadata and such.
        stop_hook_cap: How often in a row Stop hooks may keep a turn going.
    """

    model: str
    fallback_models: tuple[str, ...] = ()
    max_tokens: int = 0
    limits: Limits = field(default_factory=Limits)
    extra: Mapping[str, object] = field(default_factory=dict)
    betas: tuple[str, ...] = ()
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    stop_hook_cap: int = 8

    def __post_init__(self) -> None:
        check_limit("max_tokens", self.max_tokens, whole=True)
