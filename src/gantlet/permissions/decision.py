"""The answer to whether a call may run, and who gave it."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from gantlet.messages import Behaviour, Block, ToolUse
from gantlet.messages.value import value
from gantlet.permissions.facts import NO_FACTS, Facts
from gantlet.tool import (
    NOTHING_WITHHELD,
    AgentIdentity,
    Allow,
    AnyTool,
    Ask,
    Deny,
    Proof,
    Surroundings,
    Traits,
    Vote,
    Withheld,
)


@value
class Request:
    """A call about to be judged: what it is, where it runs, and what was already said about it."""

    call: ToolUse
    tool: AnyTool
    args: Any
    traits: Traits
    surroundings: Surroundings
    agent: AgentIdentity
    hook_vote: Vote | None = None
    tool_vote: Vote | None = None
    #: What was seen of the paths it names; a path nobody looked at is never allowed.
    facts: Facts = NO_FACTS

    def __post_init__(self) -> None:
        if self.hook_vote is self.tool_vote is None:
            return
        for vote in (self.hook_vote, self.tool_vote):
            if vote is not None and not isinstance(vote, Allow | Ask | Deny):
                raise TypeError(f"A vote is Allow, Ask or Deny, not {vote!r}.")

    @property
    def has_votes(self) -> bool:
        """Whether a hook or the tool itself said something about this one call."""
        return self.hook_vote is not None or self.tool_vote is not None


@value
class Decision:
    """Whether a call may run, why, and by which layer and rule.

    Attributes:
        proof: What covers each part of the call; there is no allow without it.
        updated_input: What the person made of the input; it is parsed and judged again.
        ends_turn: The person said no without words: nothing goes on until they speak.
        attachments: What the person sent along with a no.
        facts: What was seen of the call's paths when it was judged.
        withheld: What the call must leave out of its answer though it may run.
    """

    behaviour: Behaviour
    reason: str
    layer: str
    rule: str = ""
    source: str = ""
    proof: Proof | None = None
    updated_input: Mapping[str, Any] | None = None
    ends_turn: bool = False
    attachments: tuple[Block, ...] = ()
    facts: Facts = field(default=NO_FACTS, repr=False, compare=False)
    withheld: Withheld = field(default=NOTHING_WITHHELD, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.behaviour == Behaviour.ALLOW and not isinstance(self.proof, Proof):
            raise TypeError("There is no allow without a proof.")
        if self.behaviour == Behaviour.ASK:
            raise ValueError("A decision is final: an ask must have been answered.")

    @classmethod
    def deny(cls, reason: str, layer: str) -> "Decision":
        """Return a plain no."""
        return cls(Behaviour.DENY, reason, layer)

    @property
    def allows(self) -> bool:
        """Whether the call may run: only with a proof."""
        return self.behaviour == Behaviour.ALLOW and isinstance(self.proof, Proof)

    @property
    def said_by(self) -> str:
        """Who decided: the rule and where it was read, or else the layer."""
        return ", ".join(filter(None, (self.rule, self.source))) or self.layer


class Permission(Protocol):
    """Whoever decides whether calls may run."""

    async def decide(self, request: Request) -> Decision:
        """Judge one call. Whatever cannot be judged is denied."""
