"""How calls are executed, as a user may set it."""

from enum import StrEnum

from gantlet.execution.oversize import REPLY_BUDGET_CHARS
from gantlet.messages.value import value
from gantlet.system import Environment
from gantlet.tool import UserError

CONCURRENCY_VARIABLE = "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"
DEFAULT_CONCURRENCY = 10


class SiblingFailure(StrEnum):
    """What a failed call means for the others of the same reply."""

    DEPENDENT = "dependent"
    ALL = "all"
    OFF = "off"


@value
class ExecutionSettings:
    """The knobs of the executor.

    Attributes:
        max_concurrency: How many tools run at once; `inf` for no limit.
        sibling_failure: One of the kinds; its name will do.
        streaming: Start calls while the reply still streams; else after it, in batches.
        block_seconds: How long a call that asked not to be interrupted may go on after it was.

    Raises:
        UserError: There is no such kind of sibling failure.
    """

    max_concurrency: float = DEFAULT_CONCURRENCY
    sibling_failure: SiblingFailure = SiblingFailure.DEPENDENT
    streaming: bool = True
    block_seconds: float = 30.0
    reply_budget_chars: int = REPLY_BUDGET_CHARS

    def __post_init__(self) -> None:
        try:
            kind = SiblingFailure(self.sibling_failure)
        except ValueError:
            names = ", ".join(SiblingFailure)
            raise UserError(
                f"sibling_failure is {self.sibling_failure!r}. Give one of: {names}."
            ) from None
        object.__setattr__(self, "sibling_failure", kind)


def concurrency_from(environment: Environment) -> int:
    """Return how many tools may run at once; what is no positive number counts as unset."""
    text = environment.variables.get(CONCURRENCY_VARIABLE, "").strip()
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    return DEFAULT_CONCURRENCY
