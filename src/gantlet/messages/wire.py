"""Blocks and messages to the wire form of the Messages API and back, losing nothing on the way."""

import reprlib
from typing import cast

from gantlet.messages.blocks import (
    Block,
    Document,
    Image,
    KnownBlock,
    RedactedThinking,
    ResultBlock,
    SearchResult,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolReference,
    ToolUse,
    Unknown,
)
from gantlet.messages.frozen import JsonValue, freeze
from gantlet.messages.json import as_json_text, dumps, encode
from gantlet.messages.message import AssistantMessage, Message, UserMessage, blocks_of
from gantlet.messages.shape import (
    ANYTHING,
    ARRAY,
    COUNT,
    FLAG,
    OBJECT,
    TEXT,
    Family,
    Field,
    Shape,
    nested,
)
from gantlet.messages.usage import Usage


def block_from_wire(wire: object) -> Block:
    """Return the block written in `wire`; `Unknown` if its type is new or a field is wrong."""
    return _BLOCKS.read(wire)


def block_to_wire(block: Block) -> JsonValue:
    """Return `block` as it goes on the wire. Do not change it: its parts may be frozen."""
    return _plain_block(block) or _BLOCKS.write(block)


def _plain_block(block: Block) -> dict[str, JsonValue] | None:
    """Return a call, or a result that is a text, if there is nothing unusual about it."""
    if type(block) is ToolUse:
        if block.caller is not None or block.extra:
            return None
        given = cast("dict[str, JsonValue]", block.input)
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": given}
    if type(block) is not ResultBlock or type(block.content) is not str or block.extra:
        return None
    wire: dict[str, JsonValue] = {"type": "tool_result", "tool_use_id": block.tool_use_id}
    wire["content"] = block.content
    if block.is_error is not None:
        wire["is_error"] = block.is_error
    return wire


def message_to_request(message: Message) -> bytes:
    """Return a message as requests carry it: its role and its blocks, as compact JSON.

    Raises:
        ValueError: Something inside has no JSON form.
    """
    role = "user" if isinstance(message, UserMessage) else "assistant"
    blocks = blocks_of(message)
    try:
        written = ",".join([_plain_text(block) or _text(_BLOCKS.write(block)) for block in blocks])
        return f'{{"role":"{role}","content":[{written}]}}'.encode()
    except (RecursionError, ValueError):  # half a surrogate pair, or what cannot be written
        return dumps({"role": role, "content": [block_to_wire(block) for block in blocks]})


def _plain_text(block: Block) -> str:
    """Return the JSON of a call, or of a result that is a text; "" if it is anything unusual."""
    if type(block) is ToolUse:
        if block.caller is not None or block.extra:
            return ""
        named = f'"id":{as_json_text(block.id)},"name":{as_json_text(block.name)}'
        return f'{{"type":"tool_use",{named},"input":{_text(block.input)}}}'
    if type(block) is not ResultBlock or type(block.content) is not str or block.extra:
        return ""
    failed = "" if block.is_error is None else f',"is_error":{_text(block.is_error)}'
    said = (
        f'"tool_use_id":{as_json_text(block.tool_use_id)},"content":{as_json_text(block.content)}'
    )
    return f'{{"type":"tool_result",{said}{failed}}}'


def _text(value: object) -> str:
    """Return the JSON of a value as a text."""
    return "".join(encode(value, 0))


def message_from_wire(wire: object) -> Message:
    """Return the message written in `wire`, in the form of a request or of a reply.

    Fields besides `role` and `content` that have an unexpected type are kept in `extra`.

    Raises:
        ValueError: It is no object, its role is neither user nor assistant, or its content is
            neither a string nor an array.
    """
    role = wire.get("role") if isinstance(wire, dict) else None
    if not isinstance(wire, dict) or role not in ("user", "assistant"):
        raise ValueError(
            f"The role of a message is 'user' or 'assistant', not {reprlib.repr(role)}."
        )
    message = _USER.read(wire) if role == "user" else ASSISTANT.read(wire)
    if message is None:
        raise ValueError(
            f"The content of a message is a string or an array of blocks, "
            f"not {reprlib.repr(wire.get('content'))}."
        )
    return message


