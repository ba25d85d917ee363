"""Whether a history is one that the Messages API accepts, and if not, why."""

from collections.abc import Sequence

from gantlet.messages import (
    AssistantMessage,
    Block,
    Message,
    ResultBlock,
    Text,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
)

_OWN_TYPES = frozenset({"text", "tool_use", "tool_result", "thinking", "image", "document"})


def check_history(messages: Sequence[Message]) -> str:
    """Return what is wrong with a history, in the words of the API where it has some, or nothing.

    Each call is answered in the message right after it, results come first there, ids are unique,
    nothing is empty, and the user begins.
    """
    if not messages:
        return "messages: at least one message is required"
    if not isinstance(messages[0], UserMessage):
        return 'messages: first message must use the "user" role'
    seen: set[str] = set()
    for at, message in enumerate(messages):
        before = messages[at - 1] if at else None
        is_last = at == len(messages) - 1
        problem = (
            _check_content(at, message, is_last=is_last)
            or _check_role(at, message)
            or _check_results(at, message, before)
            or _check_calls(at, message, seen, is_last=is_last)
        )
        if problem:
            return problem
    return ""


def _check_content(at: int, message: Message, *, is_last: bool) -> str:
    """Refuse emptiness, and blocks that lack what their type needs."""
    may_be_empty = is_last and isinstance(message, AssistantMessage)
    if not message.content and not may_be_empty:
        return (
            f"messages.{at}: all messages must have non-empty content except for the optional "
            "final assistant message"
        )
    for place, block in enumerate(blocks_of(message) if message.content else ()):
        problem = _check_block(f"messages.{at}.content.{place}", block)
        if problem:
            return problem
    return ""


def _check_block(where: str, block: Block) -> str:
    """Refuse a block without words, or one that lacks what its type needs."""
    if isinstance(block, Text):
        return "" if block.text.strip() else f"{where}: text content blocks must be non-empty"
    if isinstance(block, Unknown):
        kind = block.raw.get("type") if isinstance(block.raw, dict) else None
        if not isinstance(kind, str):
            return f"{where}: Input should be an object with a type"
        if kind in _OWN_TYPES:
            return f"{where}: the {kind} block lacks a field, or one has the wrong type"
    return ""


def _check_role(at: int, message: Message) -> str:
    """Refuse calls by the user and results by the model."""
    blocks = blocks_of(message)
    if isinstance(message, UserMessage) and any(isinstance(block, ToolUse) for block in blocks):
        return f"messages.{at}: `tool_use` blocks can only be in `assistant` messages"
    if isinstance(message, AssistantMessage) and any(
        isinstance(block, ResultBlock) for block in blocks
    ):
        return f"messages.{at}: `tool_result` blocks can only be in `user` messages"
    return ""


def _check_results(at: int, message: Message, before: Message | None) -> str:
    """Refuse results that answer nothing, answer twice, come late in a message, or are missing."""
    asked = _calls(before) if isinstance(before, AssistantMessage) else []
    blocks = blocks_of(message)
    given = [block.tool_use_id for block in blocks if isinstance(block, ResultBlock)]
    strangers = [call_id for call_id in given if call_id not in asked]
    if strangers:
        return (
            f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: "
            f"{', '.join(strangers)}. Each `tool_result` block must have a corresponding "
            "`tool_use` block in the previous message."
        )
    missing = [call_id for call_id in asked if call_id not in given]
    if missing:
        return _unanswered(at - 1, missing)
    if len(set(given)) < len(given):
        return f"messages.{at}: each `tool_use` must have a single result; one has two."
    if any(not isinstance(block, ResultBlock) for block in blocks[: len(given)]):
        return f"messages.{at}: `tool_result` blocks must come first in the message."
    return ""


def _check_calls(at: int, message: Message, seen: set[str], *, is_last: bool) -> str:
    """Refuse ids that were used before, and calls after which nothing comes."""
    calls = _calls(message)
    for call_id in calls:
        if call_id in seen:
            return f"messages.{at}: `tool_use` ids must be unique: {call_id}"
        seen.add(call_id)
    return _unanswered(at, calls) if is_last and calls else ""


def _calls(message: Message) -> list[str]:
    """Return the ids of the calls in a message."""
    return [block.id for block in blocks_of(message) if isinstance(block, ToolUse)]


def _unanswered(at: int, ids: Sequence[str]) -> str:
    """Say that calls have no result."""
    return (
        f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in "
        "the next message."
    )
