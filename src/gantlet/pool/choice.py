"""Whether and which tool a model must use."""

from typing import Literal

from gantlet.messages.value import value


@value
class ToolChoice:
    """Whether and which tool the model must use."""

    type: Literal["auto", "any", "tool", "none"] = "auto"
    name: str = ""
    disable_parallel_tool_use: bool = False

    def __post_init__(self) -> None:
        if (self.type == "tool") != bool(self.name):
            raise ValueError("A tool choice names a tool exactly when its type is 'tool'.")

    def to_wire(self) -> dict[str, object]:
        """Return the choice as the API takes it."""
        wire: dict[str, object] = {"type": self.type}
        if self.name:
            wire["name"] = self.name
        if self.disable_parallel_tool_use and self.type != "none":
            wire["disable_parallel_tool_use"] = True
        return wire
