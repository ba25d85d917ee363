"""What calls of a lost reply already did, so that the next attempt does not do it twice."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from gantlet.execution import texts
from gantlet.execution.outcome import (
    Cancelled,
    Failed,
    Interrupted,
    Outcome,
    Succeeded,
    Unknown,
)
from gantlet.messages import Text, ToolUse
from gantlet.messages.value import slotted, value
from gantlet.tool import ToolResult, as_text


@value
class Effect:
    """A call that was started, was not read-only, and does not count any more."""

    name: str
    input: Mapping[str, object]
    outcome: Outcome

    def answer(self) -> Outcome:
        """Return the outcome of the same call when it is asked for again."""
        match self.outcome:
            case Succeeded(_, str() as content):
                text = texts.repeated(content)
                return Succeeded(ToolResult(text), text)
            case Succeeded(_, tuple() as blocks):
                told = (Text(texts.repeated("").rstrip()), *blocks)
                return Succeeded(ToolResult(told), told)
            case Failed(str() as content):
                text = texts.repeated(content)
                return Failed(text, text, "RepeatedCall", is_benign=True)
            case Failed(tuple() as blocks, message):
                told = (Text(texts.repeated("").rstrip()), *blocks)
                return Failed(told, message, "RepeatedCall", is_benign=True)
            case Cancelled() | Interrupted() | Unknown():
                return Unknown(texts.REPEATED_UNKNOWN)
            case _:
                raise AssertionError("a call that was not run has no effect")


def _is_same(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; to Python `true` is 1, to a tool it is not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)


@slotted
class Effects:
    """The effects of lost replies that nobody has asked for again yet."""

    remaining: list[Effect] = field(default_factory=list)

    def add(self, effects: Iterable[Effect]) -> None:
        """Take note of more effects."""
        self.remaining += effects

    def take(self, call: ToolUse) -> Effect | None:
        """Return the effect of this very call, once."""
        for number, effect in enumerate(self.remaining):
            if effect.name == call.name and _is_same(effect.input, call.input):
                return self.remaining.pop(number)
        return None

    def report(self) -> str:
        """Return, for the model, what already happened without its knowing; and forget it."""
        lines = [f"- {effect.name} {as_text(effect.input)[:300]}" for effect in self.remaining]
        self.remaining.clear()
        return "\n".join([texts.ALREADY_HAPPENED, *lines])
