"""Every deadline of a session in one heap, watched by one task."""

import heapq
import itertools
import logging
import math
from collections.abc import Callable
from dataclasses import field

import anyio

from gantlet.messages.value import slotted
from gantlet.system import Clock

_log = logging.getLogger(__name__)

_WORTH_SWEEPING = 64


@slotted
class Deadline:
    """Something that happens at a time unless it is called off."""

    when: float
    order: int
    action: Callable[[], None] | None = field(compare=False)
    _keeper: "Deadlines" = field(compare=False, repr=False)

    def __lt__(self, other: "Deadline") -> bool:
        """Say which comes first; of two at the same time, the one that was made first."""
        return (self.when, self.order) < (other.when, other.order)

    def call_off(self) -> None:
        """Let it pass without effect."""
        if self.action is not None:
            self.action = None
            self._keeper.forget_one()


class Deadlines:
    """A heap of deadlines. Run `watch` in a task for as long as they should be kept."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[Deadline] = []
        self._order = itertools.count()
        self._sooner = anyio.Event()
        self._called_off = 0

    def __len__(self) -> int:
        return len(self._heap)

    def after(self, seconds: float, action: Callable[[], None]) -> Deadline:
        """Have `action` done when `seconds` have passed; never if that is no time at all."""
        when = self._clock.now() + seconds
        if not math.isfinite(when):
            return Deadline(when, next(self._order), None, self)
        deadline = Deadline(when, next(self._order), action, self)
        heapq.heappush(self._heap, deadline)
        if self._heap[0] is deadline:
            self._sooner.set()
        return deadline

    def forget_one(self) -> None:
        """Take note that a deadline was called off; sweep when most of the heap was."""
        self._called_off += 1
        if self._called_off > _WORTH_SWEEPING and self._called_off * 2 > len(self._heap):
            self._heap = [deadline for deadline in self._heap if deadline.action is not None]
            heapq.heapify(self._heap)
            self._called_off = 0

    async def watch(self) -> None:
        """Do what is due, for ever."""
        while True:
            self._sooner = anyio.Event()
            while self._heap and self._heap[0].action is None:
                heapq.heappop(self._heap)
                self._called_off -= 1
            if not self._heap:
                await self._sooner.wait()
            elif self._heap[0].when <= self._clock.now():
                _do(heapq.heappop(self._heap))
            else:
                await self._wait_for(self._heap[0].when)

    async def _wait_for(self, when: float) -> None:
        """Wait until `when`, or until a sooner deadline comes."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._sleep, when, group.cancel_scope)
            await self._sooner.wait()
            group.cancel_scope.cancel()

    async def _sleep(self, when: float, race: anyio.CancelScope) -> None:
        """Sleep and end the race."""
        await self._clock.sleep_until(when)
        race.cancel()


def _do(deadline: Deadline) -> None:
    """Do what is due; a failure is a bug and must not stop the other deadlines."""
    action, deadline.action = deadline.action, None
    if action is None:
        return
    try:
        action()
    except Exception:  # noqa: BLE001 - one failed deadline must not stop the others
        _log.exception("What was to happen at a deadline failed; this is a bug.")
