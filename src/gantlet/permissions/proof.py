"""What may be used to prove that a call is harmless, and what a proof comes to."""

from dataclasses import field
from typing import TypeAlias

from gantlet.messages.value import slotted, value
from gantlet.rules import Rule
from gantlet.tool import Covered, Proof


@value
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


@slotted
class Draft:
    """A proof in the making: what was covered so far, and by which rules."""

    means: Means
    covered: list[Covered] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    def by_rule(self, part: str, rule: Rule) -> None:
        """Note that a rule covers a part."""
        self.covered.append(Covered(part, f"rule {rule.text}"))
        self.rules.append(rule)

    def by(self, part: str, what: str) -> None:
        """Note what else covers a part."""
        self.covered.append(Covered(part, what))

    def proved(self) -> "Proved":
        """Return the proof."""
        return Proved(tuple(self.covered), tuple(self.rules))


@value
class Proved:
    """Every part is covered, some perhaps by rules."""

    covered: tuple[Covered, ...]
    rules: tuple[Rule, ...] = ()

    @property
    def proof(self) -> Proof:
        """The proof that an allow carries."""
        return Proof(self.covered)


@value
class Gap:
    """The first thing that nothing covers, as the end of a sentence that begins with the call."""

    reason: str


Proving: TypeAlias = Proved | Gap
