"""One handler's run, whatever its kind: within its time, and so that it breaks nothing."""

import inspect
import logging
import math
import re
from collections.abc import Mapping
from functools import partial

import anyio

from gantlet.hooks.background import Background
from gantlet.hooks.environment import hook_environment
from gantlet.hooks.handlers import (
    Callback,
    Command,
    Function,
    Handler,
    Http,
    McpTool,
    OnFailure,
    Prompt,
)
from gantlet.hooks.hearing import (
    Heard,
    blocked_by_failure,
    failed,
    hear_object,
    hear_text,
    judged,
)
from gantlet.hooks.http import filled_headers, post, why_not
from gantlet.hooks.names import HandlerKind, HookEvent
from gantlet.hooks.occasion import HookSession, Occasion
from gantlet.hooks.ports import HookPorts
from gantlet.hooks.programs import Detached, Program
from gantlet.hooks.settings import HookSettings
from gantlet.hooks.timing import seconds_for
from gantlet.messages import FrozenDict, JsonValue, dumps, loads, thaw
from gantlet.messages.value import value
from gantlet.system import make_private_folder, write_private

_log = logging.getLogger(__name__)

_PLACE = re.compile(r"\$\{([^}]*)\}")
#: The events at which the silence of a function is a no.
_SILENCE_BLOCKS = frozenset({HookEvent.PRE_TOOL_USE, HookEvent.USER_PROMPT_SUBMIT})
_FUNCTIONS = frozenset({HandlerKind.CALLBACK, HandlerKind.FUNCTION})


