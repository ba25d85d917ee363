"""Say that a request is made again."""

from collections.abc import Callable

from gantlet.messages import Event, Retrying, RetryListener


def retry_teller(emit: Callable[[Event], None]) -> RetryListener:
    """Return whom a model tells that it tries again."""

    def tell(
        *,
        attempt: int,
        max_attempts: int,
        delay_seconds: float,
        reason: str,
        status: int | None,
    ) -> None:
        emit(Retrying(attempt, delay_seconds, reason, max_attempts, status))

    return tell
