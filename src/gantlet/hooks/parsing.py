"""From the `hooks` of a settings file to entries, and to what is wrong with them. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gantlet.hooks.fields import Fields, HookProblem, KeyPath, UnusableError, is_list
from gantlet.hooks.handlers import (
    Command,
    Handler,
    HookEntry,
    Http,
    McpTool,
    OnFailure,
    Prompt,
    Work,
)
from gantlet.hooks.matchers import EVERYTHING, BadMatcherError, Matcher
from gantlet.hooks.names import TOOL_EVENTS, HandlerKind, HookEvent, kinds_for
from gantlet.messages import Behaviour, FrozenDict
from gantlet.messages.value import value
from gantlet.rules import BadRule, Rule, Source, parse_rule

#: Tells where in which file the value at a path stands.
Where: TypeAlias = Callable[[KeyPath], Source]

_EVENTS = {str(event): event for event in HookEvent}
_WRITTEN_KINDS = (
    HandlerKind.COMMAND,
    HandlerKind.HTTP,
    HandlerKind.MCP_TOOL,
    HandlerKind.PROMPT,
    HandlerKind.AGENT,
)


@value
class HooksRead:
    """What the `hooks` of one file hold, in the order they are written."""

    entries: tuple[HookEntry, ...] = ()
    problems: tuple[HookProblem, ...] = ()


def parse_hooks(raw: object, where: Where, origin: str = "") -> HooksRead:
    """Return the handlers in the value of `hooks`, and everything that is wrong with it.

    What does not work is dropped, entry by entry, with a problem that says so. Never raises for
    any JSON value.

    Args:
        raw: The value of the key `hooks`.
        where: Gives each entry its source, by its path from that value.
        origin: The plug-in or skill it belongs to, whose handlers stay apart from equal ones.
    """
    return _Reading(where, origin).read(raw)


def at(source: Source) -> Where:
    """Return a `where` for a value that has one source as a whole."""
    return lambda path: source


class _Reading:
    """One value being read."""

    def __init__(self, where: Where, origin: str) -> None:
        self._where = where
        self._origin = origin
        self._problems: list[HookProblem] = []

    def read(self, raw: object) -> HooksRead:
        """Return what the value holds."""
        if not isinstance(raw, Mapping):
            message = "'hooks' must be an object of events. No hook of it is used."
            return HooksRead(problems=(HookProblem((), message),))
        entries = [
            entry for name, groups in raw.items() for entry in self._event(str(name), groups)
        ]
        return HooksRead(tuple(entries), tuple(self._problems))

    def _event(self, name: str, groups: object) -> Iterator[HookEntry]:
        """Yield the entries of one event."""
        event = _EVENTS.get(name)
        if event is None:
            hint = _nearest(name)
            self._note((name,), f"There is no event {name!r}; its hooks are not used.{hint}")
            return
        if not is_list(groups):
            self._note((name,), f"{name} must hold a list; its hooks are not used.")
            return
        for index, group in enumerate(groups):
            yield from self._group(event, group, (name, index))

    def _group(self, event: HookEvent, group: object, path: KeyPath) -> Iterator[HookEntry]:
        """Yield the entries of one matcher."""
        if not isinstance(group, Mapping):
            self._note(path, 'Write an object: {"matcher": …, "hooks": [ … ]}. It is not used.')
            return
        handlers = group.get("hooks")
        if not is_list(handlers):
            self._note((*path, "hooks"), "'hooks' must be a list of handlers. None is used.")
            return
        matcher = self._matcher(group.get("matcher"), (*path, "matcher"))
        if matcher is None:
            return
        for index, raw in enumerate(handlers):
            here = (*path, "hooks", index)
            handler = self._handler(event, raw, here)
            if handler is not None:
                yield HookEntry(event, matcher, handler, self._where(here))

    def _matcher(self, raw: object, path: KeyPath) -> Matcher | None:
        """Return the matcher, or None if nobody can say what it means."""
        if raw is None:
            return EVERYTHING
        if not isinstance(raw, str):
            self._note(path, "'matcher' must be a text. The hooks beside it are not used.")
            return None
        try:
            return Matcher(raw)
        except BadMatcherError as error:
            self._note(
                path, f"The matcher {raw[:80]!r} does not work: {error}. Its hooks are not used."
            )
            return None

    def _handler(self, event: HookEvent, raw: object, path: KeyPath) -> Handler | None:
        """Return a handler, or None if it cannot be used."""
        if not isinstance(raw, Mapping):
            self._note(path, 'A handler is an object, as {"type": "command", …}. It is not used.')
            return None
        fields = Fields(raw, path)
        try:
            kind = _kind(event, fields)
            return Handler(
                work=_WORK[kind](fields),
                condition=self._condition(event, fields),
                timeout=fields.seconds("timeout"),
                on_failure=fields.choice(
                    "onFailure", OnFailure, OnFailure.CONTINUE, broken=OnFailure.BLOCK
                ),
                status_message=fields.text("statusMessage"),
                is_once=fields.flag("once"),
                origin=self._origin,
            )
        except UnusableError as error:
            self._note(error.path, str(error))
            return None
        finally:
            self._problems += fields.problems

    def _condition(self, event: HookEvent, fields: Fields) -> Rule | None:
        """Return the rule in `if`.

        Raises:
            UnusableError: It is no rule, or stands where no condition can ever hold.
        """
        text = fields.text("if")
        if not text.strip():
            return None
        path = (*fields.path, "if")
        if event not in TOOL_EVENTS:
            message = f"'if' has no meaning for {event}: with it the handler never runs."
            raise UnusableError(path, f"{message} Remove it.")
        rule = parse_rule(text, Behaviour.ASK, self._where(path))
        if isinstance(rule, BadRule):
            message = f"The condition {text!r} does not work: {rule.reason}."
            raise UnusableError(path, f"{message} The handler is not used.")
        return rule

    def _note(self, path: KeyPath, message: str) -> None:
        """Note that something is wrong."""
        self._problems.append(HookProblem(path, message))


def _nearest(name: str) -> str:
    """Return a hint at the event that may have been meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for those who misspell

    near = get_close_matches(name, _EVENTS, n=1)
    return f" Did you mean {near[0]}?" if near else ""


