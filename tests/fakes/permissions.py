"""Someone who decides, by a script."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gantlet.messages import Behaviour
from gantlet.permissions import Decision, Request
from gantlet.tool import Covered, Proof

PROOF = Proof((Covered("the call", "the test"),))
ALLOWED = Decision(Behaviour.ALLOW, "The test allows it.", "test", proof=PROOF)


def allowed_as(updated_input: Mapping[str, Any]) -> Decision:
    """Return a yes by somebody who changed the input."""
    return Decision(
        Behaviour.ALLOW, "The test edited it.", "person", proof=PROOF, updated_input=updated_input
    )


@dataclass(slots=True)
class AllowingPermission:
    """Allows everything, and remembers what was asked."""

    requests: list[Request] = field(default_factory=list)

    async def decide(self, request: Request) -> Decision:
        """Say yes."""
        self.requests.append(request)
        return ALLOWED


class ScriptedPermission:
    """Gives its decisions one after another, the last one again and again.

    An exception in the script is raised; anything else that is no decision is returned as it is.
    """

    def __init__(self, *script: object) -> None:
        self.requests: list[Request] = []
        self._script = list(script)

    async def decide(self, request: Request) -> Decision:
        """Do what the script says next."""
        self.requests.append(request)
        step = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if isinstance(step, BaseException):
            raise step
        decision: Decision = step  # type: ignore[assignment]  # nonsense is a part of the script
        return decision
