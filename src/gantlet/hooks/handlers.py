"""Handlers: what is to be done when an event happens, as frozen values."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from gantlet.hooks.matchers import Matcher
from gantlet.hooks.names import HandlerKind, HookEvent
from gantlet.messages import FrozenDict
from gantlet.messages.value import value
from gantlet.rules import Rule, Source


class OnFailure(StrEnum):
    """What a handler's failure means."""

    CONTINUE = "continue"
    BLOCK = "block"


@value
class Command:
    """A program: a line for the shell, or with `args` a program that is started as it stands."""

    command: str
    args: tuple[str, ...] | None = None
    is_async: bool = False
    rewakes: bool = False
    shell: str = ""


@value
class Http:
    """A POST of the event's input. Headers may hold `$NAME` for variables that are allowed."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    variables: tuple[str, ...] = ()


@value
class McpTool:
    """A tool of a server. Its input may hold `${path.in.input}`."""

    server: str
    tool: str
    input: FrozenDict


@value
class Prompt:
    """A question to a model, which answers `{ok, reason}`. With tools it is an agent's work."""

    prompt: str
    model: str = ""
    continues_on_block: bool = False
    uses_tools: bool = False


@value
class Callback:
    """A function in the program that drives us, known by an id."""

    callback_id: str


HookFunction: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[object] | object]


@value
class Function:
    """A function in this program: it gets the event's input and returns an answer or None."""

    function: HookFunction


Work: TypeAlias = Command | Http | McpTool | Prompt | Callback | Function

_KINDS: Mapping[type, HandlerKind] = {
    Command: HandlerKind.COMMAND,
    Http: HandlerKind.HTTP,
    McpTool: HandlerKind.MCP_TOOL,
    Callback: HandlerKind.CALLBACK,
    Function: HandlerKind.FUNCTION,
}


@value
class Handler:
    """Something to be done, and under which conditions.

    Attributes:
        condition: The calls it is for, as a rule; None means every one.
        timeout: Seconds; None means what the kind and the event have by default.
        origin: A plug-in or skill that keeps its copy apart from equal ones in settings files.
    """

    work: Work
    condition: Rule | None = None
    timeout: float | None = None
    on_failure: OnFailure = OnFailure.CONTINUE
    status_message: str = ""
    is_once: bool = False
    origin: str = ""

    @property
    def kind(self) -> HandlerKind:
        """What kind of handler it is."""
        if isinstance(self.work, Prompt):
            return HandlerKind.AGENT if self.work.uses_tools else HandlerKind.PROMPT
        return _KINDS[type(self.work)]

    @property
    def identity(self) -> object:
        """What makes it the same handler when several settings files hold it."""
        condition = None if self.condition is None else self.condition.text
        return (self.work, condition, self.origin)


@value
class HookEntry:
    """One handler of one event, and where it was written."""

    event: HookEvent
    matcher: Matcher
    handler: Handler
    source: Source
