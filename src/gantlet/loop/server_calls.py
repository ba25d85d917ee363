"""Calls that the API runs itself, whose answers stand in the same reply."""

from collections.abc import Iterable

from gantlet.messages import Block, ServerToolResult, ServerToolUse


def without_unanswered(blocks: Iterable[Block]) -> list[Block]:
    """Return blocks without calls of the API that have no answer: it takes none back so."""
    blocks = list(blocks)
    if not any(isinstance(block, ServerToolUse) for block in blocks):
        return blocks
    answered = {block.tool_use_id for block in blocks if isinstance(block, ServerToolResult)}
    return [
        block for block in blocks if not isinstance(block, ServerToolUse) or block.id in answered
    ]
