"""What may be used to prove that a call is harmless, and what a proof comes to."""

from dataclasses import dataclass
from typing import TypeAlias

from gantlet.rules import Rule
from gantlet.tool import Covered, Proof


@dataclass(frozen=True, slots=True)
class Means:
    """What a proof may rest on beside what is safe by itself.

    Attributes:
        with_rules: Allow rules.
        edits_inside: The mode lets files inside the working directories be edited.
    """

    with_rules: bool = False
    edits_inside: bool = False


SAFE_ONLY = Means()
BY_RULES = Means(with_rules=True)
BY_EDITS = Means(with_rules=True, edits_inside=True)


@dataclass(frozen=True, slots=True)
class Proved:
    """Every part is covered, some perhaps by rules."""

    covered: tuple[Covered, ...]
    rules: tuple[Rule, ...] = ()

    @property
    def proof(self) -> Proof:
        """The proof that an allow carries."""
        return Proof(self.covered)


@dataclass(frozen=True, slots=True)
class Gap:
    """The first thing that nothing covers, as the end of a sentence that begins with the call."""

    reason: str


Proving: TypeAlias = Proved | Gap
