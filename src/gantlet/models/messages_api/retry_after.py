"""How long a server asks us to wait, in any of the forms it may say so."""

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Return the wait that `headers` ask for; `now` is the time of day, if they do not tell it.

    A date is compared with the server's own clock where it shows one, since ours may differ.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None:
        return seconds
    until = _moment(asked)
    return None if until is None else max(0.0, until - (_moment(headers.get("date")) or now))


def _number(text: str | None) -> float | None:
    """Return a count that is not negative, or nothing."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _moment(text: str | None) -> float | None:
    """Return the time of day that an HTTP date names, or nothing."""
    try:
        moment = parsedate_to_datetime(text or "")
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None
