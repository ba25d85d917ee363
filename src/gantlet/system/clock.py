"""What time it is, behind an interface, so that a test can own it."""

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    """Time that only moves forward."""

    def now(self) -> float:
        """Return the seconds since some fixed moment."""

    async def sleep_until(self, when: float) -> None:
        """Wait until `now()` is at least `when`."""


class RealClock:
    """The event loop's own time."""

    def now(self) -> float:
        """Return the event loop's time, which is the machine's own on asyncio."""
        return time.monotonic()

    async def sleep_until(self, when: float) -> None:
        """Wait until then."""
        await anyio.sleep_until(when)
