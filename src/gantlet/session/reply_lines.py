"""What is written of a reply: each block when it is complete, and what was wrong with them."""

from dataclasses import field

from gantlet.loop.container import CONTAINER, container_of
from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockFinished,
    JsonValue,
    ReplyLost,
    Text,
    ToolUse,
    blocks_of,
)
from gantlet.messages.value import slotted
from gantlet.session import entries
from gantlet.session.pen import Pen
from gantlet.system import new_id


@slotted
class _Reply:
    """The reply that is being written, block by block."""

    id: str
    parent: str | None
    blocks: list[tuple[Block, str]] = field(default_factory=list)


class ReplyLines:
    """Writes the blocks of a reply, and holds them against the reply when it is whole.

    Args:
        owners: Where the line of each block that asks for a call is noted.
    """

    def __init__(self, pen: Pen, owners: dict[str, str]) -> None:
        self._pen = pen
        self._owners = owners
        self._reply: _Reply | None = None

    def hear_block(self, finished: BlockFinished) -> None:
        """Write a block that is complete."""
        self._take_block(finished.block, finished.message_id, finished.model)

    def enter(self, message: AssistantMessage) -> None:
        """Write what of a reply is missing, and take back what is no part of it after all."""
        kept = list(blocks_of(message))
        written = self._reply.blocks if self._reply is not None else []
        dropped = [line for block, line in written if block not in kept]
        stays = [(block, line) for block, line in written if block in kept]
        if dropped:
            self._pen.put_aside(entries.DROPPED, uuids=list(dropped))
            before = self._reply.parent if self._reply is not None else self._pen.leaf
            self._pen.leaf = stays[-1][1] if stays else before
        for block in kept[len(stays) :]:
            self._take_block(block, message.id, message.model)
        usage = message.usage
        container = container_of((message,))
        more: dict[str, JsonValue] = {} if container is None else {CONTAINER: dict(container)}
        self._pen.put_aside(
            entries.REPLY,
            messageId=self._reply.id if self._reply is not None else message.id,
            stopReason=message.stop_reason,
            model=message.model,
            inputTokens=usage.input_tokens if usage is not None else 0,
            outputTokens=usage.output_tokens if usage is not None else 0,
            **more,
        )
        self._reply = None

    def lose(self, lost: ReplyLost) -> None:
        """Take back a reply that broke off."""
        reply, self._reply = self._reply, None
        if reply is not None:
            lines: list[JsonValue] = [line for _, line in reply.blocks]
            self._pen.put_aside(
                entries.LOST, uuids=lines, toolUseIds=list(lost.call_ids), reason=lost.reason
            )
            self._pen.leaf = reply.parent

    def forget(self) -> None:
        """Let go of a reply of which nothing more will come."""
        self._reply = None

    def _take_block(self, block: Block, message_id: str | None, model: str | None) -> None:
        """Write a block of the reply that is being said."""
        if isinstance(block, Text) and not block.text.strip():
            return
        pen = self._pen
        if self._reply is None:
            self._reply = _Reply(message_id or f"msg_{new_id()}", pen.leaf)
        said = entries.assistant_message(block, self._reply.id, model)
        line = pen.put_next(pen.scene.chained("assistant", pen.leaf, message=dict(said)))
        self._reply.blocks.append((block, line))
        if isinstance(block, ToolUse):
            self._owners[block.id] = line
