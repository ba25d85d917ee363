"""Many cases, one line each: a verdict for every line, whatever stands on it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn, cast

from gantlet.messages import Behaviour, JsonValue
from gantlet.messages.value import value
from gantlet.surfaces.permission_judge import RuleTexts, judge_for, mode_named
from gantlet.tool import UserError

_MAX_LINE_BYTES = 8 * 1024 * 1024


@value
class Batch:
    """Judges cases; those that do not say where they are, are here."""

    cwd: str
    home: str

    def answers(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield one line of JSON for each line that is not blank, in order."""
        return (self.answer(line) for line in lines if line.strip())

    def answer(self, line: bytes) -> str:
        """Return what one line comes to. What cannot be judged is denied."""
        case: object = None
        try:
            case = _read(line)
            answer = self.judge(case)
        except UserError as error:
            answer = _refused(str(error))
        except Exception as error:  # noqa: BLE001 - one line's failure must not end the run
            answer = _refused(f"The case could not be judged ({type(error).__name__}).")
        known_id = case.get("id") if isinstance(case, Mapping) else None
        return json.dumps({"id": known_id, **answer})

    def judge(self, case: object) -> dict[str, JsonValue]:
        """Return the verdict on a case.

        Raises:
            UserError: It is no case; the message says why.
        """
        if not isinstance(case, Mapping):
            raise UserError("A case is an object.")
        tool, given = case.get("tool"), case.get("input", {})
        if not isinstance(tool, str) or not tool:
            raise UserError("A case needs 'tool', the name of a tool.")
        if not isinstance(given, Mapping):
            raise UserError("'input' of a case must be an object.")
        judge = judge_for(
            RuleTexts.read(case.get("rules")),
            mode_named(case.get("mode")),
            _directory(case, "cwd", self.cwd),
            _directory(case, "home", self.home),
        )
        verdict = judge.verdict(tool, cast(Mapping[str, JsonValue], given))
        return {
            "decision": str(verdict.behaviour),
            "reason": verdict.reason,
            "layer": verdict.layer,
            "rule": verdict.rule or None,
        }


def _read(line: bytes) -> object:
    """Return what stands on a line.

    Raises:
        UserError: It is no JSON.
    """
    if len(line) > _MAX_LINE_BYTES:
        raise UserError(f"The line is longer than {_MAX_LINE_BYTES} bytes.")
    try:
        return json.loads(line, parse_constant=_no_number)
    except RecursionError as error:
        raise UserError("The line is nested too deeply.") from error
    except ValueError as error:
        raise UserError(f"The line is no JSON: {error}.") from error


def _no_number(text: str) -> NoReturn:
    """Refuse what JSON does not know."""
    raise ValueError(f"{text} is no number")


def _directory(case: Mapping[object, object], name: str, fallback: str) -> str:
    """Return a directory of a case."""
    given = case.get(name)
    if given is None:
        return fallback
    if not isinstance(given, str):
        raise UserError(f"{name!r} of a case must be a text.")
    return given


def _refused(reason: str) -> dict[str, JsonValue]:
    """Return a no to what is no case."""
    return {"decision": str(Behaviour.DENY), "reason": reason, "layer": "case", "rule": None}
