"""How much could go wrong with a call, for the person who is asked about it."""

from gantlet.permissions.case import Case
from gantlet.permissions.verdict import Ballot, Risk, RiskLevel
from gantlet.tool import Ask

_WARNING_LAYERS = frozenset({"files", "shell"})


def risk_of(case: Case, ballots: tuple[Ballot, ...]) -> Risk:
    """Return how much could go wrong. What cannot be told counts as much."""
    try:
        return _risk(case, ballots)
    except Exception as error:  # noqa: BLE001 - a tool's failure becomes a value here
        return Risk(RiskLevel.HIGH, f"Nothing can be told about it ({type(error).__name__}).")


def _risk(case: Case, ballots: tuple[Ballot, ...]) -> Risk:
    """Return how much could go wrong."""
    if case.request.traits.destructive:
        return Risk(RiskLevel.HIGH, "It does what cannot be undone.")
    for ballot in ballots:
        if ballot.layer in _WARNING_LAYERS and isinstance(ballot.vote, Ask):
            return Risk(RiskLevel.HIGH, ballot.vote.reason)
    if case.reading is not None and not case.reading.analysis.is_proved:
        return Risk(RiskLevel.HIGH, "What the command does cannot be told.")
    if case.doubt is not None:
        return Risk(RiskLevel.MEDIUM, case.doubt.reason)
    if case.is_read_only:
        if case.request.traits.open_world and case.reading is None:
            return Risk(RiskLevel.MEDIUM, "It reaches things outside this machine.")
        return Risk(RiskLevel.LOW, "It only reads.")
    return Risk(RiskLevel.MEDIUM, "It may change things.")
