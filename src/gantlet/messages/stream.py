"""The events of a reply while it streams, as the Messages API sends them."""

from typing import TypeAlias

from gantlet.messages.blocks import Block
from gantlet.messages.frozen import NOTHING_EXTRA, FrozenDict, FrozenValue, JsonValue, freeze
from gantlet.messages.message import AssistantMessage
from gantlet.messages.usage import Usage
from gantlet.messages.value import value


@value
class TextDelta(FrozenValue):
    """More of a text."""

    text: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class InputJsonDelta(FrozenValue):
    """More of a call's input, as a piece of JSON text; no pieces at all mean an empty object."""

    partial_json: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class ThinkingDelta(FrozenValue):
    """More of a thought."""

    thinking: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class SignatureDelta(FrozenValue):
    """The signature of the thought that ends."""

    signature: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class CitationsDelta(FrozenValue):
    """One more citation of a text."""

    citation: FrozenDict
    extra: FrozenDict = NOTHING_EXTRA


@value
class UnknownDelta(FrozenValue):
    """A delta of a type we do not know, or that lacks what its type needs; to be ignored."""

    raw: JsonValue

    def __post_init__(self) -> None:
        object.__setattr__(self, "raw", freeze(self.raw))


KnownDelta: TypeAlias = TextDelta | InputJsonDelta | ThinkingDelta | SignatureDelta | CitationsDelta
Delta: TypeAlias = KnownDelta | UnknownDelta


@value
class MessageStart(FrozenValue):
    """The reply begins; its message has no content yet."""

    message: AssistantMessage
    extra: FrozenDict = NOTHING_EXTRA


@value
class BlockStart(FrozenValue):
    """A block begins, empty or, for the types that have no deltas, whole."""

    index: int
    content_block: Block
    extra: FrozenDict = NOTHING_EXTRA


@value
class BlockDelta(FrozenValue):
    """A block grows."""

    index: int
    delta: Delta
    extra: FrozenDict = NOTHING_EXTRA


@value
class BlockStop(FrozenValue):
    """A block is complete, or the reply was cut off in it."""

    index: int
    extra: FrozenDict = NOTHING_EXTRA


@value
class ReplyEnd(FrozenValue):
    """Why the reply ends."""

    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: FrozenDict | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class MessageDelta(FrozenValue):
    """The message as a whole changes; `usage` replaces the counts reported before."""

    delta: ReplyEnd
    usage: Usage | None = None
    extra: FrozenDict = NOTHING_EXTRA


@value
class MessageStop(FrozenValue):
    """The reply is over."""

    extra: FrozenDict = NOTHING_EXTRA


@value
class Ping(FrozenValue):
    """The connection is alive."""

    extra: FrozenDict = NOTHING_EXTRA


@value
class ErrorDetails(FrozenValue):
    """What went wrong at the API: a type such as `overloaded_error`, and a sentence."""

    type: str
    message: str
    extra: FrozenDict = NOTHING_EXTRA


@value
class StreamError(FrozenValue):
    """The reply breaks off; nothing follows."""

    error: ErrorDetails
    extra: FrozenDict = NOTHING_EXTRA


@value
class UnknownEvent(FrozenValue):
    """An event of a type we do not know, or that lacks what its type needs; to be ignored."""

    raw: JsonValue

    def __post_init__(self) -> None:
        object.__setattr__(self, "raw", freeze(self.raw))


KnownStreamEvent: TypeAlias = (
    MessageStart
    | BlockStart
    | BlockDelta
    | BlockStop
    | MessageDelta
    | MessageStop
    | Ping
    | StreamError
)
StreamEvent: TypeAlias = KnownStreamEvent | UnknownEvent
