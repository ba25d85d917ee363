"""The prompt that an agent is at work on, as others reach it."""

import threading
from collections.abc import Callable
from typing import TypeAlias

from gantlet.loop import Loop, Priority
from gantlet.messages import UserMessage
from gantlet.system import in_loop_thread

_Act: TypeAlias = Callable[[Loop], None]


class CurrentRun:
    """What runs now, if anything does: others may stop it, or say something to it, in any thread.

    Attributes:
        loop: What runs it; None if nothing runs, or not yet.
    """

    def __init__(self) -> None:
        self.loop: Loop | None = None
        self._thread = 0
        self._hand_over: Callable[[_Act], None] | None = None
        self._is_opening = False
        self._early: list[_Act] = []

    def open(self) -> None:
        """Note that something is about to run; what is wanted of it meanwhile is done then."""
        self._is_opening = True

    def begin(self, loop: Loop) -> None:
        """Note what runs from now on, in this thread."""
        self._thread = threading.get_ident()
        self._hand_over = in_loop_thread(lambda act: act(loop))
        self.loop = loop
        early, self._early, self._is_opening = self._early, [], False
        for act in early:
            act(loop)

    def end(self) -> None:
        """Note that nothing runs any more."""
        self.loop = self._hand_over = None
        self._early, self._is_opening = [], False

    def interrupt(self) -> None:
        """Stop it."""
        self._do(lambda loop: loop.interrupt())

    def send(self, message: UserMessage, priority: Priority) -> None:
        """Say something to it.

        Raises:
            RuntimeError: Nothing is running.
        """
        if not self._do(lambda loop: loop.send(message, priority)):
            raise RuntimeError("Nothing is running: use run() or stream().")

    def _do(self, act: _Act) -> bool:
        """Do something in the thread in which it runs; return whether anything does."""
        loop, hand_over = self.loop, self._hand_over
        if loop is None:
            if self._is_opening:
                self._early.append(act)
            return self._is_opening
        if threading.get_ident() == self._thread or hand_over is None:
            act(loop)
        else:
            hand_over(act)
        return True
