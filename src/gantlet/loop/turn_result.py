"""How a turn ended, and when what the user says meanwhile is delivered."""

from enum import StrEnum

from gantlet.execution import Answer
from gantlet.messages import AssistantMessage, Text, ToolUse, TurnEnd, TurnFinished, blocks_of
from gantlet.messages.value import value


class Priority(StrEnum):
    """When a message that the user sends during a turn is delivered."""

    NOW = "now"
    NEXT = "next"
    LATER = "later"


@value
class TurnResult:
    """How a turn ended.

    Attributes:
        deferred: The call that a hook put off, with which the conversation is taken up again.
    """

    reason: TurnEnd
    message: AssistantMessage | None
    answers: tuple[Answer, ...]
    stop_reason: str | None
    finished: TurnFinished
    deferred: ToolUse | None = None

    @property
    def text(self) -> str:
        """The model's last words."""
        blocks = blocks_of(self.message) if self.message is not None else ()
        return "".join(block.text for block in blocks if isinstance(block, Text))
