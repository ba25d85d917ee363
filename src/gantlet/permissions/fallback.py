"""What a mode does where no layer has an opinion. A mode never asks by vote: it only falls back."""

from typing import assert_never

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.proof import BY_EDITS, BY_RULES, Gap, Proved
from gantlet.permissions.proving import prove
from gantlet.tool import Covered, Mode, Proof


@value
class Fallback:
    """What the mode makes of a call nobody voted about."""

    behaviour: Behaviour
    reason: str
    proof: Proof | None = None


def fall_back(case: Case) -> Fallback:
    """Return what the mode does with a call that got no vote."""
    mode = case.context.mode
    if case.context.sandbox_allows and mode is not Mode.PLAN:
        sheltered = _sheltered(case)
        if sheltered is not None:
            return sheltered
    match mode:
        case Mode.DEFAULT | Mode.PLAN:
            return _asked(case)
        case Mode.DONT_ASK:
            why = _asked(case).reason
            return Fallback(Behaviour.DENY, f"{why} Mode dontAsk denies what nothing allows.")
        case Mode.ACCEPT_EDITS:
            return _edited(case) or _asked(case)
        case Mode.AUTO:
            return _automatic(case) or _asked(case)
        case Mode.BYPASS:
            return _allowed(case, Proof((Covered(case.shown, f"mode {mode}"),)))
        case _:
            assert_never(mode)


def _asked(case: Case) -> Fallback:
    """Return a question that says what nothing covers."""
    proving = prove(case, BY_RULES)
    reason = proving.reason if isinstance(proving, Gap) else "is covered, but by nobody who decides"
    return Fallback(Behaviour.ASK, f"{case.name} {reason}.")


def _edited(case: Case) -> Fallback | None:
    """Return an allow for what only edits files inside the working directories."""
    proving = prove(case, BY_EDITS)
    if not isinstance(proving, Proved):
        return None
    covered = (*proving.covered, Covered(case.name, f"mode {case.context.mode}"))
    return _allowed(case, Proof(covered))


def _automatic(case: Case) -> Fallback | None:
    """Return an allow for edits inside and for commands in the sandbox, unless it destroys."""
    if case.request.traits.destructive:
        return None
    return _sheltered(case) or _edited(case)


def _sheltered(case: Case) -> Fallback | None:
    """Return an allow for a command that runs in the sandbox, unless it destroys."""
    if case.request.traits.destructive or case.reading is None or not case.is_sandboxed:
        return None
    proof = Proof((Covered(case.shown, "the sandbox it runs in"),))
    return Fallback(Behaviour.ALLOW, "The sandbox it runs in lets it run.", proof)


def _allowed(case: Case, proof: Proof) -> Fallback:
    """Return an allow of the mode's."""
    return Fallback(Behaviour.ALLOW, f"Mode {case.context.mode} lets it run.", proof)
