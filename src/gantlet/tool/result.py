"""What a tool hands back."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Generic, TypeAlias, TypeVar

from gantlet.messages import Block, Message
from gantlet.messages.value import value
from gantlet.tool.context import Surroundings

_Data = TypeVar("_Data")

ContextModifier: TypeAlias = Callable[[Surroundings], Surroundings]
ResultContent: TypeAlias = str | tuple[Block, ...]


@value
class ToolResult(Generic[_Data]):
    """A tool's output and what comes with it; a tool with only data may return just that.

    Attributes:
        data: The output; `to_result_block` turns it into what the model reads.
        new_messages: Messages for the conversation, after the results.
        context_modifier: A change for later calls; applied only if this call ran alone.
        structured: The output for programs; the data itself where this is None.
        meta: What an MCP server sent along.
    """

    data: _Data
    new_messages: tuple[Message, ...] = ()
    context_modifier: ContextModifier | None = None
    structured: object = None
    meta: Mapping[str, object] = field(default_factory=dict)
