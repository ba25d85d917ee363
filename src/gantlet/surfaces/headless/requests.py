"""What the program that drives us asks of us: each request gets one answer."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import anyio
from anyio.abc import TaskGroup

from gantlet.messages import JsonValue
from gantlet.surfaces.headless.control import Control
from gantlet.tool import UserError

_log = logging.getLogger(__name__)

#: What a request says, and what its answer says.
Fields: TypeAlias = Mapping[str, JsonValue]
RequestAnswer: TypeAlias = Callable[[Fields], Awaitable[Fields]]


class RequestError(Exception):
    """A request that cannot be granted, and why."""


class Requests:
    """Answers each request of the driving program, side by side with the turn that runs."""

    def __init__(
        self, control: Control, answers: Mapping[str, RequestAnswer], look_again: Callable[[], None]
    ) -> None:
        self._control = control
        self._answers = answers
        self._look_again = look_again
        self._running: dict[str, anyio.CancelScope] = {}
        self._open = 0

    def take(self, message: Fields, group: TaskGroup) -> None:
        """RequestAnswer a request, in a task of its own."""
        self._open += 1
        own = str(message.get("request_id"))
        request = message.get("request")
        fields = request if isinstance(request, dict) else {}
        group.start_soon(self._answer, own, str(fields.get("subtype")), fields)

    @property
    def is_busy(self) -> bool:
        """Whether a request has no answer yet."""
        return self._open > 0

    def cancel(self, request_id: str) -> None:
        """Stop working on a request; nobody waits for its answer."""
        scope = self._running.get(request_id)
        if scope is not None:
            scope.cancel()

    async def _answer(self, own: str, subtype: str, fields: Fields) -> None:
        """RequestAnswer one request; a failure is an answer too."""
        answer = self._answers.get(subtype, _unsupported(subtype))
        with anyio.CancelScope() as scope:
            self._running[own] = scope
            try:
                told = await answer(fields)
            except (RequestError, UserError) as error:
                self._control.fail(own, str(error))
            except Exception as error:  # noqa: BLE001 - one request must not end the session
                _log.exception("The request %s failed; this is a bug.", subtype)
                self._control.fail(own, f"{subtype} failed: {error}")
            else:
                self._control.succeed(own, told)
            finally:
                self._running.pop(own, None)
                self._open -= 1
                self._look_again()


def _unsupported(subtype: str) -> RequestAnswer:
    """Return the answer to a request that nobody knows."""

    async def refuse(fields: Fields) -> Fields:
        raise RequestError(f"Unsupported control request subtype: {subtype}")

    return refuse
