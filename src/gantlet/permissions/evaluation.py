"""From a request and a context to a verdict. Every layer is asked, and the strictest vote wins."""

import logging
from collections.abc import Sequence

from gantlet.messages import Behaviour
from gantlet.messages.value import replace
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.fallback import fall_back
from gantlet.permissions.fence import FenceLayer
from gantlet.permissions.layers import (
    DenyLayer,
    FileLayer,
    HookLayer,
    Layer,
    ModeLayer,
    RuleLayer,
    SafeLayer,
    ToolLayer,
)
from gantlet.permissions.risk import risk_of
from gantlet.permissions.shell_layer import ShellLayer
from gantlet.permissions.suggestions import suggest
from gantlet.permissions.verdict import Ballot, Verdict
from gantlet.tool import Allow, Ask, Deny, Mode

_log = logging.getLogger(__name__)

#: The order decides only which of several equal reasons is told first.
LAYERS: tuple[Layer, ...] = (
    HookLayer(),
    ToolLayer(),
    FileLayer(),
    FenceLayer(),
    ShellLayer(),
    SafeLayer(),
    DenyLayer(),
    RuleLayer(),
    ModeLayer(),
)


def evaluate(
    request: Request, context: PermissionContext, layers: Sequence[Layer] = LAYERS
) -> Verdict:
    """Judge one call against one context. Pure, and never raises.

    What fails on the way is a question, and a no where nobody can be asked.
    """
    settled = settle(weigh(request, context, layers), context)
    return advise(settled, request, context, layers)


def advise(
    verdict: Verdict, request: Request, context: PermissionContext, layers: Sequence[Layer]
) -> Verdict:
    """Return a question with what a person could answer once and for all."""
    if verdict.behaviour is not Behaviour.ASK:
        return verdict
    return replace(verdict, suggestions=suggest(request, context, layers, weigh))


def weigh(request: Request, context: PermissionContext, layers: Sequence[Layer]) -> Verdict:
    """Return what all the votes come to, before it is settled whether anybody can be asked."""
    case = Case(request, context)
    ballots = tuple(ballot for layer in layers if (ballot := _ballot_of(layer, case)) is not None)
    chosen = _chosen(ballots)
    if chosen is None:
        return _fallen_back(case, ballots)
    vote, rule = chosen.vote, chosen.rule
    return Verdict(
        chosen.behaviour,
        vote.reason,
        chosen.layer,
        rule=rule.text if rule else "",
        file=rule.source.file if rule else "",
        key=rule.source.key if rule else "",
        source=vote.source,
        proof=vote.proof if isinstance(vote, Allow) else None,
        risk=risk_of(case, ballots),
        ballots=ballots,
        is_checkable=_is_checkable(case, ballots),
    )


def settle(verdict: Verdict, context: PermissionContext) -> Verdict:
    """Return a no in place of a question that nobody may be asked."""
    if verdict.behaviour is not Behaviour.ASK:
        return verdict
    if context.mode is Mode.DONT_ASK:
        why = "Mode dontAsk denies whatever would be asked."
    elif context.avoid_prompts:
        why = "Nobody can be asked here: allow it by a rule, or run it where somebody can answer."
    else:
        return verdict
    return replace(verdict, behaviour=Behaviour.DENY, reason=f"{verdict.reason} {why}")


def _ballot_of(layer: Layer, case: Case) -> Ballot | None:
    """Return a layer's vote; one that fails asks."""
    try:
        return layer.vote(case)
    except Exception as error:  # noqa: BLE001 - a failure while judging becomes a question
        _log.warning("The layer %r failed on %s; a person is asked.", layer.name, case.name)
        _log.debug("This is how it failed.", exc_info=error)
        reason = f"Whether {case.name} may run could not be decided ({type(error).__name__})."
        return Ballot(layer.name, Ask(reason, layer.name))


_STRICTNESS = (Deny, Ask, Allow)


def _chosen(ballots: Sequence[Ballot]) -> Ballot | None:
    """Return the strictest ballot, the first of equals; those with a rule come first."""
    for kind in _STRICTNESS:
        equal = [ballot for ballot in ballots if isinstance(ballot.vote, kind)]
        if equal:
            return next((ballot for ballot in equal if ballot.rule is not None), equal[0])
    return None


def _is_checkable(case: Case, ballots: Sequence[Ballot]) -> bool:
    """Return whether an automatic check may answer in a person's place."""
    asks = [ballot for ballot in ballots if ballot.behaviour is Behaviour.ASK]
    return all(ask.is_checkable for ask in asks) and not case.request.traits.destructive


def _fallen_back(case: Case, ballots: tuple[Ballot, ...]) -> Verdict:
    """Return what the mode makes of a call that nobody voted about."""
    mode = f"mode {case.context.mode}"
    risk = risk_of(case, ballots)
    try:
        fallback = fall_back(case)
    except Exception as error:  # noqa: BLE001 - a failure while judging becomes a question
        reason = f"Whether {case.name} may run could not be decided ({type(error).__name__})."
        return Verdict(Behaviour.ASK, reason, mode, source=mode, risk=risk, ballots=ballots)
    return Verdict(
        fallback.behaviour,
        fallback.reason,
        mode,
        source=mode,
        proof=fallback.proof,
        risk=risk,
        ballots=ballots,
        is_checkable=_is_checkable(case, ballots),
    )
