"""What the layers came to: the votes, the one that decided, and why."""

from enum import StrEnum

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions.updates import Update
from gantlet.rules import Rule
from gantlet.tool import Allow, Ask, Deny, Proof, Vote


@value
class Ballot:
    """One layer's vote, and the rule behind it.

    `is_checkable` marks an ask that an automatic check may answer in a person's place.
    """

    layer: str
    vote: Vote
    rule: Rule | None = None
    is_checkable: bool = False

    @property
    def behaviour(self) -> Behaviour:
        """What the vote says."""
        match self.vote:
            case Deny():
                return Behaviour.DENY
            case Ask():
                return Behaviour.ASK
            case Allow():
                return Behaviour.ALLOW


class RiskLevel(StrEnum):
    """How much could go wrong, for the person who is asked."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@value
class Risk:
    """How much could go wrong, and why."""

    level: RiskLevel
    reason: str


@value
class Verdict:
    """Whether a call may run: allow with its proof, deny, or ask a person.

    Attributes:
        reason: For the model or the person, a whole sentence.
        layer: Who decided.
        rule: The text of the rule that decided, and where it was read.
        ballots: Every vote, in the order of the layers.
        suggestions: Changes under which the same call would not be asked about again.
        is_checkable: Whether an automatic check may answer the ask.
    """

    behaviour: Behaviour
    reason: str
    layer: str
    rule: str = ""
    file: str = ""
    key: str = ""
    source: str = ""
    proof: Proof | None = None
    risk: Risk = Risk(RiskLevel.MEDIUM, "")
    ballots: tuple[Ballot, ...] = ()
    suggestions: tuple[Update, ...] = ()
    is_checkable: bool = False

    def __post_init__(self) -> None:
        if self.behaviour is Behaviour.ALLOW and not isinstance(self.proof, Proof):
            raise TypeError("There is no allow without a proof.")
