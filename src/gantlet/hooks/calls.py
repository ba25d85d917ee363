"""Events about one call: what hooks are told of it, and what their words mean for it. Pure."""

from collections.abc import Mapping

from gantlet.hooks.contract import NOTHING_AFTER, NOTHING_BEFORE, AfterCall, BeforeCall
from gantlet.hooks.names import HookEvent
from gantlet.hooks.occasion import Moment, Occasion
from gantlet.hooks.sayings import NOTHING_SAID, HookDecision, Said
from gantlet.messages import JsonValue, dumps, loads
from gantlet.tool import Allow, Ask, Covered, Deny, Proof, ToolResult, Vote


def call_occasion(event: HookEvent, moment: Moment, **more: JsonValue) -> Occasion:
    """Return an occasion about a call."""
    call = moment.call
    fields: dict[str, JsonValue] = {
        "tool_name": moment.tool.name,
        "tool_input": dict(call.input),
        **({} if event is HookEvent.PERMISSION_REQUEST else {"tool_use_id": call.id}),
        **more,
    }
    if moment.tool.mcp is not None:
        fields["mcp_server"] = {"name": moment.tool.mcp.server}
    if moment.seconds is not None:
        fields["duration_ms"] = round(moment.seconds * 1_000)
    return Occasion(event, fields, moment.surroundings, moment.agent, (moment.tool.name,), moment)


def after_occasion(moment: Moment, output: ToolResult[object]) -> Occasion:
    """Return the occasion after a call that succeeded."""
    shown = output.data if output.structured is None else output.structured
    return call_occasion(HookEvent.POST_TOOL_USE, moment, tool_response=as_json(shown))


def failure_occasion(moment: Moment, message: str, *, was_interrupted: bool) -> Occasion:
    """Return the occasion after a call that failed or was interrupted."""
    return call_occasion(
        HookEvent.POST_TOOL_USE_FAILURE, moment, error=message, is_interrupt=was_interrupted
    )


def as_json(shown: object) -> JsonValue:
    """Return an output as JSON; what has no such form becomes text."""
    try:
        return loads(dumps(_plain(shown)))
    except (TypeError, ValueError):
        return str(shown)


def _plain(shown: object) -> object:
    """Return what an output holds, for one that is a value with fields."""
    dump = getattr(shown, "model_dump", None)
    return dump(mode="json") if callable(dump) else shown


def before_call(said: Said, tool_name: str) -> BeforeCall:
    """Return what hooks' words mean before a call."""
    if said is NOTHING_SAID:
        return NOTHING_BEFORE
    return BeforeCall(
        vote=_vote(said, tool_name),
        updated_input=said.updated_input,
        context=said.context,
        stop=said.stop,
        defers=said.decision is HookDecision.DEFER,
    )


def _vote(said: Said, tool_name: str) -> Vote | None:
    """Return a decision as a vote."""
    source = f"hook {said.decided_by}"
    match said.decision:
        case HookDecision.DENY:
            return Deny(said.decision_reason or "A hook denied it.", source)
        case HookDecision.ASK:
            return Ask(said.decision_reason or "A hook wants a person to decide.", source)
        case HookDecision.ALLOW:
            proof = Proof((Covered(tool_name, source),))
            return Allow(proof, said.decision_reason or "A hook allowed it.", source)
        case _:
            return None


def after_call(said: Said) -> AfterCall:
    """Return what hooks' words mean after a call: what is done can only be spoken of."""
    if said is NOTHING_SAID:
        return NOTHING_AFTER
    objection = () if said.block is None else (f"A hook objects to this call: {said.block}",)
    updated: ToolResult[object] | None = None
    if said.updated_output is not None:
        updated = ToolResult(said.updated_output.data)
    return AfterCall((*objection, *said.context), updated, said.stop)


def batch_call(
    name: str, given: Mapping[str, JsonValue], call_id: str, response: JsonValue
) -> dict[str, JsonValue]:
    """Return what hooks are told of one call of a batch."""
    return {
        "tool_name": name,
        "tool_input": dict(given),
        "tool_use_id": call_id,
        "tool_response": response,
    }
