"""What the rest of the program asks of hooks, and what they may answer."""

from collections.abc import Mapping
from typing import Any, Protocol

from gantlet.hooks.names import HookEvent
from gantlet.hooks.occasion import Moment, Occasion
from gantlet.hooks.sayings import NOTHING_SAID, Said
from gantlet.messages.value import value
from gantlet.tool import Allow, Ask, Deny, ToolResult, Vote


@value
class BeforeCall:
    """What hooks said before a call, all of them combined.

    Attributes:
        updated_input: Replaces the whole input; it is parsed and judged again.
        context: What the model should read beside the result.
        stop: Why nothing more should happen in this turn.
        defers: The process ends and the call is asked again when the session is resumed.
    """

    vote: Vote | None = None
    updated_input: Mapping[str, Any] | None = None
    context: tuple[str, ...] = ()
    stop: str | None = None
    defers: bool = False

    def __post_init__(self) -> None:
        if self.vote is not None and not isinstance(self.vote, Allow | Ask | Deny):
            raise TypeError(f"A hook's vote is Allow, Ask or Deny, not {self.vote!r}.")
        _check_texts(self.context, self.stop)


@value
class AfterCall:
    """What hooks said after a call, all of them combined."""

    context: tuple[str, ...] = ()
    updated_output: ToolResult[object] | None = None
    stop: str | None = None

    def __post_init__(self) -> None:
        if self.updated_output is not None and not isinstance(self.updated_output, ToolResult):
            raise TypeError(f"A hook's output is a ToolResult, not {self.updated_output!r}.")
        _check_texts(self.context, self.stop)


def _check_texts(context: tuple[str, ...], stop: str | None) -> None:
    """Raise unless what a hook wants to be said can be said."""
    if not isinstance(context, tuple) or not all(isinstance(text, str) for text in context):
        raise TypeError(f"A hook's context is a tuple of texts, not {context!r}.")
    if stop is not None and not isinstance(stop, str):
        raise TypeError(f"A hook's reason to stop is a text, not {stop!r}.")


NOTHING_BEFORE = BeforeCall()
NOTHING_AFTER = AfterCall()


class Hooks(Protocol):
    """Whoever runs the user's hooks."""

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return whether any hook listens; without one, nothing else is asked."""

    async def before(self, moment: Moment) -> BeforeCall:
        """Run the hooks before a call."""

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Run the hooks after a call that succeeded."""

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Run the hooks after a call that failed."""

    def interrupted(self, moment: Moment, message: str) -> None:
        """Run the hooks after a call that was interrupted, without anybody waiting."""

    async def fire(self, occasion: Occasion) -> Said:
        """Run the hooks of an event that is not about one call."""

    def take_late(self) -> tuple[str, ...]:
        """Return, once, what hooks in the background want the model to read."""


class NoHooks:
    """Nobody listens."""

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return no."""
        return False

    async def before(self, moment: Moment) -> BeforeCall:
        """Say nothing."""
        return NOTHING_BEFORE

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER

    def interrupted(self, moment: Moment, message: str) -> None:
        """Do nothing."""

    async def fire(self, occasion: Occasion) -> Said:
        """Say nothing."""
        return NOTHING_SAID

    def take_late(self) -> tuple[str, ...]:
        """Return nothing."""
        return ()
