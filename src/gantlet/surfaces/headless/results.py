"""How each run ended: written for whoever waits for it, and counted."""

from collections.abc import Mapping

from gantlet.assembly.run_result import RunResult
from gantlet.messages import JsonValue, TurnEnd, TurnFinished, Usage
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.frames import Frame
from gantlet.surfaces.headless.prompts import Prompt
from gantlet.surfaces.headless.result_fields import is_failure, result_fields


class Results:
    """Writes the results of one run of the program; the last one decides the exit code."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.exit_code = 0

    def report(self, run: RunResult, extra: Mapping[str, JsonValue] | None = None) -> None:
        """Write how a run ended."""
        desk = self._desk
        turn = desk.telling.turn or TurnFinished(run.reason, run.usage)
        frame = desk.telling.frames.result(result_fields(run, turn) | dict(extra or {}))
        was_stopped = run.reason in (TurnEnd.ABORTED_STREAMING, TurnEnd.ABORTED_TOOLS)
        self.exit_code = 1 if is_failure(run) and not was_stopped else 0
        desk.spent_usd += run.cost_usd or 0.0
        desk.sink.result(frame)

    def say(self, text: str) -> None:
        """Write a result that no model had a part in."""
        self._desk.telling.turn = None
        self.report(RunResult(text, 0, Usage(), 0.0, (), TurnEnd.COMPLETED))

    def fail(
        self,
        text: str,
        prompt: Prompt,
        ended: TurnEnd = TurnEnd.TURN_SETUP_FAILED,
        limit: str = "",
    ) -> None:
        """Write that something could not even begin."""
        self._desk.telling.turn = None
        extra: Frame = {} if prompt.origin is None else {"origin": prompt.origin}
        self.report(RunResult("", 0, Usage(), 0.0, (), ended, errors=(text,), limit=limit), extra)
        if not self._desk.sink.is_stream:
            self._desk.sink.complain(text)
