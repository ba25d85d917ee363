"""A question to a person: asked in several ways at once, answered once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import anyio

from gantlet.messages import Block
from gantlet.messages.value import value
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.updates import Update
from gantlet.permissions.verdict import Verdict

PERSON = "the person"


@value
class Yes:
    """Let it run.

    Attributes:
        updated_input: What the call's input was made to be; it is judged again.
        updates: What holds from now on, beside this call: "always".
        by: Who said so.
    """

    updated_input: Mapping[str, Any] | None = None
    updates: tuple[Update, ...] = ()
    by: str = PERSON


@value
class No:
    """Do not let it run. Without words and anything attached, nothing goes on."""

    words: str = ""
    attachments: tuple[Block, ...] = ()
    by: str = PERSON

    @property
    def is_bare(self) -> bool:
        """Whether nothing was said to go on with."""
        return not self.words and not self.attachments


@value
class Overtaken:
    """The question has answered itself: rules that changed meanwhile decide it."""

    verdict: Verdict


@value
class Unanswered:
    """Nobody could be reached, and why."""

    reason: str


Answer: TypeAlias = Yes | No | Overtaken | Unanswered


@dataclass(eq=False)
class Question:
    """One call that waits for an answer. Whoever claims it first decides; the others do nothing."""

    request: Request
    verdict: Verdict
    context: PermissionContext
    _answer: Answer | None = field(default=None, init=False)
    _is_claimed: bool = field(default=False, init=False)
    _settled: anyio.Event = field(default_factory=anyio.Event, init=False)

    @property
    def id(self) -> str:
        """The id of the call."""
        return self.request.call.id

    @property
    def is_claimed(self) -> bool:
        """Whether somebody has taken the right to answer."""
        return self._is_claimed

    @property
    def given(self) -> Answer | None:
        """The answer, once there is one."""
        return self._answer

    def claim(self) -> bool:
        """Take the right to answer; return whether it was still to be had.

        Claim first, then do what cannot be undone, then settle.
        """
        if self._is_claimed:
            return False
        self._is_claimed = True
        return True

    def settle(self, answer: Answer) -> None:
        """Give the answer. Only who claimed the question may; a second answer does nothing."""
        if not self._is_claimed:
            raise RuntimeError("A question must be claimed before it is settled.")
        if self._answer is None:
            self._answer = answer
            self._settled.set()

    def answer(self, answer: Answer) -> bool:
        """Claim and settle in one; return whether this answer counts."""
        if not self.claim():
            return False
        self.settle(answer)
        return True

    async def wait(self) -> Answer:
        """Wait for the answer."""
        await self._settled.wait()
        assert self._answer is not None
        return self._answer


class Asker(Protocol):
    """A way to reach whoever can answer."""

    async def ask(self, question: Question) -> None:
        """Have the question answered. To return without an answer means that there is nobody."""

    def quietly(self) -> "Asker | None":
        """Return the part of this way that disturbs no person, or None."""
