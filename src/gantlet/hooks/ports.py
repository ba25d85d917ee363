"""What hooks need from the rest of the program, and where they are not given it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeAlias

from gantlet.hooks.occasion import Moment
from gantlet.messages import Event, JsonValue
from gantlet.messages.value import value
from gantlet.rules import Rule


class PromptAsker(Protocol):
    """A model that judges for a hook."""

    async def ask(self, prompt: str, model: str, *, with_tools: bool) -> str:
        """Return the model's words. `model` may be empty for a fast one.

        Raises:
            LookupError: It cannot be asked in this way here.
        """


class McpCaller(Protocol):
    """The tools of servers."""

    async def call(self, server: str, tool: str, given: Mapping[str, JsonValue]) -> str:
        """Return what a server's tool answers, as text.

        Raises:
            LookupError: No such server is connected, or it has no such tool.
        """


class CallbackHost(Protocol):
    """The program that drives us, which holds functions we know by an id."""

    async def call(
        self, callback_id: str, payload: Mapping[str, JsonValue], call_id: str | None
    ) -> object:
        """Return what the function answers: an object, or None."""


#: Decides whether a condition holds for a call.
Condition: TypeAlias = Callable[[Rule, Moment], bool]


async def _as_it_is(text: str) -> str:
    """Leave a text as it is."""
    return text


def _nobody_listens(event: Event) -> None:
    """Drop an event that nobody asked for."""


async def _nothing_changes() -> None:
    """Look at nothing."""


def _nobody_wakes(text: str) -> None:
    """Wake nobody."""


def _always(rule: Rule, moment: Moment) -> bool:
    """Let every handler run whose condition nobody can judge."""
    return True


@value
class HookPorts:
    """Everything hooks ask of others; each has a default that does without.

    Attributes:
        mask: Takes secrets out of words.
        fit: Makes a text that is too long for the model shorter, and saves the whole.
        refresh: Takes settings that have changed; asked before hooks of theirs are run.
        wake: Told what a background hook wants the model to know at once.
        variables: Our own environment.
        env_file: Where hooks may write variables for later commands; None for nowhere.
    """

    emit: Callable[[Event], None] = _nobody_listens
    asker: PromptAsker | None = None
    mcp: McpCaller | None = None
    callbacks: CallbackHost | None = None
    condition: Condition = _always
    mask: Callable[[str], str] = str
    fit: Callable[[str], Awaitable[str]] = _as_it_is
    refresh: Callable[[], Awaitable[object]] = _nothing_changes
    wake: Callable[[str], None] = _nobody_wakes
    variables: Mapping[str, str] = field(default_factory=dict)
    env_file: Path | None = None
