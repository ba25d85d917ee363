"""How a call that is on its way is stopped: at once, or after it had time to finish."""

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from gantlet.execution.abort import Abort, AbortKind
from gantlet.execution.bodies import Bodies
from gantlet.execution.foreign import contained_now
from gantlet.execution.tracked import Tracked
from gantlet.messages.value import value
from gantlet.tool import Interrupt

_log = logging.getLogger(__name__)

_Action: TypeAlias = Callable[[Tracked], None]
#: Reasons that leave a call to finish if it asked for that.
_GENTLE = frozenset({AbortKind.MESSAGE, AbortKind.DISCARDED})


@value
class Stopper:
    """Stops calls. Whoever does not end when its grace is over is abandoned."""

    bodies: Bodies
    block_seconds: float

    def stop(self, tracked: Tracked, reason: Abort) -> None:
        """Stop a call as the reason and its traits say."""
        blocks = tracked.prepared.traits.on_interrupt is Interrupt.BLOCK
        if reason.kind in _GENTLE and blocks and tracked.is_running:
            self._later(tracked, self.block_seconds, self._end_blocking)
        else:
            self._cancel(tracked)

    def _end_blocking(self, tracked: Tracked) -> None:
        """End a call that had its time to finish: in the background if it can go on there."""
        tool = tracked.prepared.tool if tracked.is_running else None
        try:
            moved = tool is not None and contained_now(
                lambda: tool.move_to_background(tracked.prepared.call.id)
            )
        except Exception:  # noqa: BLE001 - a tool that cannot move is cancelled
            _log.exception("Moving %s to the background failed.", tracked.name)
            moved = False
        if moved:
            self._later(tracked, self.bodies.grace_seconds, self._cancel)
        else:
            self._cancel(tracked)

    def _cancel(self, tracked: Tracked) -> None:
        """Cancel a call; give up on it if it does not end."""
        if tracked.is_done:
            return
        way = tracked.way
        if way is not None:
            way.cancel()
            way.ask_to_end()
            self._later(tracked, self.bodies.grace_seconds, lambda _: way.abandon())

    def _later(self, tracked: Tracked, seconds: float, action: _Action) -> None:
        """Do something to a call after a time, unless it ends before."""
        deadline = self.bodies.deadlines.after(seconds, partial(action, tracked))
        tracked.call_off.append(deadline.call_off)
