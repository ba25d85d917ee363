"""Opinions about whether a call may run, and what an allow must show."""

from enum import StrEnum
from typing import TypeAlias

from gantlet.messages.value import value


class Mode(StrEnum):
    """How far a session goes without asking."""

    DEFAULT = "default"
    ACCEPT_EDITS = "acceptEdits"
    PLAN = "plan"
    AUTO = "auto"
    DONT_ASK = "dontAsk"
    BYPASS = "bypassPermissions"


@value
class Covered:
    """One part of a call (a simple command, a redirect, a path) and what covers it."""

    part: str
    by: str

    def __post_init__(self) -> None:
        if not self.by:
            raise ValueError(f"Nothing covers {self.part!r}: name the rule or entry that does.")


@value
class Proof:
    """Why a call may run: every part of it, covered."""

    covered: tuple[Covered, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "covered", tuple(self.covered))
        if not self.covered:
            raise ValueError("A proof must cover at least one part of the call.")
        for one in self.covered:
            if not isinstance(one, Covered):
                raise TypeError(f"{one!r} does not say which part of the call is covered by what.")


@value
class Allow:
    """Let it run, and here is why."""

    proof: Proof
    reason: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.proof, Proof):
            raise TypeError("There is no allow without a proof.")


@value
class Ask:
    """Let a person decide.

    Attributes:
        programs: If there are any, the question is only whether these programs of a command are as
            harmless as they are known to be. A rule that covers what they run answers it.
    """

    reason: str
    source: str = ""
    programs: tuple[str, ...] = ()


@value
class Deny:
    """Do not let it run."""

    reason: str
    source: str = ""


Vote: TypeAlias = Allow | Ask | Deny
