"""What an agent is made of, as its program says it: options, and parts it may bring itself."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol, TypeAlias

from gantlet.assembly.hooks import HookParts
from gantlet.execution import ExecutionSettings
from gantlet.hooks import Hooks
from gantlet.loop import History, Limits
from gantlet.messages import Event, Model, ToolUse
from gantlet.messages.value import value
from gantlet.permissions import Asker, Permission
from gantlet.session import Session
from gantlet.system import Clock, Environment, Masker, RealClock
from gantlet.tool import AnyTool, Mode, UserError


@value
class AgentParts:
    """Parts of an agent that a program may bring itself; each has a default.

    Attributes:
        permission: Decides about calls in place of the engine.
        asker: Whom the engine asks; without one, what would be asked is denied.
        session: Where the conversation is written down; it goes on where the session stands.
        listener: Told of every event at once, before anything follows from it.
        hooks: Runs hooks in place of the runner.
        hook_parts: The hooks of settings files, and what they need.
        deferred: A call that a hook put off; the history ends with the reply that asked for it.
        between: Gets the model, and what masks secrets; returns the model that is asked. So a
            recorder comes between, or a cassette takes the model's place.
    """

    permission: Permission | None = None
    asker: Asker | None = None
    hooks: Hooks | None = None
    hook_parts: HookParts = field(default_factory=HookParts)
    clock: Clock = field(default_factory=RealClock)
    environment: Environment | None = None
    execution: ExecutionSettings | None = None
    history: History | None = None
    session: Session | None = None
    listener: Callable[[Event], None] | None = None
    deferred: ToolUse | None = None
    between: Callable[[Model, Masker], Model] | None = None


#: What the model is told first: a text, or a function of the names of the tools there are.
SystemPrompt: TypeAlias = str | Callable[[Collection[str]], str]


@value
class AgentOptions:
    """What a program asks of an agent; `Agent` says what each option means."""

    model: Model | str | None
    tools: tuple[AnyTool, ...]
    mcp_tools: tuple[AnyTool, ...]
    builtin_tools: str
    system: SystemPrompt
    mode: Mode | None
    settings: Mapping[str, object] | str | Path | None
    setting_sources: str | tuple[str, ...] | None
    trust: bool
    cwd: str
    base_url: str | None
    api_key: str | None
    limits: Limits
    max_tokens: int
    fallback_models: tuple[str, ...]
    request_fields: Mapping[str, object]
    betas: tuple[str, ...]
    allowed_tools: tuple[str, ...]
    disallowed_tools: Sequence[str]
    directories: tuple[str, ...]
    bypass_available: bool


class Voice(Protocol):
    """How the parts of an agent reach it."""

    def emit(self, event: Event) -> None:
        """Tell what happens."""

    def is_heard(self) -> bool:
        """Return whether anybody hears what is told of a reply and its calls."""

    def wake(self, text: str) -> None:
        """Have the model read a text, at once or with what follows."""

    def interrupt(self) -> None:
        """Stop the prompt that runs."""


def mode_named(given: Mode | str) -> Mode:
    """Return a mode by its name.

    Raises:
        UserError: There is none of that name.
    """
    try:
        return Mode(given)
    except ValueError:
        names = ", ".join(Mode)
        raise UserError(f"{given!r} is not a permission mode. There are: {names}.") from None


def names_in(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return a list of names.

    Raises:
        UserError: It is a single text, whose letters would be taken for names.
    """
    if isinstance(given, str):
        raise UserError(f"{what} is the text {given!r}; give a list of texts.")
    return tuple(given)


def folder_named(given: str | Path | None) -> str:
    """Return the directory that paths are relative to; the current one if none is given.

    Raises:
        UserError: There is no such directory.
    """
    if given is None:
        return os.getcwd()  # noqa: PTH109 - a text is all it takes
    folder = Path(given).absolute()
    if not folder.is_dir():
        raise UserError(
            f"There is no directory {str(given)!r} to work in. Make it, or name another."
        )
    return str(folder)


def source_names(given: str | Iterable[str] | None) -> str | tuple[str, ...] | None:
    """Return the names of sources, so that they can be read more than once."""
    return given if given is None or isinstance(given, str) else tuple(given)
