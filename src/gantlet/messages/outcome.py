"""The closed sets of names by which events say how something ended."""

from enum import StrEnum


class OutcomeKind(StrEnum):
    """How a call ended; each call ends in exactly one of these."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    INVALID = "invalid"
    DENIED = "denied"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


class Behaviour(StrEnum):
    """What a permission decision says about a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class HookOutcome(StrEnum):
    """How a hook's own run ended."""

    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"


class HookEffectKind(StrEnum):
    """What a hook's run meant for the turn."""

    CANCELLED = "hook_cancelled"
    ERROR_DURING_EXECUTION = "hook_error_during_execution"
    STOPPED_CONTINUATION = "hook_stopped_continuation"
    ADDITIONAL_CONTEXT = "hook_additional_context"
    PERMISSION_DECISION = "hook_permission_decision"


class NoticeLevel(StrEnum):
    """How much a notice matters."""

    INFO = "info"
    NOTICE = "notice"
    SUGGESTION = "suggestion"
    WARNING = "warning"


class CompactionTrigger(StrEnum):
    """Who wanted the history compacted."""

    MANUAL = "manual"
    AUTO = "auto"


class TurnEnd(StrEnum):
    """Why a turn ended, by the names that programs driving us expect."""

    COMPLETED = "completed"
    MAX_TURNS = "max_turns"
    BUDGET_EXHAUSTED = "budget_exhausted"
    API_ERROR = "api_error"
    MODEL_ERROR = "model_error"
    PROMPT_TOO_LONG = "prompt_too_long"
    IMAGE_ERROR = "image_error"
    ABORTED_STREAMING = "aborted_streaming"
    ABORTED_TOOLS = "aborted_tools"
    STOP_HOOK_PREVENTED = "stop_hook_prevented"
    HOOK_STOPPED = "hook_stopped"
    TOOL_DEFERRED = "tool_deferred"
    TOOL_DEFERRED_UNAVAILABLE = "tool_deferred_unavailable"
    BLOCKING_LIMIT = "blocking_limit"
    RAPID_REFILL_BREAKER = "rapid_refill_breaker"
    MALFORMED_TOOL_USE_EXHAUSTED = "malformed_tool_use_exhausted"
    BACKGROUND_REQUESTED = "background_requested"
    STRUCTURED_OUTPUT_RETRY_EXHAUSTED = "structured_output_retry_exhausted"
    TURN_SETUP_FAILED = "turn_setup_failed"
