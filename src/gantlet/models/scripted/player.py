"""One script for many conversations: the steps of the answer to each request."""

import hashlib
from collections import Counter
from dataclasses import field

from gantlet.messages import dumps
from gantlet.messages.value import slotted, value
from gantlet.models.scripted.performance import Step, perform
from gantlet.models.scripted.position import find_position
from gantlet.models.scripted.received import ReceivedRequest, check_request
from gantlet.models.scripted.script import Script


@value
class Answer:
    """What to do for a request, and whether the script has no further reply after it."""

    steps: tuple[Step, ...]
    is_last: bool


@slotted
class Player:
    """Answers requests. It remembers nothing but how often a request met a reply with a fault."""

    script: Script
    _attempts: Counter[bytes] = field(default_factory=Counter)

    def answer(self, request: ReceivedRequest, caller: str = "") -> Answer:
        """Return the answer to a request; the same one by another caller is another one.

        Raises:
            InvalidRequestError: The API would refuse it, or the script has no answer.
        """
        check_request(request)
        position = find_position(self.script, request)
        attempt = self._next_attempt(request, caller) if position.reply.faults else 0
        return Answer(perform(position, request, attempt), position.is_last)

    def _next_attempt(self, request: ReceivedRequest, caller: str) -> int:
        """Return how often this request has been made before; streamed or not is no difference."""
        parts = [caller, request.model, request.system, request.body["messages"]]
        key = hashlib.sha256(dumps(parts)).digest()
        self._attempts[key] += 1
        return self._attempts[key] - 1
