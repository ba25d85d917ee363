"""From a call to the proof that it may run, or to the first thing that nothing covers."""

from gantlet.messages.value import replace
from gantlet.permissions.case import Case
from gantlet.permissions.files import cover
from gantlet.permissions.matching import special_rule
from gantlet.permissions.proof import Draft, Gap, Means, Proved, Proving
from gantlet.permissions.shell_proof import prove_command
from gantlet.tool import Covered


def prove(case: Case, means: Means) -> Proving:
    """Return the proof that a call may run, or what nothing covers."""
    if means.with_rules and not case.context.counted_allow.rules:
        means = replace(means, with_rules=False)
    known = case.provings.get(means)
    if known is None:
        known = case.provings[means] = _prove(case, means)
    return known


def _prove(case: Case, means: Means) -> Proving:
    """Find a proof, or a gap."""
    if means.with_rules:
        allow = case.context.counted_allow
        rule = allow.whole(case.names) or special_rule(allow, case)
        if rule is not None:
            return Proved((Covered(case.shown, f"rule {rule.text}"),), (rule,))
    if case.reading is not None:
        return prove_command(case, means)
    if case.request.tool.mcp is not None:
        return Gap("belongs to a server, whose own word is no proof")
    if case.touches:
        return _prove_paths(case, means)
    return _prove_plain(case)


def _prove_paths(case: Case, means: Means) -> Proving:
    """Return the proof for a call that names paths."""
    if case.request.tool.path_kind == "read":
        plain = _prove_plain(case)
        if isinstance(plain, Gap):
            return plain
    draft = Draft(means)
    for target in case.targets:
        if not cover(case.context, target, draft):
            return Gap(_bare(case, target.touch.path))
    return draft.proved()


def _bare(case: Case, path: str) -> str:
    """Return the words for a path that nothing covers."""
    if case.request.tool.path_kind == "edit":
        return f"changes {path}"
    return f"reads {path}, which is outside the working directories"


def _prove_plain(case: Case) -> Proving:
    """Return the proof for a call that names neither paths nor a command."""
    traits = case.request.traits
    if not traits.read_only:
        return Gap("may change things")
    if traits.open_world:
        return Gap("reaches things outside this machine")
    return Proved((Covered(case.shown, "the call only reads, on this machine"),))
