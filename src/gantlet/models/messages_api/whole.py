"""A reply that comes in one piece, and the events in which it would have been streamed."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    Delta,
    FrozenDict,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    ReplyEnd,
    ServerToolUse,
    SignatureDelta,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    blocks_of,
    dumps,
    loads,
    message_from_wire,
)
from gantlet.messages.value import replace
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import Response, read_up_to
from gantlet.models.messages_api.failures import broken_off, error_in, unreadable

MAX_REPLY_BYTES: Final = 64 * 1024 * 1024


async def read_message(response: Response, endpoint: Endpoint) -> AssistantMessage:
    """Return the message that is the body of a response.

    Raises:
        RequestError: It is none, or the connection broke.
    """
    body = await read_up_to(response, MAX_REPLY_BYTES)
    fail = partial(unreadable, endpoint, status=response.status, headers=response.headers)
    if len(body) > MAX_REPLY_BYTES:
        raise fail(f"it is longer than {MAX_REPLY_BYTES} bytes")
    try:
        wire = loads(body)
        details = error_in(wire)
        message = message_from_wire(wire) if details is None else None
    except ValueError as error:
        raise fail(error) from error
    if details is not None:
        raise broken_off(endpoint, details, response.headers)
    if not isinstance(message, AssistantMessage):
        raise fail("it is a message, but not a model's")
    return message


def events_of(message: AssistantMessage) -> Iterator[StreamEvent]:
    """Yield the events of a message that came in one piece."""
    yield MessageStart(
        replace(message, content=(), stop_reason=None, stop_sequence=None, stop_details=None)
    )
    for index, block in enumerate(blocks_of(message)):
        start, deltas = _taken_apart(block)
        yield BlockStart(index, start)
        for delta in deltas:
            yield BlockDelta(index, delta)
        yield BlockStop(index)
    end = ReplyEnd(message.stop_reason, message.stop_sequence, message.stop_details)
    yield MessageDelta(end, message.usage)
    yield MessageStop()


def _taken_apart(block: Block) -> tuple[Block, list[Delta]]:
    """Return a block as it starts and what makes it grow; a type without deltas starts whole."""
    if isinstance(block, Text):
        return replace(block, text="", citations=None), _text_deltas(block)
    if isinstance(block, Thinking):
        return replace(block, thinking="", signature=None), _thinking_deltas(block)
    if isinstance(block, (ToolUse, ServerToolUse)):
        written = dumps(block.input).decode("utf-8")
        return replace(block, input=FrozenDict()), [InputJsonDelta(written)]
    return block, []


def _text_deltas(block: Text) -> list[Delta]:
    """Return what a text grows by: its words, then what they cite."""
    words: list[Delta] = [TextDelta(block.text)] if block.text else []
    return words + [
        CitationsDelta(citation)
        for citation in block.citations or ()
        if isinstance(citation, FrozenDict)
    ]


def _thinking_deltas(block: Thinking) -> list[Delta]:
    """Return what a thought grows by: its words, then its signature."""
    words: list[Delta] = [ThinkingDelta(block.thinking)] if block.thinking else []
    return words + ([SignatureDelta(block.signature)] if block.signature else [])
