"""What all handlers of one event said together. The strictest decision wins."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from gantlet.hooks.sayings import HookDecision, RequestAnswer, RunInfo, Said, Saying
from gantlet.messages import FrozenDict
from gantlet.messages.value import value

_T = TypeVar("_T")


@value
class Voice:
    """One handler's saying, and its run."""

    saying: Saying
    info: RunInfo


def combine(voices: Sequence[Voice]) -> Said:
    """Return what handlers said, in the order in which they are written.

    Deny beats defer beats ask beats allow. Every context is kept. Of several inputs the last one
    written wins, and an allow counts for the input its giver saw or made, for no other.
    """
    sayings = [voice.saying for voice in voices]
    decided = _decided(voices)
    updated = _last_input(voices)
    decision = None if decided is None else _decision_of(decided.saying)
    if decision is HookDecision.ALLOW and updated is not None:
        givers = [voice for voice in voices if voice.saying.updated_input is updated]
        decided = next((one for one in givers if _decision_of(one.saying) is decision), None)
        decision = None if decided is None else decision
    stops = [saying for saying in sayings if saying.stops]
    blocks = [saying.reason for saying in sayings if saying.blocks]
    return Said(
        stop=(stops[0].stop_reason or "A hook stopped it.") if stops else None,
        block="\n".join(dict.fromkeys(blocks)) if blocks else None,
        decision=decision,
        decision_reason=_reason_of(decided.saying) if decided is not None else "",
        decided_by=decided.info.name if decided is not None else "",
        updated_input=updated,
        context=tuple(text for saying in sayings for text in saying.context),
        updated_output=_last(saying.updated_output for saying in sayings),
        request=_request([saying.request for saying in sayings if saying.request is not None]),
        retries=any(saying.retries for saying in sayings),
        session_title=_last(saying.session_title or None for saying in sayings) or "",
        first_prompt="\n\n".join(saying.first_prompt for saying in sayings if saying.first_prompt),
        hides_prompt=any(saying.hides_prompt for saying in sayings),
        runs=tuple(voice.info for voice in voices),
    )


def _decision_of(saying: Saying) -> HookDecision | None:
    """Return a handler's decision about a call; to block is to deny."""
    return HookDecision.DENY if saying.blocks else saying.decision


def _reason_of(saying: Saying) -> str:
    """Return a handler's reason."""
    if saying.decision is HookDecision.DENY and saying.decision_reason:
        return saying.decision_reason
    return saying.reason if saying.blocks else saying.decision_reason


def _decided(voices: Sequence[Voice]) -> Voice | None:
    """Return whose decision is the strictest, the first of equals."""
    deciding = [
        (decision.rank, voice)
        for voice in voices
        if (decision := _decision_of(voice.saying)) is not None
    ]
    return min(deciding, key=lambda one: one[0])[1] if deciding else None


def _last_input(voices: Sequence[Voice]) -> FrozenDict | None:
    """Return the input that the last handler wants."""
    return _last(voice.saying.updated_input for voice in voices)


def _last(values: Iterable[_T | None]) -> _T | None:
    """Return the last value that is one."""
    found: _T | None = None
    for one in values:
        found = found if one is None else one
    return found


def _request(answers: Sequence[RequestAnswer]) -> RequestAnswer | None:
    """Return the answer in a person's place: any no, else the first yes."""
    return next((one for one in answers if not one.allows), answers[0] if answers else None)