def _kind(event: HookEvent, fields: Fields) -> HandlerKind:
    """Return what kind of handler it is.

    Raises:
        UnusableError: There is no such kind, or not for this event.
    """
    written = fields.needed_text("type")
    path = (*fields.path, "type")
    known = {str(kind): kind for kind in _WRITTEN_KINDS}
    if written not in known:
        message = f"There is no handler of type {written[:60]!r}; write one of {', '.join(known)}."
        raise UnusableError(path, f"{message} It is not used.")
    kind = known[written]
    if kind not in kinds_for(event):
        raise UnusableError(path, f"{event} takes no {kind} handlers. It is not used.")
    return kind


def _command(fields: Fields) -> Work:
    """Return a program to run."""
    shell = fields.text("shell")
    if shell not in {"", "bash", "sh", "powershell"}:
        fields.note("shell", f"There is no shell {shell[:60]!r}; bash holds.")
        shell = "bash"
    rewakes = fields.flag("asyncRewake")
    return Command(
        command=fields.needed_text("command"),
        args=fields.texts("args"),
        is_async=fields.flag("async") or rewakes,
        rewakes=rewakes,
        shell=shell,
    )


def _http(fields: Fields) -> Work:
    """Return an address to post to."""
    url = fields.needed_text("url")
    if not url.startswith(("http://", "https://")):
        message = f"The url {url[:80]!r} is neither http nor https. The handler is not used."
        raise UnusableError((*fields.path, "url"), message)
    return Http(url, fields.pairs("headers"), fields.texts("allowedEnvVars") or ())


def _mcp_tool(fields: Fields) -> Work:
    """Return a server's tool to call."""
    given = fields.get("input")
    if given is not None and not isinstance(given, Mapping):
        message = "'input' must be an object. The handler is not used."
        raise UnusableError((*fields.path, "input"), message)
    return McpTool(
        fields.needed_text("server"), fields.needed_text("tool"), FrozenDict(given or {})
    )


def _prompt(fields: Fields) -> Work:
    """Return a question to a model."""
    return Prompt(
        fields.needed_text("prompt"), fields.text("model"), fields.flag("continueOnBlock")
    )


def _agent(fields: Fields) -> Work:
    """Return a task for an agent."""
    return Prompt(
        fields.needed_text("prompt"),
        fields.text("model"),
        fields.flag("continueOnBlock"),
        uses_tools=True,
    )


_WORK: Mapping[HandlerKind, Callable[[Fields], Work]] = {
    HandlerKind.COMMAND: _command,
    HandlerKind.HTTP: _http,
    HandlerKind.MCP_TOOL: _mcp_tool,
    HandlerKind.PROMPT: _prompt,
    HandlerKind.AGENT: _agent,
}
