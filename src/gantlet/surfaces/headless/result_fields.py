"""What a result of the stream-json protocol says of its run (pure)."""

from collections.abc import Mapping

from gantlet.assembly.run_result import RunResult
from gantlet.messages import ToolUse, TurnEnd, TurnFinished, Usage
from gantlet.surfaces.headless.frames import Frame, usage_fields

#: The kinds of result that say which limit or failure ended a run.
_SUBTYPES: Mapping[TurnEnd, str] = {
    TurnEnd.MAX_TURNS: "error_max_turns",
    TurnEnd.BUDGET_EXHAUSTED: "error_max_budget_usd",
    TurnEnd.STRUCTURED_OUTPUT_RETRY_EXHAUSTED: "error_max_structured_output_retries",
    TurnEnd.ABORTED_STREAMING: "error_during_execution",
    TurnEnd.ABORTED_TOOLS: "error_during_execution",
    TurnEnd.MODEL_ERROR: "error_during_execution",
    TurnEnd.MALFORMED_TOOL_USE_EXHAUSTED: "error_during_execution",
    TurnEnd.TURN_SETUP_FAILED: "error_during_execution",
    TurnEnd.BLOCKING_LIMIT: "error_during_execution",
    TurnEnd.TOOL_DEFERRED_UNAVAILABLE: "error_during_execution",
}
#: Endings that are no failure of ours, though the model did not end by itself.
_FINE = frozenset(
    {
        TurnEnd.COMPLETED,
        TurnEnd.HOOK_STOPPED,
        TurnEnd.STOP_HOOK_PREVENTED,
        TurnEnd.TOOL_DEFERRED,
        TurnEnd.BACKGROUND_REQUESTED,
    }
)


def is_failure(run: RunResult) -> bool:
    """Return whether a program that waits for the run should take it for failed."""
    return run.reason not in _FINE


def result_fields(run: RunResult, turn: TurnFinished) -> Frame:
    """Return how a run ended; `turn` is what its turns took together."""
    subtype = _subtype(run)
    fields: Frame = {
        "subtype": subtype,
        "is_error": is_failure(run),
        "duration_ms": round(turn.duration_seconds * 1000),
        "duration_api_ms": round(turn.model_seconds * 1000),
        "num_turns": run.turns,
        "stop_reason": run.stop_reason,
        "total_cost_usd": run.cost_usd or 0.0,
        "usage": usage_fields(run.usage),
        "modelUsage": {one.model: _model_usage(one.usage, one.cost_usd) for one in turn.by_model},
        "permission_denials": [_denial(call) for call in run.denials],
        "terminal_reason": run.reason.value,
    }
    if run.limit:
        fields["limit"] = run.limit
    if run.deferred is not None:
        fields["stop_reason"] = run.reason.value
        fields["deferred_tool_use"] = _deferred(run.deferred)
    if subtype == "success":
        fields["result"] = run.text if run.reason in _FINE else "\n".join(run.errors)
    else:
        fields["errors"] = list(run.errors) or [run.reason.value]
    return fields


def _subtype(run: RunResult) -> str:
    """Return the kind of result; that of a budget is for dollars alone."""
    if run.limit in ("max_output_tokens", "max_seconds"):
        return "error_during_execution"
    return _SUBTYPES.get(run.reason, "success")


def _model_usage(usage: Usage, cost: float | None) -> Frame:
    """Return what one model took."""
    return {
        "inputTokens": usage.input_tokens or 0,
        "outputTokens": usage.output_tokens or 0,
        "cacheReadInputTokens": usage.cache_read_input_tokens or 0,
        "cacheCreationInputTokens": usage.cache_creation_input_tokens or 0,
        "webSearchRequests": 0,
        "costUSD": cost or 0.0,
    }


def _denial(call: ToolUse) -> Frame:
    """Return a call that was not allowed."""
    return {"tool_name": call.name, "tool_use_id": call.id, "tool_input": dict(call.input)}


def _deferred(call: ToolUse) -> Frame:
    """Return the call that a hook put off."""
    return {"id": call.id, "name": call.name, "input": dict(call.input)}
