"""The prompt that an agent is at work on, as others reach it."""

import threading
from collections.abc import Callable

from gantlet.loop import Loop, Priority
from gantlet.messages import UserMessage
from gantlet.system import in_loop_thread


class CurrentRun:
    """What runs now, if anything does: others may stop it, or say something to it.

    Attributes:
        loop: What runs it; None if nothing runs.
    """

    def __init__(self) -> None:
        self.loop: Loop | None = None
        self._thread = 0
        self._hand_over: Callable[[object], None] | None = None

    def begin(self, loop: Loop) -> None:
        """Note what runs from now on, in this thread."""
        self.loop = loop
        self._thread = threading.get_ident()
        self._hand_over = in_loop_thread(lambda _: loop.interrupt())

    def end(self) -> None:
        """Note that nothing runs any more."""
        self.loop = self._hand_over = None

    def interrupt(self) -> None:
        """Stop it, from any thread."""
        loop, hand_over = self.loop, self._hand_over
        if loop is None:
            return
        if threading.get_ident() == self._thread or hand_over is None:
            loop.interrupt()
        else:
            hand_over(None)

    def send(self, message: UserMessage, priority: Priority) -> None:
        """Say something to it.

        Raises:
            RuntimeError: Nothing is running.
        """
        if self.loop is None:
            raise RuntimeError("Nothing is running: use run() or stream().")
        self.loop.send(message, priority)
