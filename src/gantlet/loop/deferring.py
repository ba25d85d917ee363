"""Calls that a hook put off: asked again when the conversation is taken up."""

from collections.abc import Iterable

from gantlet.execution import Answer
from gantlet.messages import ToolUse
from gantlet.messages.value import replace

#: What the model reads of a call that could not be put off because it was not alone.
NOT_ALONE = (
    "A hook wanted to put this call off, which works only for a call that is alone in its reply."
    " It was not run. Ask for it alone."
)


def put_off(answers: tuple[Answer, ...]) -> ToolUse | None:
    """Return the call that a hook put off, if it is alone in its reply."""
    return answers[0].call if len(answers) == 1 and answers[0].defers else None


def refused_deferrals(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return answers in which a call that could not be put off says so."""
    return tuple(_refused(answer) if answer.defers else answer for answer in answers)


def _refused(answer: Answer) -> Answer:
    """Return the answer of a call that was not put off, and not run either."""
    return replace(answer, block=replace(answer.block, content=NOT_ALONE), defers=False)
