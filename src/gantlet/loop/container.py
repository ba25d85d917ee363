"""The container in which the API runs code for the model: told in a reply, named in a request.

Without its name each request gets another one, in which nothing of before is there, and a program
that waits in it for the result of a call cannot go on.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from gantlet.messages import AssistantMessage, JsonValue, Message

#: What replies and requests call it.
CONTAINER = "container"


def container_of(messages: Iterable[Message]) -> Mapping[str, JsonValue] | None:
    """Return the container of the last reply that had one; the newest message comes first."""
    for message in messages:
        if isinstance(message, AssistantMessage) and message.extra:
            told = message.extra.get(CONTAINER)
            name = told.get("id") if isinstance(told, Mapping) else None
            if isinstance(told, Mapping) and isinstance(name, str) and name:
                return told
    return None


def with_container(
    extra: Mapping[str, object], container: Mapping[str, JsonValue], now: datetime | None = None
) -> Mapping[str, object]:
    """Return the further fields of a request with the container, unless its time is over.

    What a program asks for itself stays: the skills to be loaded, or a container of its own.
    """
    asked = extra.get(CONTAINER)
    if isinstance(asked, str) or _is_over(container, now or datetime.now(UTC)):
        return extra
    own = container["id"]
    if isinstance(asked, Mapping):
        return {**extra, CONTAINER: {"id": own, **asked}}
    return {**extra, CONTAINER: own}


def _is_over(container: Mapping[str, JsonValue], now: datetime) -> bool:
    """Return whether a container is not there any more; one that says nothing of its end is."""
    until = container.get("expires_at")
    try:
        end = datetime.fromisoformat(until) if isinstance(until, str) else None
    except ValueError:
        return False
    if end is None:
        return False
    return (end if end.tzinfo is not None else end.replace(tzinfo=UTC)) <= now
