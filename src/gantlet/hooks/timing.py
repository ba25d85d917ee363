"""How long a handler may take."""

from collections.abc import Mapping

from gantlet.hooks.handlers import Handler
from gantlet.hooks.names import HandlerKind, HookEvent

_DEFAULT_SECONDS: Mapping[HandlerKind, float] = {
    HandlerKind.COMMAND: 600.0,
    HandlerKind.HTTP: 600.0,
    HandlerKind.MCP_TOOL: 600.0,
    HandlerKind.PROMPT: 30.0,
    HandlerKind.AGENT: 60.0,
    HandlerKind.CALLBACK: 60.0,
    HandlerKind.FUNCTION: 600.0,
}
_PROMPT_SUBMIT_SECONDS = 30.0
_SESSION_END_SECONDS = 1.5
_SESSION_END_MOST = 60.0
_SESSION_END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"


def seconds_for(event: HookEvent, handler: Handler, variables: Mapping[str, str]) -> float:
    """Return how many seconds a handler has."""
    if event is HookEvent.SESSION_END:
        wanted = handler.timeout or _session_end_seconds(variables)
        return min(wanted, _SESSION_END_MOST)
    if handler.timeout is not None:
        return handler.timeout
    default = _DEFAULT_SECONDS[handler.kind]
    if event is HookEvent.USER_PROMPT_SUBMIT:
        return min(default, _PROMPT_SUBMIT_SECONDS)
    return default


def _session_end_seconds(variables: Mapping[str, str]) -> float:
    """Return how long hooks have when a session ends; a variable may say more."""
    try:
        return max(0.0, int(variables.get(_SESSION_END_VARIABLE, "")) / 1_000)
    except ValueError:
        return _SESSION_END_SECONDS
