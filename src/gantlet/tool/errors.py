"""Failures on purpose: the ones a model reads, and the ones a person reads."""

from gantlet.messages.value import value


class ToolError(Exception):
    """The model reads this and adapts: say what happened, to which thing, and what to do next.

    `is_benign` marks an answer in the form of a failure ("nothing found"), which says nothing about
    other calls. `is_plain` marks a text that the model reads exactly as it is, without the marks
    around an error.
    """

    def __init__(
        self, message: str = "", *, is_benign: bool = False, is_plain: bool = False
    ) -> None:
        super().__init__(message)
        self.is_benign = is_benign
        self.is_plain = is_plain


class UserError(Exception):
    """A person reads this as one line, without a traceback."""


class ToolDefinitionError(TypeError):
    """Whoever wrote a tool reads this: its definition cannot work."""


@value
class Problem:
    """A tool that was left out, or something about it that was, and why."""

    tool_name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.tool_name}: {self.reason}"


@value
class Rejected:
    """A tool's own check said no: the input is well formed but makes no sense here."""

    message: str
    code: int = 0


class TooHeavyError(ValueError):
    """Checking a value against its schema could take too long."""
