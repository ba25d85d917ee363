"""The blocks a message is made of, as the Messages API has them.

Each block keeps fields it does not know in `extra`, and so do explicit nulls of fields that may be
absent: what was read is written again as it was. A field that is `None` is absent on the wire.
JSON that a block is built from is frozen on the way in.
"""

from collections.abc import Mapping
from typing import TypeAlias

from gantlet.messages.frozen import (
    NOTHING_EXTRA,
    FrozenDict,
    FrozenList,
    FrozenValue,
    JsonValue,
    freeze,
)
from gantlet.messages.value import value


@value
class Text(FrozenValue):
    """Words, by the user or the model."""

    text: str
    citations: FrozenList | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class Thinking(FrozenValue):
    """What the model thought; it goes back with its signature, unmodified."""

    thinking: str
    signature: str | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class RedactedThinking(FrozenValue):
    """Thinking that only the API can read."""

    data: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class ToolUse(FrozenValue):
    """A call: the model asks for a tool."""

    id: str
    name: str
    input: Mapping[str, JsonValue]
    caller: FrozenDict | None = None
    extra: FrozenDict = NOTHING_EXTRA

    def __post_init__(self) -> None:
        if type(self.input) is not FrozenDict:
            object.__setattr__(self, "input", freeze(self.input))


@value
class ServerToolUse(FrozenValue):
    """A call that the API runs itself; nobody here answers it."""

    id: str
    name: str
    input: Mapping[str, JsonValue]
    caller: FrozenDict | None = None
    extra: FrozenDict = NOTHING_EXTRA

    def __post_init__(self) -> None:
        if type(self.input) is not FrozenDict:
            object.__setattr__(self, "input", freeze(self.input))


@value
class ServerToolResult(FrozenValue):
    """What the API answered to its own call; `type` names the tool: `web_search_tool_result`."""

    type: str
    tool_use_id: str
    content: JsonValue
    extra: FrozenDict = NOTHING_EXTRA

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", freeze(self.content))


@value
class ResultBlock(FrozenValue):
    """The one answer to a call."""

    tool_use_id: str
    content: "str | tuple[Block, ...] | None" = None
    is_error: bool | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class Image(FrozenValue):
    """A picture; `source` says where its bytes are."""

    source: FrozenDict
    extra: FrozenDict = NOTHING_EXTRA


@value
class Document(FrozenValue):
    """A PDF or a text; `source` says where it is."""

    source: FrozenDict
    title: str | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class SearchResult(FrozenValue):
    """Something found, which the model can cite; `content` holds its text blocks as on the wire."""

    source: str
    title: str
    content: FrozenList
    extra: FrozenDict = NOTHING_EXTRA


@value
class ToolReference(FrozenValue):
    """A deferred tool that a search found; the API shows its definition to the model."""

    tool_name: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class Unknown(FrozenValue):
    """A block of a type we do not know, or that lacks what its type needs; goes back unchanged."""

    raw: JsonValue

    def __post_init__(self) -> None:
        object.__setattr__(self, "raw", freeze(self.raw))


KnownBlock: TypeAlias = (
    Text
    | Thinking
    | RedactedThinking
    | ToolUse
    | ServerToolUse
    | ServerToolResult
    | ResultBlock
    | Image
    | Document
    | SearchResult
    | ToolReference
)
Block: TypeAlias = KnownBlock | Unknown