@value
class Performance:
    """One run of one handler for one occasion."""

    handler: Handler
    occasion: Occasion
    payload: dict[str, JsonValue]
    session: HookSession
    settings: HookSettings
    ports: HookPorts
    background: Background

    @property
    def seconds(self) -> float:
        """How long it may take."""
        return seconds_for(self.occasion.event, self.handler, self.ports.variables)

    async def heard(self) -> Heard | Detached:
        """Run the handler. Its failure is a value, and blocks where it is told to."""
        heard = await self._contained()
        if isinstance(heard, Detached) or not heard.failure:
            return heard
        event, handler = self.occasion.event, self.handler
        is_silent = heard.timed_out and handler.kind in _FUNCTIONS and event in _SILENCE_BLOCKS
        if is_silent or handler.on_failure is OnFailure.BLOCK:
            return blocked_by_failure(event, heard)
        return heard

    async def _contained(self) -> Heard | Detached:
        """Run the handler within its time; whatever it raises is a failure."""
        is_program = isinstance(self.handler.work, Command)
        seconds = None if is_program else self.seconds  # a program's time ends its whole group
        try:
            with anyio.fail_after(seconds):
                return await self._run()
        except TimeoutError:
            return failed(f"It took longer than {self.seconds:g} s.", timed_out=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and _is_meant_for_us():
                raise
            _log.warning("A hook (%s) failed.", self.occasion.name, exc_info=error)
            return failed(f"It failed with {type(error).__name__}: {error}")

    async def _run(self) -> Heard | Detached:
        """Run the handler."""
        match self.handler.work:
            case Command() as command:
                return await self.program(command).run(self.background)
            case Http() as http:
                return await self._post(http)
            case McpTool() as tool:
                return await self._call_tool(tool)
            case Prompt() as prompt:
                return await self._ask(prompt)
            case Callback(callback_id):
                return await self._call_back(callback_id)
            case Function(function):
                answered = function(thaw(FrozenDict(self.payload)))
                if inspect.isawaitable(answered):
                    answered = await answered
                return hear_object(self.occasion.event, answered)

    def program(self, command: Command) -> Program:
        """Return the program to run, with everything it finds around it."""
        return Program(
            self.occasion.event,
            command,
            dumps(self.payload),
            hook_environment(
                self.ports.variables, self.settings.env, self.session, self._env_file()
            ),
            self.occasion.surroundings.cwd,
            self.seconds,
        )

    def _env_file(self) -> str:
        """Return where a hook may write variables for later commands; made when first asked for."""
        if self.occasion.event is not HookEvent.SESSION_START or not self.ports.env_file:
            return ""
        try:
            make_private_folder(self.ports.env_file.parent)
            if not self.ports.env_file.exists():
                write_private(self.ports.env_file, "")
        except OSError as error:
            _log.warning("The file for a hook's variables cannot be made.", exc_info=error)
            return ""
        return str(self.ports.env_file)

    async def _post(self, http: Http) -> Heard:
        """Post the event to an address."""
        why = why_not(http.url, self.settings.http_urls)
        if why:
            return failed(f"It was not called: {why}.")
        variables = {**self.ports.variables, **self.settings.env}
        headers = filled_headers(http, variables, self.settings.http_variables)
        return await post(self.occasion.event, http.url, headers, dumps(self.payload))

    async def _call_tool(self, tool: McpTool) -> Heard:
        """Call a server's tool."""
        if self.ports.mcp is None:
            return failed(f"There is no server {tool.server!r} here.")
        given = filled(tool.input, self.payload)
        try:
            text = await self.ports.mcp.call(tool.server, tool.tool, given)
        except LookupError as error:
            return failed(f"{tool.server}/{tool.tool} cannot be called: {error}")
        return hear_text(self.occasion.event, text)

    async def _ask(self, prompt: Prompt) -> Heard:
        """Ask a model."""
        if self.ports.asker is None:
            return failed("There is no model here that could be asked.")
        told = dumps(self.payload).decode("utf-8")
        text = prompt.prompt
        question = text.replace("$ARGUMENTS", told) if "$ARGUMENTS" in text else f"{text}\n\n{told}"
        try:
            words = await self.ports.asker.ask(question, prompt.model, with_tools=prompt.uses_tools)
        except LookupError as error:
            return failed(str(error))
        return judged(self.occasion.event, _object_in(words), continues=prompt.continues_on_block)

    async def _call_back(self, callback_id: str) -> Heard:
        """Call a function of the program that drives us."""
        if self.ports.callbacks is None:
            return failed("The program that has this callback is not connected.")
        call = partial(self.ports.callbacks.call, callback_id, self.payload, self.occasion.call_id)
        return hear_object(self.occasion.event, await call())


def _is_meant_for_us() -> bool:
    """Return whether we were cancelled, rather than a function pretending that it was."""
    return anyio.current_effective_deadline() == -math.inf


def filled(
    given: Mapping[str, JsonValue], payload: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return a tool's input with every `${path.in.input}` filled in."""
    return {name: _filled(one, payload) for name, one in given.items()}


def _filled(one: JsonValue, payload: Mapping[str, JsonValue]) -> JsonValue:
    """Return one value with its places filled in; a text that is one place takes any value."""
    if isinstance(one, list):
        return [_filled(item, payload) for item in one]
    if isinstance(one, dict):
        return filled(one, payload)
    if not isinstance(one, str):
        return one
    whole = _PLACE.fullmatch(one)
    if whole is not None:
        return _at(payload, whole.group(1))
    return _PLACE.sub(lambda found: _shown(_at(payload, found.group(1))), one)


def _at(payload: Mapping[str, JsonValue], path: str) -> JsonValue:
    """Return what stands at a path of an event's input, or null."""
    here: JsonValue = dict(payload)
    for part in path.split("."):
        if isinstance(here, dict):
            here = here.get(part)
        elif isinstance(here, list) and part.isdecimal() and int(part) < len(here):
            here = here[int(part)]
        else:
            return None
    return here


def _shown(one: JsonValue) -> str:
    """Return a value inside a text."""
    if one is None:
        return ""
    return one if isinstance(one, str) else dumps(one).decode("utf-8")


def _object_in(words: str) -> object:
    """Return the JSON object in a model's words, or None."""
    start, end = words.find("{"), words.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        return loads(words[start : end + 1])
    except ValueError:
        return None
