"""The strictest permission: what only reads may run, everything else may not."""

from gantlet.messages import Behaviour
from gantlet.permissions.decision import Decision, Request
from gantlet.tool import Ask, Covered, Deny, Proof

_LAYER = "read-only"


class ReadOnlyPermission:
    """Allows calls that declare themselves read-only, unless a hook or the tool objects."""

    async def decide(self, request: Request) -> Decision:
        """Deny whatever is not read-only, and whatever somebody would have to be asked about."""
        name = request.tool.name
        objection = _objection(request)
        if objection is not None:
            return objection
        if not request.traits.read_only:
            reason = f"{name} changes things; only reading is allowed."
            return Decision.deny(reason, _LAYER)
        proof = Proof((Covered(name, "the call declares itself read-only"),))
        return Decision(Behaviour.ALLOW, f"{name} only reads.", _LAYER, proof=proof)


def _objection(request: Request) -> Decision | None:
    """Return what a hook or the tool has against a call: a no counts before a question."""
    votes = (("hook", request.hook_vote), ("tool", request.tool_vote))
    for layer, vote in votes:
        if isinstance(vote, Deny):
            return Decision(Behaviour.DENY, vote.reason, layer, source=vote.source)
    for layer, vote in votes:
        if isinstance(vote, Ask):
            reason = f"{vote.reason} Nobody is here to be asked."
            return Decision(Behaviour.DENY, reason, layer, source=vote.source)
    return None
