"""What a program says to an agent, as a message."""

from collections.abc import Sequence
from typing import TypeAlias

from gantlet.messages import Block, Text, UserMessage

Prompt: TypeAlias = str | Sequence[Block]


def message_of(prompt: Prompt) -> UserMessage:
    """Return a prompt as a message.

    Raises:
        ValueError: There is nothing in it.
    """
    blocks = (Text(prompt),) if isinstance(prompt, str) else tuple(prompt)
    if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
        raise ValueError("The prompt is empty.")
    return UserMessage(blocks)
