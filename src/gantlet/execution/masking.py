"""Secrets leave a result when it is made, so that model, disk and screen hold the same text."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args

from gantlet.execution.outcome import Failed
from gantlet.messages import (
    Block,
    Document,
    FrozenDict,
    JsonValue,
    Message,
    ResultBlock,
    SearchResult,
    Text,
    Unknown,
    freeze,
)
from gantlet.messages.value import replace
from gantlet.system import Masker
from gantlet.tool import ResultContent, ToolResult

#: Where the bytes of pictures and documents stand; a mask in there would only break them.
_BYTES = frozenset({"data", "base64"})
_BLOCK_TYPES = get_args(Block)
#: Where blocks hold words, for those a tool may hand back.
_WORDS: Mapping[type, tuple[str, ...]] = {
    Text: ("text", "extra"),
    Document: ("source", "title", "extra"),
    SearchResult: ("source", "title", "content", "extra"),
    ResultBlock: ("content", "extra"),
    Unknown: ("raw",),
}


def masked_output(masker: Masker, output: ToolResult[object]) -> ToolResult[object]:
    """Return what a tool handed back without its secrets; objects of the tool's own stay.

    Data that cannot be read stays, too: it can be no answer, and further on that is told. Programs
    get nothing in place of a structure that cannot be read, or contains itself; nor does the model
    in place of such messages.
    """
    if output.new_messages or type(output.meta) is not dict or output.meta:
        output = _with_masked_company(masker, output)
    try:
        data, structured = output.data, output.structured
    except Exception:  # noqa: BLE001 - a foreign value may do anything when it is looked at
        return output
    with suppress(Exception):  # the same
        data = _masked(masker, data)
    if structured is not None:
        structured = _masked_structure(masker, structured)
    if data is output.data and structured is output.structured:
        return output
    return replace(output, data=data, structured=structured)


def _with_masked_company(masker: Masker, output: ToolResult[object]) -> ToolResult[object]:
    """Return an output whose messages, and what a server sent along, hold no secrets."""
    messages: tuple[Message, ...] = ()
    with suppress(Exception):  # a foreign value may do anything when it is looked at
        messages = tuple(_message(masker, message) for message in output.new_messages)
    meta: object = None
    with suppress(Exception):  # the same
        meta = _masked(masker, dict(output.meta))
    return replace(output, new_messages=messages, meta=meta if isinstance(meta, dict) else {})


def _message(masker: Masker, message: Message) -> Message:
    """Return a message without secrets."""
    content = masked_content(masker, message.content)
    return message if content == message.content else replace(message, content=content)


def _masked_structure(masker: Masker, structured: object) -> object:
    """Return what programs get without secrets; nothing if that cannot be found out."""
    try:
        return _masked(masker, structured)
    except Exception:  # noqa: BLE001 - a foreign value may do anything when it is looked at
        return None


def masked_json(masker: Masker, told: JsonValue) -> JsonValue:
    """Return JSON without its secrets."""
    masked: Any = _masked(masker, told)
    return masked  # type: ignore[no-any-return]  # JSON as before


def masked_content(masker: Masker, content: ResultContent) -> ResultContent:
    """Return what the model reads without its secrets."""
    if isinstance(content, str):
        return masker.text(content)
    return tuple(_block(masker, block) for block in content)


def masked_failure(masker: Masker, failed: Failed) -> Failed:
    """Return a failure whose words hold no secret."""
    content = masked_content(masker, failed.content)
    return replace(failed, content=content, message=masker.text(failed.message))


def _block(masker: Masker, block: Block) -> Block:
    """Return a block without its secrets."""
    changed: dict[str, object] = {}
    for name in _WORDS.get(type(block), ()):
        part = getattr(block, name)
        if part and (new := _masked(masker, part)) is not part:
            changed[name] = freeze(new) if isinstance(new, dict | list) else new
    return replace(block, **changed) if changed else block


def _masked(masker: Masker, item: object) -> object:
    """Return a JSON value, or blocks, without secrets: the same object where there are none."""
    if item is None:
        return None
    if isinstance(item, str):
        text = masker.text(item)
        return item if text == item else text
    if isinstance(item, _BLOCK_TYPES):
        return _block(masker, item)
    if isinstance(item, dict | FrozenDict):
        return _object(masker, item)
    if isinstance(item, list | tuple):
        return _several(masker, item)
    return item


def _object(masker: Masker, item: Mapping[str, object]) -> object:
    """Return an object without secrets."""
    is_media = ("type" in item or "media_type" in item) and item.get("type") != "text"
    parts: dict[str, object] = {}
    is_changed = False
    for name, part in item.items():
        shown = masker.text(name) if isinstance(name, str) else name
        is_bytes = is_media and name in _BYTES and isinstance(part, str)
        parts[shown] = new = part if is_bytes else _masked(masker, part)
        is_changed = is_changed or new is not part or shown != name
    return parts if is_changed else item


def _several(masker: Masker, item: Sequence[object]) -> object:
    """Return a list without secrets."""
    parts = [_masked(masker, part) for part in item]
    if all(new is old for new, old in zip(parts, item, strict=True)):
        return item
    return parts if isinstance(item, list) else tuple(parts)