def message_to_wire(message: Message) -> dict[str, JsonValue]:
    """Return `message` as it goes on the wire. Do not change it: its parts may be frozen."""
    return _USER.write(message) if isinstance(message, UserMessage) else ASSISTANT.write(message)


def _inner_block(wire: object) -> Block:
    """Return a block inside a result. The API puts no result there: one would stay raw."""
    if isinstance(wire, dict) and wire.get("type") == "tool_result":
        return Unknown(freeze(wire))
    return block_from_wire(wire)


def _load_inner_content(item: object) -> object:
    """Read the content of a result."""
    return tuple(map(_inner_block, item)) if isinstance(item, list) else TEXT.load(item)


def _load_content(item: object) -> object:
    """Read the content of a message."""
    return tuple(map(block_from_wire, item)) if isinstance(item, list) else TEXT.load(item)


def _dump_content(content: str | tuple[Block, ...]) -> JsonValue:
    """Write the content of a message or a result."""
    return content if isinstance(content, str) else [block_to_wire(block) for block in content]


def _server_result(kind: str) -> Shape[KnownBlock] | None:
    """Return the shape of a server tool's result, whatever the tool."""
    return _SERVER_TOOL_RESULT if kind.endswith("_tool_result") else None


_CONTENT = Field(_load_content, _dump_content)
_INNER_CONTENT = Field(_load_inner_content, _dump_content)
_CALL = {"id": TEXT, "name": TEXT, "input": OBJECT}

_SERVER_TOOL_RESULT: Shape[KnownBlock] = Shape(
    ServerToolResult, {}, {"type": TEXT, "tool_use_id": TEXT, "content": ANYTHING}
)
_BLOCKS: Family[KnownBlock, Unknown] = Family(
    [
        Shape(Text, {"type": "text"}, {"text": TEXT}, {"citations": ARRAY}),
        Shape(Thinking, {"type": "thinking"}, {"thinking": TEXT}, {"signature": TEXT}),
        Shape(RedactedThinking, {"type": "redacted_thinking"}, {"data": TEXT}),
        Shape(ToolUse, {"type": "tool_use"}, _CALL, {"caller": OBJECT}),
        Shape(ServerToolUse, {"type": "server_tool_use"}, _CALL, {"caller": OBJECT}),
        _SERVER_TOOL_RESULT,
        Shape(
            ResultBlock,
            {"type": "tool_result"},
            {"tool_use_id": TEXT},
            {"content": _INNER_CONTENT, "is_error": FLAG},
        ),
        Shape(Image, {"type": "image"}, {"source": OBJECT}),
        Shape(Document, {"type": "document"}, {"source": OBJECT}, {"title": TEXT}),
        Shape(
            SearchResult,
            {"type": "search_result"},
            {"source": TEXT, "title": TEXT, "content": ARRAY},
        ),
        Shape(ToolReference, {"type": "tool_reference"}, {"tool_name": TEXT}),
    ],
    Unknown,
    _server_result,
)

USAGE: Shape[Usage] = Shape(
    Usage,
    {},
    {},
    {
        "input_tokens": COUNT,
        "output_tokens": COUNT,
        "cache_creation_input_tokens": COUNT,
        "cache_read_input_tokens": COUNT,
    },
    lenient=True,
)
ASSISTANT: Shape[AssistantMessage] = Shape(
    AssistantMessage,
    {"role": "assistant"},
    {"content": _CONTENT},
    {
        "id": TEXT,
        "model": TEXT,
        "stop_reason": TEXT,
        "stop_sequence": TEXT,
        "stop_details": OBJECT,
        "usage": nested(USAGE),
    },
    lenient=True,
)
_USER: Shape[UserMessage] = Shape(
    UserMessage, {"role": "user"}, {"content": _CONTENT}, lenient=True
)
