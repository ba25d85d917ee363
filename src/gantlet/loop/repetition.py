"""Notice a model that makes the same call with the same result over and over."""

from gantlet.execution import Answer
from gantlet.execution.outcome import Invalid
from gantlet.loop.coming_block import INVALID_JSON_KEY
from gantlet.messages.value import slotted

NOTICE_AFTER = 3
STOP_AFTER = 6
MALFORMED_STOP_AFTER = 3


@slotted
class Repetition:
    """Counts calls that are the same as the one before, and calls whose input was no JSON.

    Attributes:
        is_malformed: Whether the model has stopped sending JSON.
    """

    is_malformed: bool = False
    _last: tuple[object, ...] | None = None
    _same: int = 0
    _most: int = 0
    _malformed: int = 0

    def note(self, answer: Answer) -> str:
        """Count one call; return a reminder for the model, or nothing."""
        call = answer.call
        is_malformed = type(answer.outcome) is Invalid and INVALID_JSON_KEY in call.input
        self._malformed = self._malformed + 1 if is_malformed else 0
        if self._malformed >= MALFORMED_STOP_AFTER:
            self.is_malformed = True
        this = (call.name, call.input, answer.block.content)
        self._same = self._same + 1 if this == self._last else 1
        self._last = this
        self._most = max(self._most, self._same)
        if self._same != NOTICE_AFTER:
            return ""
        return (
            f"You have called {answer.call.name} {self._same} times with the same input and the"
            " same result. Doing it again changes nothing: try another way, or ask the user."
        )

    @property
    def problem(self) -> str:
        """Why the turn should end, or nothing."""
        if self._most >= STOP_AFTER:
            return f"The same call gave the same result {self._most} times in a row."
        return ""
