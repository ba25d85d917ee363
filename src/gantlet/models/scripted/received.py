"""A request as it was received: parsed, and refused where the Messages API would refuse it."""

import re
from collections.abc import Iterator, Mapping

from gantlet.messages import (
    FrozenDict,
    JsonValue,
    Message,
    Text,
    block_from_wire,
    dumps,
    freeze,
    loads,
    message_from_wire,
)
from gantlet.messages.value import value
from gantlet.models.scripted.history_check import check_history

MAX_BREAKPOINTS = 4
MAX_DEPTH = 256
#: Near enough for text.
CHARS_A_TOKEN = 4
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class InvalidRequestError(ValueError):
    """What the API would answer with `invalid_request_error`."""


@value
class ReceivedRequest:
    """A request whose parts have the right types.

    Attributes:
        system: The text of the system prompt.
        body: All of it, as it was sent.
        betas: What the `anthropic-beta` header named.
    """

    model: str
    max_tokens: int
    messages: tuple[Message, ...]
    system: str
    tools: tuple[FrozenDict, ...]
    body: FrozenDict
    betas: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens the prompt has."""
        parts = [self.body.get(part) for part in ("system", "tools", "messages")]
        return 1 + len(dumps(parts)) // CHARS_A_TOKEN

    @property
    def wants_stream(self) -> bool:
        """Whether the reply is to be streamed."""
        return self.body.get("stream") is True


def receive(
    source: bytes, *, betas: tuple[str, ...] = (), for_counting: bool = False
) -> ReceivedRequest:
    """Return the request in a body; `for_counting` it needs no `max_tokens`.

    Raises:
        InvalidRequestError: It is not JSON, or a part of it has the wrong type.
    """
    body = _parsed(source)
    return ReceivedRequest(
        model=_model(body),
        max_tokens=1 if for_counting else _max_tokens(body),
        messages=tuple(_messages(body)),
        system=_system(body.get("system", "")),
        tools=_tools(body.get("tools", [])),
        body=body,
        betas=betas,
    )


def check_request(request: ReceivedRequest) -> None:
    """Refuse a request that the API would refuse though its types are right.

    Raises:
        InvalidRequestError: Tools, marks for the prompt cache or the history are not valid.
    """
    names = [tool.get("name") for tool in request.tools]
    for at, tool in enumerate(request.tools):
        if tool.get("type", "custom") == "custom":
            _check_tool(tool, at)
        if names.index(names[at]) < at and names[at] is not None:
            raise InvalidRequestError("tools: Tool names must be unique.")
    _check_breakpoints(request.body)
    problem = check_history(request.messages)
    if problem:
        raise InvalidRequestError(problem)


def _parsed(source: bytes) -> FrozenDict:
    """Return the JSON object in a body."""
    try:
        body = freeze(loads(source), max_depth=MAX_DEPTH)
    except ValueError as error:
        raise InvalidRequestError(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, FrozenDict):
        raise InvalidRequestError("The request body must be an object.")
    return body


def _model(body: Mapping[str, JsonValue]) -> str:
    """Return the model's name."""
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidRequestError("model: Field required")
    return model


def _max_tokens(body: Mapping[str, JsonValue]) -> int:
    """Return how long the reply may be."""
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidRequestError("max_tokens: Input should be a whole number from 1")
    return limit


def _messages(body: Mapping[str, JsonValue]) -> Iterator[Message]:
    """Yield the messages."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise InvalidRequestError("messages: at least one message is required")
    for at, wire in enumerate(messages):
        try:
            yield message_from_wire(wire)
        except ValueError as error:
            raise InvalidRequestError(f"messages.{at}: {error}") from error


def _system(system: JsonValue) -> str:
    """Return the text of the system prompt."""
    if isinstance(system, str):
        return system
    blocks = [block_from_wire(wire) for wire in system] if isinstance(system, list) else [None]
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if len(texts) < len(blocks):
        raise InvalidRequestError("system: Input should be a text or a list of text blocks")
    return "\n".join(texts)


def _tools(tools: JsonValue) -> tuple[FrozenDict, ...]:
    """Return the tools."""
    if not isinstance(tools, list) or not all(isinstance(tool, FrozenDict) for tool in tools):
        raise InvalidRequestError("tools: Input should be a list of objects")
    return tuple(tool for tool in tools if isinstance(tool, FrozenDict))


def _check_tool(tool: FrozenDict, at: int) -> None:
    """Refuse a tool without a proper name or schema."""
    name = tool.get("name")
    if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
        raise InvalidRequestError(
            f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
        )
    schema = tool.get("input_schema")
    if not isinstance(schema, FrozenDict) or schema.get("type") != "object":
        raise InvalidRequestError(f"tools.{at}.custom.input_schema.type: Input should be 'object'")


def _check_breakpoints(body: FrozenDict) -> None:
    """Refuse more marks for the prompt cache than the API takes."""
    found = sum(_breakpoints(body.get(part)) for part in ("tools", "system", "messages"))
    if found > MAX_BREAKPOINTS:
        raise InvalidRequestError(
            f"A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. "
            f"Found {found}."
        )


def _breakpoints(value: JsonValue) -> int:
    """Count the marks in blocks and below; a call's input and a schema may hold the word freely."""
    if isinstance(value, list):
        return sum(map(_breakpoints, value))
    if isinstance(value, dict):
        return (value.get("cache_control") is not None) + _breakpoints(value.get("content"))
    return 0
