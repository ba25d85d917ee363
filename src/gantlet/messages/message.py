"""Messages: what the user and the model say to each other, block by block."""

from typing import Final, TypeAlias

from gantlet.messages.blocks import Block, Text
from gantlet.messages.frozen import NOTHING_EXTRA, FrozenDict, FrozenValue
from gantlet.messages.usage import Usage
from gantlet.messages.value import value


class StopReason:
    """Why the model stopped, by name; a reason that is not listed here is kept as it came."""

    END_TURN: Final = "end_turn"
    MAX_TOKENS: Final = "max_tokens"
    STOP_SEQUENCE: Final = "stop_sequence"
    TOOL_USE: Final = "tool_use"
    PAUSE_TURN: Final = "pause_turn"
    REFUSAL: Final = "refusal"
    CONTEXT_WINDOW_EXCEEDED: Final = "model_context_window_exceeded"


@value
class UserMessage(FrozenValue):
    """What goes to the model: words, results, attachments. A plain string stays one on the wire."""

    content: str | tuple[Block, ...]
    extra: FrozenDict = NOTHING_EXTRA


@value
class AssistantMessage(FrozenValue):
    """What the model said; in a request only its content, in a reply also how it came about."""

    content: str | tuple[Block, ...]
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: FrozenDict | None = None
    usage: Usage | None = None
    extra: FrozenDict = NOTHING_EXTRA


Message: TypeAlias = UserMessage | AssistantMessage


def blocks_of(message: Message) -> tuple[Block, ...]:
    """Return the content as blocks, also where it was written as a plain string."""
    content = message.content
    return (Text(content),) if isinstance(content, str) else content
