"""Blocks from outside: what the API would refuse where it stands is dropped, or made acceptable."""

import re
from collections.abc import Callable

from gantlet.loop.attachments import may_be_said
from gantlet.loop.history import is_blank
from gantlet.loop.server_calls import without_unanswered
from gantlet.messages import (
    AssistantMessage,
    Block,
    Image,
    Message,
    ResultBlock,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolReference,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace

#: Types that we know: a block of one of them is only unknown because something is wrong with it.
_KNOWN_TYPES = frozenset(
    {"text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "tool_result"}
    | {"image", "document", "search_result", "tool_reference"}
)
#: What names of tools may consist of, and ids of calls.
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME = 128


def mended(message: Message, note: Callable[[str], None]) -> Message:
    """Return a message of blocks that may stand in it, and say what was dropped or changed."""
    blocks = blocks_of(message)
    may_stand = _by_the_user if isinstance(message, UserMessage) else _by_the_model
    kept = [_mended_block(block, note) for block in blocks if _is_kept(block, may_stand, note)]
    if isinstance(message, AssistantMessage):
        kept = _with_server_calls_answered(kept, note)
    return message if tuple(kept) == blocks else replace(message, content=tuple(kept))


def _is_kept(block: Block, may_stand: Callable[[Block], bool], note: Callable[[str], None]) -> bool:
    """Return whether a block is kept; say so if it is not."""
    if isinstance(block, Text) and is_blank(block.text):
        note("empty texts were dropped")
        return False
    if _is_broken(block):
        note("a block without what its type needs was dropped")
        return False
    if isinstance(block, Thinking) and not block.signature:
        note("thinking without a signature was dropped")
        return False
    if not may_stand(block):
        note(f"a {type(block).__name__} block stood in the wrong kind of message; it was dropped")
        return False
    return True


def _is_broken(block: Block) -> bool:
    """Return whether a block lacks what its type needs."""
    if isinstance(block, Image):
        return not block.source.get("type")
    if not isinstance(block, Unknown):
        return False
    kind = block.raw.get("type") if isinstance(block.raw, dict) else None
    return not isinstance(kind, str) or kind in _KNOWN_TYPES


def _by_the_user(block: Block) -> bool:
    """Return whether a block may stand in a message of the user's."""
    return isinstance(block, ResultBlock) or may_be_said(block)


def _by_the_model(block: Block) -> bool:
    """Return whether a block may stand in a reply."""
    return not isinstance(block, ResultBlock | Image | ToolReference)


def _mended_block(block: Block, note: Callable[[str], None]) -> Block:
    """Return a block with what is inside of it made acceptable."""
    if isinstance(block, ToolUse):
        name = _NO_NAME.sub("_", block.name)[:_MAX_NAME] or "unknown"
        if name == block.name:
            return block
        note(f"a call of {block.name!r}, which can be no tool's name, became one of {name!r}")
        return replace(block, name=name)
    if not isinstance(block, ResultBlock) or not isinstance(block.content, tuple):
        return block
    inside = tuple(one for one in block.content if _is_kept(one, _in_a_result, note))
    return block if inside == block.content else replace(block, content=inside or None)


def _in_a_result(block: Block) -> bool:
    """Return whether a block may stand in a result."""
    return isinstance(block, ToolReference) or may_be_said(block)


def _with_server_calls_answered(blocks: list[Block], note: Callable[[str], None]) -> list[Block]:
    """Return the blocks of a reply without calls, and answers, of the API that miss the other."""
    asked = {block.id for block in blocks if isinstance(block, ServerToolUse)}
    kept = [
        block
        for block in without_unanswered(blocks)
        if not isinstance(block, ServerToolResult) or block.tool_use_id in asked
    ]
    if len(kept) != len(blocks):
        note("a call of the API's own tools, or its answer, was dropped: the other was missing")
    return kept


def fit_id(given: str) -> str:
    """Return the id of a call, or the nearest one that the API takes."""
    return _NO_NAME.sub("_", given) or "call"
