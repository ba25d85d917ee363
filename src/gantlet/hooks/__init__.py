"""The user's commands, run at named events."""

from gantlet.hooks.contract import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    CallEvent,
    Hooks,
    Moment,
    NoHooks,
)
from gantlet.hooks.fields import HookProblem, KeyPath, key_text
from gantlet.hooks.handlers import (
    Callback,
    Command,
    Function,
    Handler,
    HookEntry,
    HookFunction,
    Http,
    McpTool,
    OnFailure,
    Prompt,
    Work,
)
from gantlet.hooks.matchers import EVERYTHING, BadMatcherError, Matcher
from gantlet.hooks.names import FIRED, TOOL_EVENTS, HandlerKind, HookEvent, kinds_for, matched_field
from gantlet.hooks.parsing import HooksRead, Where, at, parse_hooks

__all__ = [
    "EVERYTHING",
    "FIRED",
    "NOTHING_AFTER",
    "NOTHING_BEFORE",
    "TOOL_EVENTS",
    "AfterCall",
    "BadMatcherError",
    "BeforeCall",
    "CallEvent",
    "Callback",
    "Command",
    "Function",
    "Handler",
    "HandlerKind",
    "HookEntry",
    "HookEvent",
    "HookFunction",
    "HookProblem",
    "Hooks",
    "HooksRead",
    "Http",
    "KeyPath",
    "Matcher",
    "McpTool",
    "Moment",
    "NoHooks",
    "OnFailure",
    "Prompt",
    "Where",
    "Work",
    "at",
    "key_text",
    "kinds_for",
    "matched_field",
    "parse_hooks",
]
