"""What has happened in a conversation so far, as a script may ask about it."""

from dataclasses import field

from gantlet.messages import (
    AssistantMessage,
    Block,
    Message,
    ResultBlock,
    Text,
    ToolUse,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import slotted, value
from gantlet.models.scripted.script import Condition, ResultTest

#: Opens what programs put among the user's words.
_REMINDER = "<system-reminder>"


@value
class Seen:
    """A result and the tool it came from."""

    id: str
    tool: str
    text: str
    is_error: bool


@slotted
class Scene:
    """What a script can see. It grows with each message.

    Attributes:
        results: The newest results: those since the last reply, in their order.
        texts: What the user said, oldest first; reminders that programs add are left out.
        replies: How many replies there have been.
    """

    system: str = ""
    model: str = ""
    results: list[Seen] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    replies: int = 0
    _by_id: dict[str, Seen] = field(default_factory=dict)
    _tools: dict[str, str] = field(default_factory=dict)

    def add(self, message: Message) -> None:
        """Take one more message into account."""
        if isinstance(message, AssistantMessage):
            self.replies += 1
            self.results = []
            calls = (block for block in blocks_of(message) if isinstance(block, ToolUse))
            self._tools.update((call.id, call.name) for call in calls)
        else:
            self._add_heard(message)

    def has_call(self, call_id: str) -> bool:
        """Say whether a call of that id has been asked."""
        return call_id in self._tools

    def user_text(self, number: int | None = None) -> str | None:
        """Return what the user said last, or the text of that number, counted from 1."""
        at = (number or len(self.texts)) - 1
        return self.texts[at] if 0 <= at < len(self.texts) else None

    def result(self, which: str) -> Seen | None:
        """Return a result by its number among the newest, as `last`, or by its call's id."""
        if which == "last":
            return self.results[-1] if self.results else None
        numbered = {str(at): seen for at, seen in enumerate(self.results, start=1)}
        return numbered.get(which) or self._by_id.get(which)

    def meets(self, condition: Condition) -> bool:
        """Say whether a condition holds now."""
        tests = (
            (condition.user, self.user_text() or ""),
            (condition.system, self.system),
            (condition.model, self.model),
        )
        return (
            all(test is None or test.holds_for(text) for test, text in tests)
            and (condition.result is None or self._has_result(condition.result))
            and (condition.excluded is None or not self.meets(condition.excluded))
        )

    def _has_result(self, test: ResultTest) -> bool:
        """Say whether one of the newest results passes."""
        return any(
            (test.tool is None or test.tool == seen.tool)
            and (test.is_error is None or test.is_error == seen.is_error)
            and test.text.holds_for(seen.text)
            for seen in self.results
        )

    def _add_heard(self, message: UserMessage) -> None:
        """Take results and words into account."""
        words = []
        for block in blocks_of(message):
            if isinstance(block, ResultBlock):
                seen = Seen(
                    id=block.tool_use_id,
                    tool=self._tools.get(block.tool_use_id, ""),
                    text=text_of(block.content),
                    is_error=bool(block.is_error),
                )
                self.results.append(seen)
                self._by_id[seen.id] = seen
            elif isinstance(block, Text) and not block.text.startswith(_REMINDER):
                words.append(block.text)
        if words:
            self.texts.append("\n".join(words))


def text_of(content: str | tuple[Block, ...] | None) -> str:
    """Return the text in a content."""
    if isinstance(content, tuple):
        return "\n".join(block.text for block in content if isinstance(block, Text))
    return content or ""
