"""Hooks that live in the program that drives us: each is called through it."""

from collections.abc import Mapping

from gantlet.messages import JsonValue
from gantlet.surfaces.headless.control import Control


class ControlCallbacks:
    """Calls functions of the other side by their ids. How long that may take, hooks decide."""

    def __init__(self, control: Control) -> None:
        self._control = control

    async def call(
        self, callback_id: str, payload: Mapping[str, JsonValue], call_id: str | None
    ) -> object:
        """Return what the function answers.

        Raises:
            ControlError: It failed, or the other side is gone.
        """
        return await self._control.ask(
            "hook_callback",
            seconds=None,
            callback_id=callback_id,
            input=dict(payload),
            tool_use_id=call_id,
        )
