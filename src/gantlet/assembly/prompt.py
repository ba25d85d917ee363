"""What a program says to an agent, as a message."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, get_args

from gantlet.loop import may_be_said
from gantlet.messages import Block, Text, UserMessage, block_from_wire

#: A block may also be a text, or be written as on the wire.
Piece: TypeAlias = Block | str | Mapping[str, object]
Prompt: TypeAlias = str | Sequence[Piece]

_BLOCKS: tuple[type, ...] = get_args(Block)


def message_of(prompt: Prompt) -> UserMessage:
    """Return a prompt as a message; texts without a word in them are left out.

    Raises:
        ValueError: There is nothing in it, or something that only a model or a tool may say.
        TypeError: It is neither a text nor a sequence of blocks.
    """
    pieces = (prompt,) if isinstance(prompt, str) else _pieces(prompt)
    blocks = [_block(piece) for piece in pieces]
    for block in blocks:
        if not isinstance(block, Text) and not may_be_said(block):
            raise ValueError(f"A prompt cannot hold a {type(block).__name__} block.")
    said = tuple(block for block in blocks if may_be_said(block))
    if not said:
        raise ValueError("The prompt is empty.")
    return UserMessage(said)


def _pieces(prompt: object) -> Sequence[Piece]:
    """Return the parts of a prompt that is no text."""
    if isinstance(prompt, Sequence) and not isinstance(prompt, bytes | bytearray):
        return prompt
    raise TypeError(f"A prompt is a text or a list of blocks, not {type(prompt).__name__}.")


def _block(piece: Piece) -> Block:
    """Return a part of a prompt as a block."""
    if isinstance(piece, str):
        return Text(piece)
    if isinstance(piece, Mapping):
        return block_from_wire(dict(piece))
    if isinstance(piece, _BLOCKS):
        return piece
    raise TypeError(f"A prompt is made of texts and blocks, not of {type(piece).__name__}.")
