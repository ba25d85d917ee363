"""What a model is to the rest of us: a request in, a stream of events out."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import Protocol

from gantlet.messages.capabilities import Capabilities
from gantlet.messages.json import dumps
from gantlet.messages.message import AssistantMessage
from gantlet.messages.stream import StreamEvent
from gantlet.messages.value import value

#: What may be copied once more. For more than that, memory is asked of the system each time.
_MAX_COPIED_BYTES = 64 * 1024


@value
class ModelRequest:
    """One request. What is large comes as bytes, so that it was serialised once and never again.

    Attributes:
        system: The system prompt as a JSON array of blocks; empty for none.
        tools: The tools as a JSON array; empty for none.
        messages: Each message as a JSON object.
        extra: Further fields of the body: thinking, tool_choice, metadata, output_config and such.
        betas: What the `anthropic-beta` header should name.
        has_fallback: Another model is asked if this one is overloaded, so that little is tried.
    """

    model: str
    max_tokens: int
    messages: Sequence[bytes]
    system: bytes = b""
    tools: bytes = b""
    extra: Mapping[str, object] = field(default_factory=dict)
    betas: tuple[str, ...] = ()
    has_fallback: bool = False

    def body(self, *, stream: bool) -> bytes:
        """Return the request's JSON.

        Tools, system and messages in the order in which they are cached.
        """
        return b"".join(self.parts(stream=stream))

    def parts(self, *, stream: bool) -> Sequence[bytes]:
        """Return the parts whose sum is the body. What is large need not be copied to be sent."""
        begin = [self._head(), b',"stream":true' if stream else b',"stream":false']
        tools = self.tools
        if tools:
            begin += (b',"tools":', tools)
        before = []
        if len(tools) > _MAX_COPIED_BYTES:
            before = [b"".join(begin[:-1]), tools]
            begin = []
        if self.system:
            begin += (b',"system":', self.system)
        begin += (b',"messages":[', *self.messages[:1])
        parts = [b"".join(begin), *self.messages[1:]]
        parts[-1] += b"]}"
        return [*before, b",".join(parts)]

    def _head(self) -> bytes:
        """Return what the body begins with."""
        if not self.extra:
            return _plain_head(self.model, self.max_tokens)
        return dumps({"model": self.model, "max_tokens": self.max_tokens, **self.extra})[:-1]


@lru_cache(maxsize=16)
def _plain_head(model: str, max_tokens: int) -> bytes:
    """Return what the body of each step's request begins with."""
    return dumps({"model": model, "max_tokens": max_tokens})[:-1]


class ModelErrorKind(StrEnum):
    """What went wrong with a request, by the names that programs driving us expect."""

    AUTHENTICATION_FAILED = "authentication_failed"
    BILLING_ERROR = "billing_error"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    INVALID_REQUEST = "invalid_request"
    PROMPT_TOO_LONG = "prompt_too_long"
    MODEL_NOT_FOUND = "model_not_found"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    STALLED = "stalled"
    BROKEN_STREAM = "broken_stream"
    UNKNOWN = "unknown"


class ModelError(Exception):
    """A request failed; retries that make sense have been tried.

    Attributes:
        status: The HTTP status, where there was one.
        has_begun: Some of the reply had come before it failed.
    """

    def __init__(
        self,
        message: str,
        kind: ModelErrorKind = ModelErrorKind.UNKNOWN,
        *,
        status: int | None = None,
        request_id: str | None = None,
        has_begun: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.request_id = request_id
        self.has_begun = has_begun


class RetryListener(Protocol):
    """Whoever wants to know that a request is tried again."""

    def __call__(
        self,
        *,
        attempt: int,
        max_attempts: int,
        delay_seconds: float,
        reason: str,
        status: int | None,
    ) -> None:
        """Be told before the wait."""


class ReadyEvents(Protocol):
    """What the events of a model may offer beside being waited for one at a time."""

    def ready_events(self) -> Iterable[StreamEvent]:
        """Return the events that have come and were not given yet, without waiting for more.

        A fault that comes after them is raised when the next event is waited for.
        """


class CallProgress(IntEnum):
    """How far a call has come while the reply that asked for it streams."""

    WAITING = 0
    RUNNING = 1
    #: The tool's own code has ended; what follows it has not.
    ENDING = 2
    DONE = 3


class WatchesCalls(Protocol):
    """What the events of a model may offer if it matters how far the calls of its reply are."""

    def watch_calls(self, look: Callable[[], Mapping[str, CallProgress]]) -> None:
        """Take what tells, at any time, how far each call that was handed over has come."""


class ReadiedModel(Protocol):
    """What a model may offer beside answering requests."""

    def get_ready(self) -> None:
        """Be told that a request is being written. What can be done meanwhile may be begun."""


class Model(Protocol):
    """Something that answers requests. It may also be told when one is coming (`ReadiedModel`)."""

    def capabilities(self, model: str) -> Capabilities:
        """Return what the named model can do."""

    def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Send a request and read the reply as it comes.

        The events end after `message_stop`. Retries happen before the first event only. Events
        that come many at a time are taken so if the iterator has a method for it (`ReadyEvents`);
        one that has a method for it is told how far the calls are (`WatchesCalls`).

        Raises:
            ModelError: There was no reply, or it broke off.
        """

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Send a request and wait for the whole reply.

        Raises:
            ModelError: There was none.
        """

    async def aclose(self) -> None:
        """Let go of connections."""
