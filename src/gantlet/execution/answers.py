"""From an outcome to the one answer of a call."""

import logging

from gantlet.execution import texts
from gantlet.execution.abort import Abort, AbortKind
from gantlet.execution.floor import as_json, stopped
from gantlet.execution.foreign import bug_in, contained_now
from gantlet.execution.masking import masked_content, masked_json
from gantlet.execution.outcome import (
    Answer,
    Cancelled,
    Failed,
    Interrupted,
    Outcome,
    Succeeded,
    ending_of,
)
from gantlet.execution.outputs import content_of, structured_of, without_bulk
from gantlet.execution.oversize import PREVIEW_CHARS, Spill, size_of
from gantlet.execution.pipeline import CallRun
from gantlet.execution.tracked import Tracked
from gantlet.messages import CallFinished, OutcomeKind, ResultBlock
from gantlet.messages.value import replace
from gantlet.system import Masker
from gantlet.tool import AnyTool, ContextModifier, Surroundings, ToolResult

_log = logging.getLogger(__name__)

#: What a call that did not succeed hands back.
_NO_OUTPUT: ToolResult[object] = ToolResult(None)
_IS_ERROR: bool | None = True


def make_answer(tracked: Tracked, outcome: Outcome, run: CallRun | None, now: float) -> Answer:
    """Return all that a call leaves behind. Never raises: a tool's nonsense is a failure."""
    try:
        structured, chars = structured_of(outcome), size_of(outcome.content)
    except Exception as error:  # noqa: BLE001 - every call has an answer
        _log.exception("What %s returned cannot be an answer.", tracked.name)
        outcome = broken(tracked, error)
        structured, chars = structured_of(outcome), size_of(outcome.content)
    record, call = tracked.record, tracked.prepared.call
    record.ended_at, record.result_chars, record.measured = now, chars, call.input
    record.outcome, record.event = ending_of(outcome)
    output, is_error = _NO_OUTPUT, _IS_ERROR
    if isinstance(outcome, Succeeded):
        output, is_error = outcome.output, None
    elif isinstance(outcome, Failed):
        record.error_class = outcome.error_class
    return Answer(
        call,
        outcome,
        ResultBlock(call.id, outcome.content, is_error),
        record,
        structured,
        output.new_messages,
        output.meta,
        () if run is None else run.context,
        None if run is None else run.stop,
        run is not None and run.defers,
        output.context_modifier,
    )


def broken(tracked: Tracked, error: Exception) -> Failed:
    """Return the outcome of a call on which something broke that should not have."""
    return bug_in(tracked.name, error)


def cut_short(tracked: Tracked, run: CallRun, spill: Spill, masker: Masker) -> Outcome:
    """Return the outcome of a cancelled call; a tool that had finished keeps its output."""
    reason = tracked.abort.reason or Abort(AbortKind.ENDED)
    tool = tracked.prepared.tool
    if run.output is None or tool is None:
        outcome = stopped(reason, has_run=tracked.has_run)
        return outcome if tool is None else _with_what_came(outcome, tracked, tool, masker)
    try:
        content = masked_content(masker, content_of(tool, run.output))
        fitted = spill.fit_now(tracked.prepared.call.id, content, tool.max_result_chars)
    except Exception as error:  # noqa: BLE001 - a failure becomes a value here, never a lost call
        return broken(tracked, error)
    output = run.output if fitted is content else without_bulk(run.output, fitted)
    return Succeeded(output, fitted)


def _with_what_came(outcome: Outcome, tracked: Tracked, tool: AnyTool, masker: Masker) -> Outcome:
    """Return the outcome of a stopped call with what its tool has to say of it."""
    if not tracked.has_run or not isinstance(outcome, Interrupted | Cancelled):
        return outcome
    try:
        said = masker.text(contained_now(lambda: tool.unfinished(tracked.prepared.call.id)))
    except Exception:  # noqa: BLE001 - the text is only a courtesy
        _log.exception("What %s had done cannot be told.", tracked.name)
        return outcome
    return replace(outcome, content=f"{said}\n{outcome.content}") if said else outcome


def finishing_of(answer: Answer, masker: Masker) -> CallFinished:
    """Return what is told of a call that has its answer."""
    record, structured = answer.record, answer.structured
    if type(structured) is not str:  # which was masked when it came; a tool's own object was not
        structured = masked_json(masker, as_json(structured))
    began = record.started_at if record.started_at is not None else record.ended_at
    return CallFinished(
        answer.call.id,
        answer.call.name,
        record.outcome or OutcomeKind.UNKNOWN,
        answer.block,
        duration_seconds=(record.ended_at or 0.0) - (began or 0.0),
        structured=structured,
        waited_for=tuple(record.waited_for),
    )


def within_budget(answer: Answer, tracked: Tracked, spill: Spill) -> Answer:
    """Return an answer whose text was sent to a file because the reply has no room left for it.

    What is no longer than a preview stays: a file would save nothing. So does what no file takes.
    """
    if size_of(answer.outcome.content) <= PREVIEW_CHARS:
        return answer
    try:
        outcome = _in_a_file(answer, spill)
    except Exception:  # noqa: BLE001 - a result that is too long is better than none
        _log.exception("What %s returned cannot be saved; this is a bug.", tracked.name)
        return answer
    if outcome is answer.outcome:
        return answer
    tracked.record.result_chars = size_of(outcome.content)
    block = replace(answer.block, content=outcome.content)
    return replace(answer, outcome=outcome, block=block, structured=structured_of(outcome))


def _in_a_file(answer: Answer, spill: Spill) -> Outcome:
    """Return an outcome whose text was sent to a file, if it has one that can be."""
    outcome = answer.outcome
    if isinstance(outcome, Succeeded):
        fitted = spill.fit_now(answer.call.id, outcome.content, limit=0)
        return Succeeded(without_bulk(outcome.output, fitted), fitted)
    if isinstance(outcome, Failed):
        message = str(spill.fit_now(answer.call.id, texts.unwrapped(str(outcome.content)), limit=0))
        wrapped = texts.like(str(outcome.content), message)
        return replace(outcome, content=wrapped, message=message)
    return outcome


def changed_by(modifier: ContextModifier, surroundings: Surroundings) -> Surroundings:
    """Return the surroundings as a call's change leaves them. Raises what the change raises.

    Raises:
        TypeError: The change is none.
    """
    changed: object = contained_now(lambda: modifier(surroundings))
    if not isinstance(changed, Surroundings):
        raise TypeError(f"it returned {changed!r}")
    return changed
