"""Events on their way to a surface. A slow reader costs old progress, never an event or memory."""

from collections import OrderedDict
from itertools import count

import anyio

from gantlet.messages import CallProgressed, Event
from gantlet.messages.value import replace


class Mailbox:
    """A queue of events; unread progress of one call is kept as the newest and a count."""

    def __init__(self) -> None:
        self._events: OrderedDict[int, Event] = OrderedDict()
        self._progress: dict[str, int] = {}
        self._numbers = count()
        self._arrived = anyio.Event()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: Event) -> None:
        """Add an event."""
        if isinstance(event, CallProgressed):
            self._put_progress(event)
        else:
            self._events[next(self._numbers)] = event
        self._arrived.set()

    def _put_progress(self, event: CallProgressed) -> None:
        """Add progress, in the place of what the same call reported and nobody read."""
        number = self._progress.get(event.call_id)
        unread = self._events.get(number) if number is not None else None
        if number is not None and isinstance(unread, CallProgressed):
            self._events[number] = replace(event, coalesced=unread.coalesced + 1 + event.coalesced)
            return
        number = next(self._numbers)
        self._progress[event.call_id] = number
        self._events[number] = event

    def close(self) -> None:
        """Say that nothing more will come."""
        self._is_closed = True
        self._arrived.set()

    def take(self) -> list[Event]:
        """Return everything that has come, without waiting."""
        events = list(self._events.values())
        self._events.clear()
        self._progress.clear()
        return events

    async def get(self) -> Event | None:
        """Return the next event, or None once nothing more will come."""
        while not self._events:
            if self._is_closed:
                return None
            if self._arrived.is_set():
                self._arrived = anyio.Event()  # one for all who wait
            await self._arrived.wait()
        _, event = self._events.popitem(last=False)
        if isinstance(event, CallProgressed):
            self._progress.pop(event.call_id, None)
        return event
