"""An event loop on which no deadline passes while somebody still has something to do.

A machine with much to do may leave a process alone for seconds. By the wall clock, whoever waits
for another part of the same test then gives up on it, though it was given no time to answer. Here
time passes as it does elsewhere while everybody waits, and a little at each turn of the loop: one
long pause is no more than one such turn.
"""

import asyncio
import selectors
import time

#: How much time one turn of the loop can take, however long it took.
TURN_SECONDS = 0.01


class _FairSelector(selectors.DefaultSelector):
    """Waits, and counts how long everybody waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self._left = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = time.monotonic()
        events = super().select(timeout)
        ended = time.monotonic()
        waited = ended - began
        at_most = TURN_SECONDS if events or not timeout else max(timeout, TURN_SECONDS)
        self.now += min(began - self._left, TURN_SECONDS) + min(waited, at_most)
        self._left = ended
        return events


class FairLoop(asyncio.SelectorEventLoop):
    """The usual loop, with a clock that is fair to whoever has to answer in time."""

    def __init__(self) -> None:
        self._clock = _FairSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        """Return how much time has passed for those who wait."""
        return self._clock.now
