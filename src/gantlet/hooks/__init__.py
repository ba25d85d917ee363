"""The user's commands, run at named events."""

from gantlet.hooks.callbacks import read_callbacks
from gantlet.hooks.calls import (
    after_call,
    after_occasion,
    as_json,
    batch_call,
    before_call,
    call_occasion,
    failure_occasion,
)
from gantlet.hooks.contract import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    Hooks,
    NoHooks,
)
from gantlet.hooks.environment import (
    hook_environment,
)
from gantlet.hooks.fields import (
    HookProblem,
    KeyPath,
    key_text,
)
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
from gantlet.hooks.matchers import (
    EVERYTHING,
    BadMatcherError,
    Matcher,
)
from gantlet.hooks.names import (
    FIRED,
    TOOL_EVENTS,
    HandlerKind,
    HookEvent,
    kinds_for,
    matched_field,
)
from gantlet.hooks.occasion import (
    HookSession,
    Moment,
    Occasion,
    occasion,
)
from gantlet.hooks.parsing import (
    HooksRead,
    Where,
    at,
    parse_hooks,
)
from gantlet.hooks.ports import (
    CallbackHost,
    Condition,
    HookPorts,
    McpCaller,
    PromptAsker,
)
from gantlet.hooks.runner import (
    HookRunner,
)
from gantlet.hooks.sayings import (
    NOTHING_SAID,
    HookDecision,
    Replacement,
    RequestAnswer,
    RunInfo,
    Said,
    Saying,
)
from gantlet.hooks.settings import (
    HookSettings,
    stop_cap,
)

__all__ = [
    "EVERYTHING",
    "FIRED",
    "NOTHING_AFTER",
    "NOTHING_BEFORE",
    "NOTHING_SAID",
    "TOOL_EVENTS",
    "AfterCall",
    "BadMatcherError",
    "BeforeCall",
    "Callback",
    "CallbackHost",
    "Command",
    "Condition",
    "Function",
    "Handler",
    "HandlerKind",
    "HookDecision",
    "HookEntry",
    "HookEvent",
    "HookFunction",
    "HookPorts",
    "HookProblem",
    "HookRunner",
    "HookSession",
    "HookSettings",
    "Hooks",
    "HooksRead",
    "Http",
    "KeyPath",
    "Matcher",
    "McpCaller",
    "McpTool",
    "Moment",
    "NoHooks",
    "Occasion",
    "OnFailure",
    "Prompt",
    "PromptAsker",
    "Replacement",
    "RequestAnswer",
    "RunInfo",
    "Said",
    "Saying",
    "Where",
    "Work",
    "after_call",
    "after_occasion",
    "as_json",
    "at",
    "batch_call",
    "before_call",
    "call_occasion",
    "failure_occasion",
    "hook_environment",
    "key_text",
    "kinds_for",
    "matched_field",
    "occasion",
    "parse_hooks",
    "read_callbacks",
    "stop_cap",
]
