"""What went wrong with a request, in our words, and whether to try again."""

from collections.abc import Mapping
from typing import Final

from gantlet.messages import (
    ErrorDetails,
    JsonValue,
    ModelError,
    ModelErrorKind,
    dumps,
    loads,
)
from gantlet.messages.value import replace
from gantlet.models.messages_api.endpoint import Endpoint

MAX_MESSAGE_CHARS: Final = 500

_RETRIED = frozenset({408, 409, 429})
_NEVER_RETRIED = frozenset({400, 401, 403, 404, 413})

_KIND_OF_TYPE: Final = {
    "api_error": ModelErrorKind.SERVER_ERROR,
    "authentication_error": ModelErrorKind.AUTHENTICATION_FAILED,
    "billing_error": ModelErrorKind.BILLING_ERROR,
    "invalid_request_error": ModelErrorKind.INVALID_REQUEST,
    "not_found_error": ModelErrorKind.MODEL_NOT_FOUND,
    "overloaded_error": ModelErrorKind.OVERLOADED,
    "permission_error": ModelErrorKind.AUTHENTICATION_FAILED,
    "rate_limit_error": ModelErrorKind.RATE_LIMIT,
    "request_too_large": ModelErrorKind.PROMPT_TOO_LONG,
    "timeout_error": ModelErrorKind.SERVER_ERROR,
}
_KIND_OF_STATUS: Final = {
    400: ModelErrorKind.INVALID_REQUEST,
    401: ModelErrorKind.AUTHENTICATION_FAILED,
    402: ModelErrorKind.BILLING_ERROR,
    403: ModelErrorKind.AUTHENTICATION_FAILED,
    404: ModelErrorKind.MODEL_NOT_FOUND,
    413: ModelErrorKind.PROMPT_TOO_LONG,
    422: ModelErrorKind.INVALID_REQUEST,
    429: ModelErrorKind.RATE_LIMIT,
    529: ModelErrorKind.OVERLOADED,
}
#: The API has no type of its own for these; only the sentence tells.
_SENTENCES: Final = {
    ModelErrorKind.PROMPT_TOO_LONG: (
        "prompt is too long",
        "exceed context limit",
        "exceeds the available context",
        "maximum context length",
        "context window",
    ),
    ModelErrorKind.BILLING_ERROR: ("credit balance is too low",),
}
_ADVICE: Final = {
    ModelErrorKind.AUTHENTICATION_FAILED: "Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
    ModelErrorKind.BILLING_ERROR: "Check the plan and credit of the account.",
    ModelErrorKind.RATE_LIMIT: "Wait, or ask for a higher limit.",
    ModelErrorKind.OVERLOADED: "Wait a moment, or choose another model.",
    ModelErrorKind.PROMPT_TOO_LONG: "Compact the conversation or start a new one.",
    ModelErrorKind.MODEL_NOT_FOUND: "Check the model's name.",
}
_NOT_FOUND: Final = "Check that ANTHROPIC_BASE_URL leads to a Messages API."


class RequestError(ModelError):
    """A failed request that may be worth another try.

    Attributes:
        may_retry: The same request could succeed.
        retry_after_seconds: How long the server asks us to wait.
    """

    def __init__(
        self,
        message: str,
        kind: ModelErrorKind,
        *,
        status: int | None = None,
        request_id: str | None = None,
        may_retry: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message, kind, status=status, request_id=request_id)
        self.may_retry = may_retry
        self.retry_after_seconds = retry_after_seconds


def refusal(
    endpoint: Endpoint,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    retry_after_seconds: float | None = None,
) -> RequestError:
    """Return the error for a response that is no reply; `body` is as much as was read of it."""
    if 300 <= status < 400:
        return _redirect(endpoint, status, headers)
    details, body_id = _details(body)
    kind = _kind(status, details)
    return RequestError(
        _sentence(endpoint, f"The API answered {status}", details.message, kind),
        kind,
        status=status,
        request_id=request_id(endpoint, headers, body_id),
        may_retry=_may_retry(status, headers),
        retry_after_seconds=retry_after_seconds,
    )


def broken_off(
    endpoint: Endpoint, details: ErrorDetails, headers: Mapping[str, str]
) -> RequestError:
    """Return the error for an `error` event, which takes the place of the rest of a reply."""
    kind = _kind(200, details)
    return RequestError(
        _sentence(endpoint, "The API broke the reply off", details.message or details.type, kind),
        kind,
        request_id=request_id(endpoint, headers),
        may_retry=kind
        in {ModelErrorKind.OVERLOADED, ModelErrorKind.RATE_LIMIT, ModelErrorKind.SERVER_ERROR},
    )


