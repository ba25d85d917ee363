"""Requests and answers between us and the program that drives us, both ways."""

import logging
from collections.abc import Callable, Mapping
from uuid import uuid4

import anyio

from gantlet.messages import JsonValue

_log = logging.getLogger(__name__)

#: How long the other side may take for an answer that no person gives.
ANSWER_SECONDS = 60.0


class ControlError(Exception):
    """A request that was refused, or that nobody can answer any more."""


class _Pending:
    """A request of ours that waits for its answer."""

    def __init__(self) -> None:
        self.is_settled = anyio.Event()
        self.answer: Mapping[str, JsonValue] | None = None
        self.error = ""

    def settle(self, answer: Mapping[str, JsonValue] | None, error: str = "") -> None:
        """Take the answer; a second one does nothing."""
        if not self.is_settled.is_set():
            self.answer, self.error = answer, error
            self.is_settled.set()


class Control:
    """Sends requests to the program that drives us, and finds each answer's question."""

    def __init__(self, put: Callable[[Mapping[str, JsonValue]], None]) -> None:
        self._put = put
        self._pending: dict[str, _Pending] = {}
        self._is_closed = False

    async def ask(
        self, subtype: str, *, seconds: float | None = ANSWER_SECONDS, **fields: JsonValue
    ) -> Mapping[str, JsonValue]:
        """Ask the other side and return its answer.

        Raises:
            ControlError: It refused, is gone, or took too long.
        """
        if self._is_closed:
            raise ControlError("the program that drove us is gone")
        own = f"req_{uuid4().hex[:16]}"
        pending = self._pending[own] = _Pending()
        request: dict[str, JsonValue] = {"subtype": subtype, **fields}
        self._put({"type": "control_request", "request_id": own, "request": request})
        try:
            with anyio.move_on_after(seconds):
                await pending.is_settled.wait()
        finally:
            del self._pending[own]
            if not pending.is_settled.is_set() and not self._is_closed:
                self._put({"type": "control_cancel_request", "request_id": own})
        if not pending.is_settled.is_set():
            raise ControlError(f"'{subtype}' was not answered within {seconds:g} seconds")
        if pending.answer is None:
            raise ControlError(pending.error)
        return pending.answer

    def answered(self, line: Mapping[str, JsonValue]) -> None:
        """Take an answer from the other side; one that nobody waits for is dropped."""
        response = line.get("response")
        told = response if isinstance(response, dict) else {}
        pending = self._pending.get(str(told.get("request_id")))
        if pending is None:
            _log.info("An answer came that nobody waits for: %s", told.get("request_id"))
            return
        if told.get("subtype") == "success":
            answer = told.get("response")
            pending.settle(answer if isinstance(answer, dict) else {})
        else:
            pending.settle(None, str(told.get("error") or "the request was refused"))

    def succeed(self, request_id: str, response: Mapping[str, JsonValue] | None = None) -> None:
        """Answer a request of the other side."""
        told: dict[str, JsonValue] = {"subtype": "success", "request_id": request_id}
        told["response"] = dict(response or {})
        self._put({"type": "control_response", "response": told})

    def fail(self, request_id: str, error: str) -> None:
        """Refuse a request of the other side."""
        told: JsonValue = {"subtype": "error", "request_id": request_id, "error": error}
        self._put({"type": "control_response", "response": told})

    def close(self) -> None:
        """Let everybody who still waits know that no answer will come."""
        self._is_closed = True
        for pending in self._pending.values():
            pending.settle(None, "the program that drove us is gone")
