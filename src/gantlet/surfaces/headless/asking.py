"""Whether a call may run, asked of the program that drives us."""

from collections.abc import Callable, Mapping

from gantlet.messages import JsonValue, dumps
from gantlet.permissions import (
    Answer,
    Asker,
    No,
    Question,
    Unanswered,
    Update,
    Yes,
    read_update,
    write_update,
)
from gantlet.surfaces.headless.control import Control, ControlError
from gantlet.surfaces.headless.outlet import MAX_LINE_BYTES, shortened
from gantlet.tool import UserError

HOST = "the program"
#: Leaves room for the rest of the question in a line of the longest length.
MAX_INPUT_BYTES = MAX_LINE_BYTES * 3 // 4


class ControlAsker:
    """Asks the other side with `can_use_tool`, and waits as long as it takes."""

    def __init__(
        self, control: Control, interrupt: Callable[[], None], waiting: Callable[[bool], None]
    ) -> None:
        self._control = control
        self._interrupt = interrupt
        self._waiting = waiting

    async def ask(self, question: Question) -> None:
        """Send the question and pass the answer on."""
        self._waiting(True)
        try:
            request = _request(question)
            told = await self._control.ask("can_use_tool", seconds=None, **request)
            if told.get("updatedInput") == request["input"]:
                told = {**told, "updatedInput": None}  # as it was shown, perhaps cut
            answer, stops = read_answer(told)
        except ControlError as error:
            answer, stops = Unanswered(str(error)), False
        finally:
            self._waiting(False)
        if question.answer(answer) and stops:
            self._interrupt()

    def quietly(self) -> Asker | None:
        """Return None: a person may sit behind the program."""
        return None


def shown_input(given: Mapping[str, JsonValue]) -> JsonValue:
    """Return an input as the other side can take it in one line: its longest texts may be cut."""
    whole = dict(given)
    if len(dumps(whole)) <= MAX_INPUT_BYTES:
        return whole
    return dict(shortened(whole, MAX_INPUT_BYTES))


def _request(question: Question) -> dict[str, JsonValue]:
    """Return what the other side is told about a call."""
    verdict, call = question.verdict, question.request.call
    fields: dict[str, JsonValue] = {
        "tool_name": question.request.tool.name,
        "input": shown_input(call.input),
        "tool_use_id": call.id,
        "permission_suggestions": [write_update(update) for update in verdict.suggestions],
        "decision_reason": verdict.reason,
        "decision_reason_type": verdict.layer,
    }
    if verdict.rule:
        fields["matched_ask_rule"] = verdict.rule
    return fields


def read_answer(told: Mapping[str, JsonValue]) -> tuple[Answer, bool]:
    """Return what an answer means, and whether the turn is to stop; nonsense is no yes."""
    behaviour = told.get("behavior")
    if behaviour == "allow":
        updated = told.get("updatedInput")
        if updated is not None and not isinstance(updated, dict):
            return Unanswered("the answer's updatedInput is no object"), False
        try:
            updates = _updates(told.get("updatedPermissions"))
        except UserError as error:
            return Unanswered(f"the answer's updatedPermissions cannot be read: {error}"), False
        return Yes(updated_input=updated, updates=updates, by=HOST), False
    if behaviour == "deny":
        words = told.get("message")
        text = words if isinstance(words, str) and words else "It was denied."
        return No(words=text, by=HOST), told.get("interrupt") is True
    return Unanswered(f"the answer's behavior is {behaviour!r}, neither allow nor deny"), False


def _updates(listed: JsonValue) -> tuple[Update, ...]:
    """Return the changes an answer brings."""
    if not isinstance(listed, list):
        return ()
    return tuple(read_update(one) for one in listed if isinstance(one, dict))