def error_in(wire: JsonValue, *, is_named_error: bool = False) -> ErrorDetails | None:
    """Return the error that stands where a reply should, however it is worded; None if none does.

    One that does not say of which type it is counts as a failure of the server.
    """
    members = wire if isinstance(wire, dict) else {}
    kind = members.get("type")
    if not (is_named_error or kind == "error" or (kind is None and members.get("error"))):
        return None
    details, _ = _details(dumps(wire))
    return details if details.type not in {"", "error"} else replace(details, type="api_error")


def unreadable(
    endpoint: Endpoint, why: object, *, status: int, headers: Mapping[str, str]
) -> RequestError:
    """Return the error for a response that is no reply at all, and will not be one next time."""
    return RequestError(
        f"What {endpoint.host} answered cannot be read: "
        f"{plain(endpoint.masked(str(why))).rstrip('.')}. "
        "Check that ANTHROPIC_BASE_URL leads to a Messages API.",
        ModelErrorKind.BROKEN_STREAM,
        status=status,
        request_id=request_id(endpoint, headers),
    )


def too_late(endpoint: Endpoint) -> RequestError:
    """Return the error for a reply that did not come in time."""
    return RequestError(
        f"{endpoint.host} sent no reply within {endpoint.timeout_seconds:g} seconds. "
        "Send the request again, or raise API_TIMEOUT_MS.",
        ModelErrorKind.STALLED,
        may_retry=True,
    )


def request_id(endpoint: Endpoint, headers: Mapping[str, str], in_body: str = "") -> str | None:
    """Return by which id the server knows the request, without our credentials."""
    found = headers.get("request-id") or headers.get("x-request-id") or in_body
    return plain(endpoint.masked(found), 100) if found else None


def plain(text: str, limit: int = MAX_MESSAGE_CHARS) -> str:
    """Return `text` on one line, without what a terminal would obey, and not too long."""
    spaced = "".join(char if char.isprintable() else " " for char in text[: limit * 4])
    line = " ".join(spaced.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def unasked_encoding(host: str, why: Exception) -> RequestError:
    """Return the error for a response that is compressed in a way that nobody asked for."""
    return RequestError(
        f"The response of {host} cannot be read: {why}. Have the server, or a proxy before it, "
        "answer with gzip or without compression.",
        ModelErrorKind.UNKNOWN,
    )


def _redirect(endpoint: Endpoint, status: int, headers: Mapping[str, str]) -> RequestError:
    """Return the error for a redirect: following it would hand the key to whoever is there."""
    target = plain(endpoint.masked(headers.get("location", "elsewhere")), 200)
    return RequestError(
        f"{endpoint.host} answered {status} and sends us to {target}, where the key will not "
        "follow. If that address is right, set ANTHROPIC_BASE_URL to it.",
        ModelErrorKind.UNKNOWN,
        status=status,
        request_id=request_id(endpoint, headers),
    )


def _may_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Say whether the same request could succeed; the server knows best, within reason."""
    if status in _NEVER_RETRIED:
        return False
    wish = headers.get("x-should-retry", "").strip().lower()
    return wish == "true" or (wish != "false" and (status in _RETRIED or status >= 500))


def _kind(status: int, details: ErrorDetails) -> ModelErrorKind:
    """Return which kind of failure this is: by its sentence, its type, its status."""
    kind = _KIND_OF_TYPE.get(details.type) or _KIND_OF_STATUS.get(status)
    if kind is None:
        return ModelErrorKind.SERVER_ERROR if status >= 500 else ModelErrorKind.UNKNOWN
    if kind is ModelErrorKind.INVALID_REQUEST:
        said = details.message.lower()
        for found, sentences in _SENTENCES.items():
            if any(sentence in said for sentence in sentences):
                return found
    if kind is ModelErrorKind.MODEL_NOT_FOUND and "model" not in details.message.lower():
        return ModelErrorKind.INVALID_REQUEST
    return kind


def _details(body: bytes) -> tuple[ErrorDetails, str]:
    """Return type and sentence of an error's body, in whatever form it came, and its id."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = loads(text)
    except ValueError:
        return ErrorDetails("", text), ""
    if not isinstance(parsed, dict):
        return ErrorDetails("", text), ""
    error = parsed.get("error", parsed)
    fields = error if isinstance(error, dict) else {"message": error}
    kind, said, known_as = fields.get("type"), fields.get("message"), parsed.get("request_id")
    return (
        ErrorDetails(
            kind if isinstance(kind, str) else "", said if isinstance(said, str) else text
        ),
        known_as if isinstance(known_as, str) else "",
    )


def _sentence(endpoint: Endpoint, what: str, said: str, kind: ModelErrorKind) -> str:
    """Return what happened, what the server said about it, and what to do next."""
    said = plain(endpoint.masked(said)).rstrip(".") or "it gave no reason"
    advice = _ADVICE.get(kind) or (_NOT_FOUND if what.endswith(" 404") else "")
    return f"{what}: {said}. {advice}" if advice else f"{what}: {said}."
