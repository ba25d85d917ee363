"""The errors of the Messages API: their names in a script, statuses, types and meanings."""

from gantlet.messages import ModelErrorKind
from gantlet.messages.value import value
from gantlet.models.scripted.script import ApiError


@value
class _Known:
    """One error of the API."""

    status: int
    type: str
    kind: ModelErrorKind
    message: str


ERRORS = {
    "invalid_request": _Known(
        400,
        "invalid_request_error",
        ModelErrorKind.INVALID_REQUEST,
        "The request is not valid.",
    ),
    "prompt_too_long": _Known(
        400,
        "invalid_request_error",
        ModelErrorKind.PROMPT_TOO_LONG,
        "prompt is too long: 208310 tokens > 200000 maximum",
    ),
    "authentication": _Known(
        401,
        "authentication_error",
        ModelErrorKind.AUTHENTICATION_FAILED,
        "invalid x-api-key",
    ),
    "billing": _Known(
        402,
        "billing_error",
        ModelErrorKind.BILLING_ERROR,
        "Your credit balance is too low to access the API.",
    ),
    "permission": _Known(
        403,
        "permission_error",
        ModelErrorKind.AUTHENTICATION_FAILED,
        "Your key may not use this.",
    ),
    "not_found": _Known(
        404,
        "not_found_error",
        ModelErrorKind.MODEL_NOT_FOUND,
        "There is no such model.",
    ),
    "too_large": _Known(
        413,
        "request_too_large",
        ModelErrorKind.PROMPT_TOO_LONG,
        "Request exceeds the maximum size",
    ),
    "rate_limit": _Known(
        429,
        "rate_limit_error",
        ModelErrorKind.RATE_LIMIT,
        "This request would exceed your rate limit.",
    ),
    "api": _Known(500, "api_error", ModelErrorKind.SERVER_ERROR, "Internal server error"),
    "timeout": _Known(504, "timeout_error", ModelErrorKind.SERVER_ERROR, "Request timed out"),
    "overloaded": _Known(529, "overloaded_error", ModelErrorKind.OVERLOADED, "Overloaded"),
}
_BY_STATUS = {known.status: known for known in reversed(ERRORS.values())}


def api_error(
    name: str | None = None,
    status: int | None = None,
    message: str | None = None,
    retry_after_seconds: float | None = None,
) -> ApiError:
    """Return the error of that name, or the usual one of that status."""
    known = ERRORS[name] if name else _usual(status or 500)
    return ApiError(
        status=status or known.status,
        type=known.type,
        message=message or known.message,
        kind=known.kind,
        retry_after_seconds=retry_after_seconds,
    )


def _usual(status: int) -> _Known:
    """Return the error that usually comes with a status."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return ERRORS["api"] if status >= 500 else ERRORS["invalid_request"]
