"""When to send a request again: before anything of its reply has come, and not at once."""

import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from gantlet.messages import ModelErrorKind, RetryListener
from gantlet.models.messages_api.failures import RequestError
from gantlet.system import Clock

FIRST_DELAY_SECONDS: Final = 0.5
MAX_DELAY_SECONDS: Final = 8.0
MAX_ASKED_DELAY_SECONDS: Final = 60.0
#: How often an overloaded model is asked again where another one stands by.
OVERLOAD_RETRIES: Final = 2
JITTER: Final = 0.25
"""The part of a delay that chance may take away, so that many clients do not come back as one."""

_T = TypeVar("_T")


class Retries:
    """How often and after which waits a request is sent again."""

    def __init__(
        self, max_retries: int, clock: Clock, chance: Callable[[], float] = random.random
    ) -> None:
        self._max_retries = max_retries
        self._clock = clock
        self._chance = chance

    async def run(
        self,
        attempt: Callable[[], Awaitable[_T]],
        on_retry: RetryListener | None = None,
        *,
        has_fallback: bool = False,
    ) -> _T:
        """Return what `attempt` gives, in the end.

        An overloaded model that has a fallback is not waited for as long as one that has none.

        Raises:
            RequestError: It failed in a way that no retry mends, or once too often.
        """
        for number in range(1, self._max_retries + 1):
            try:
                return await attempt()
            except RequestError as error:
                is_left = error.kind is ModelErrorKind.OVERLOADED and number > OVERLOAD_RETRIES
                if not error.may_retry or (has_fallback and is_left):
                    raise
                delay = self._delay(number, error.retry_after_seconds)
                self._tell(on_retry, number, delay, error)
            await self._clock.sleep_until(self._clock.now() + delay)
        return await attempt()

    def _delay(self, number: int, asked: float | None) -> float:
        """Return the wait before a retry: what the server asks, or twice as long each time."""
        if asked is not None:
            return min(max(asked, 0.0), MAX_ASKED_DELAY_SECONDS)
        delay = min(FIRST_DELAY_SECONDS * 2.0 ** (number - 1), MAX_DELAY_SECONDS)
        return delay * (1 - JITTER * self._chance())

    def _tell(
        self, on_retry: RetryListener | None, number: int, delay: float, error: RequestError
    ) -> None:
        """Tell whoever wants to know, by the kind of failure."""
        if on_retry is not None:
            on_retry(
                attempt=number,
                max_attempts=self._max_retries,
                delay_seconds=delay,
                reason=error.kind.value,
                status=error.status,
            )
