"""What a model reads when a call did not give its own result. Each text says what to do next."""

from collections.abc import Sequence

INTERRUPTED_BY_USER = (
    "The user interrupted this call; it did not finish. Wait for what the user says next."
)
NOT_STARTED = "The user interrupted before this call started; it was not run."
OUT_OF_TIME = (
    "The time for this turn was over before this call finished. Check what it did before"
    " repeating it."
)
NOT_STARTED_IN_TIME = "The time for this turn was over before this call started; it was not run."
NOT_STARTED_AT_END = "The program stopped before this call started; it was not run."
PROGRAM_ENDED = (
    "The program stopped before this call finished. Check what it did before repeating it."
)
DISCARDED = (
    "The reply that asked for this call was lost while it streamed; the call does not count."
)
UNKNOWN = (
    "This call was started and would not stop; whether it took effect is not known."
    " Check before you repeat it."
)
MAY_RETRY = "A hook says that this call may be tried again."
DEFERRED = "A hook put this call off; it was not run. It is asked for again when work goes on."
_REPEATED = (
    "This call already ran for a reply that was lost while it streamed. It was not run again."
    " Its result was:\n"
)
REPEATED_UNKNOWN = (
    "The same call was started for a reply that was lost while it streamed, and did not finish."
    " It was not run again. Check what it did, then repeat it if it is still needed."
)
ALREADY_HAPPENED = (
    "A reply of yours was lost while it streamed. These calls of it were already started and may"
    " have taken effect; they were not undone:"
)

_OPEN, _CLOSE = "<tool_use_error>", "</tool_use_error>"
#: A tool's name has 64 characters at most; what a model makes up may have any number.
_MAX_NAME_CHARS = 200


def error(message: str) -> str:
    """Wrap what went wrong the way models know it."""
    return f"{_OPEN}{message}{_CLOSE}"


def unwrapped(text: str) -> str:
    """Return what `error` was given."""
    return text.removeprefix(_OPEN).removesuffix(_CLOSE)


def like(text: str, message: str) -> str:
    """Wrap a message if another text is wrapped."""
    return error(message) if text.startswith(_OPEN) else message


def no_such_tool(name: str, nearest: Sequence[str]) -> str:
    """Say that a tool does not exist, and which ones are near."""
    hint = f" Nearest: {', '.join(nearest)}." if nearest else ""
    return error(f"Error: No such tool available: {brief_name(name)}") + hint


def brief_name(name: str) -> str:
    """Return a name that a model made up, at a length that can be read."""
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[: _MAX_NAME_CHARS - 1]}…"


def invalid_input(problems: str) -> str:
    """Say what is wrong with an input."""
    return error(f"InputValidationError: {problems}")


def sibling_failed(description: str) -> str:
    """Say that a call made no sense after another one failed."""
    named = f" {description}" if description else ""
    return f"Cancelled: parallel tool call{named} errored"


def denied(reason: str, source: str) -> str:
    """Say that a call may not run, why, and who says so."""
    said = reason.strip().rstrip(".") or "no reason was given"
    said_by = f" ({source})" if source else ""
    return f"Permission denied: {said}{said_by}. Do not try to get around this; go on without it."


def changed_input(who: str, problems: str) -> str:
    """Say that an input does not fit since somebody else changed it."""
    return f"{who} changed the input of this call. {problems}"


def timed_out(tool_name: str, seconds: float) -> str:
    """Say that a call took too long."""
    return f"{tool_name} did not finish within {seconds:g} seconds and was stopped. Ask for less."


def bug(tool_name: str, error_class: str) -> str:
    """Say that something broke that should not have."""
    return (
        f"{tool_name} broke with {error_class}; this is a bug in the tool, not in your call."
        " Try another way."
    )


def repeated(content: str) -> str:
    """Answer a call that has already had its effect."""
    return f"{_REPEATED}{content}"
