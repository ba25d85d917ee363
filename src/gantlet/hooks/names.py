"""The events hooks can be written for: which we fire, what a matcher tests, who may handle them."""

from collections.abc import Mapping
from enum import StrEnum


class HookEvent(StrEnum):
    """Every event a settings file may name."""

    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    POST_TOOL_BATCH = "PostToolBatch"
    PERMISSION_REQUEST = "PermissionRequest"
    PERMISSION_DENIED = "PermissionDenied"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    STOP = "Stop"
    SUBAGENT_START = "SubagentStart"
    SUBAGENT_STOP = "SubagentStop"
    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    PRE_COMPACT = "PreCompact"
    POST_COMPACT = "PostCompact"
    NOTIFICATION = "Notification"
    CONFIG_CHANGE = "ConfigChange"
    USER_PROMPT_EXPANSION = "UserPromptExpansion"
    SETUP = "Setup"
    STOP_FAILURE = "StopFailure"
    PRE_MODEL_SWITCH = "PreModelSwitch"
    POST_MODEL_SWITCH = "PostModelSwitch"
    TEAMMATE_IDLE = "TeammateIdle"
    TASK_CREATED = "TaskCreated"
    TASK_COMPLETED = "TaskCompleted"
    ELICITATION = "Elicitation"
    ELICITATION_RESULT = "ElicitationResult"
    INSTRUCTIONS_LOADED = "InstructionsLoaded"
    CWD_CHANGED = "CwdChanged"
    DIRECTORY_ADDED = "DirectoryAdded"
    FILE_CHANGED = "FileChanged"
    WORKTREE_CREATE = "WorktreeCreate"
    WORKTREE_REMOVE = "WorktreeRemove"
    MESSAGE_DISPLAY = "MessageDisplay"


class HandlerKind(StrEnum):
    """The kinds of handlers."""

    COMMAND = "command"
    HTTP = "http"
    MCP_TOOL = "mcp_tool"
    PROMPT = "prompt"
    AGENT = "agent"
    CALLBACK = "callback"
    FUNCTION = "function"


_EVERY_KIND = frozenset(HandlerKind)
_OUTSIDE_PROGRAMS = _EVERY_KIND - {HandlerKind.PROMPT, HandlerKind.AGENT}
_AT_START = _OUTSIDE_PROGRAMS - {HandlerKind.HTTP}

#: The events about one call, whose matcher tests the tool's name and which know conditions.
TOOL_EVENTS = frozenset(
    {
        HookEvent.PRE_TOOL_USE,
        HookEvent.POST_TOOL_USE,
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.PERMISSION_REQUEST,
        HookEvent.PERMISSION_DENIED,
    }
)

#: The events this system fires. The others are known, and load without a word.
FIRED = frozenset(list(HookEvent)[:16])

#: The events at which a model may be asked.
_JUDGED = TOOL_EVENTS | {
    HookEvent.POST_TOOL_BATCH,
    HookEvent.STOP,
    HookEvent.SUBAGENT_STOP,
    HookEvent.TASK_COMPLETED,
    HookEvent.TASK_CREATED,
    HookEvent.TEAMMATE_IDLE,
    HookEvent.USER_PROMPT_EXPANSION,
    HookEvent.USER_PROMPT_SUBMIT,
}

#: The field that a matcher tests, for the events that have one besides the tool events.
_MATCHED_FIELDS: Mapping[HookEvent, str] = {
    HookEvent.SESSION_START: "source",
    HookEvent.SESSION_END: "reason",
    HookEvent.SUBAGENT_START: "agent_type",
    HookEvent.SUBAGENT_STOP: "agent_type",
    HookEvent.PRE_COMPACT: "trigger",
    HookEvent.POST_COMPACT: "trigger",
    HookEvent.NOTIFICATION: "notification_type",
    HookEvent.CONFIG_CHANGE: "source",
}


def matched_field(event: HookEvent) -> str:
    """Return which field of its input an event's matcher tests, or nothing if it has none."""
    return "tool_name" if event in TOOL_EVENTS else _MATCHED_FIELDS.get(event, "")


def kinds_for(event: HookEvent) -> frozenset[HandlerKind]:
    """Return which kinds of handlers may listen to an event."""
    if event in _JUDGED:
        return _EVERY_KIND
    if event in {HookEvent.SESSION_START, HookEvent.SETUP}:
        return _AT_START
    return _OUTSIDE_PROGRAMS
