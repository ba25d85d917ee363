"""How many tools run at once. The earliest call that waits goes first."""

import heapq
from dataclasses import field

import anyio

from gantlet.messages.value import slotted


@slotted
class Slots:
    """A number of places; `inf` for as many as there are calls."""

    free: float
    _waiting: list[tuple[int, anyio.Event]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.free >= 1:
            raise ValueError(f"There must be room for at least one tool, not for {self.free}.")

    def take_now(self) -> bool:
        """Take a place if there is one; return whether there was."""
        if self.free < 1:
            return False
        self.free -= 1
        return True

    async def take(self, position: int) -> None:
        """Wait for a place."""
        if self.take_now():
            return
        granted = anyio.Event()
        entry = (position, granted)
        heapq.heappush(self._waiting, entry)
        try:
            await granted.wait()
        except BaseException:
            if granted.is_set():
                self.give()
            else:
                self._waiting.remove(entry)
                heapq.heapify(self._waiting)
            raise

    def give(self) -> None:
        """Give a place back; it goes to the earliest call that waits."""
        if self._waiting:
            heapq.heappop(self._waiting)[1].set()
        else:
            self.free += 1
