"""Which handlers run for an occasion: those that match, each once."""

import logging
from collections.abc import Iterable

from gantlet.hooks.handlers import Handler, HookEntry, OnFailure
from gantlet.hooks.occasion import Occasion
from gantlet.hooks.ports import Condition
from gantlet.messages.value import replace

_log = logging.getLogger(__name__)


def chosen(
    entries: Iterable[HookEntry], occasion: Occasion, condition: Condition, has_run: set[object]
) -> list[HookEntry]:
    """Return whose handlers run, in order. The same handler of several settings files runs once.

    Where one of the copies blocks on failure, all of them do. `has_run` keeps the handlers that
    want to run only once in a session.
    """
    found: dict[object, HookEntry] = {}
    for entry in entries:
        handler = entry.handler
        if not entry.matcher.matches(occasion.subjects or ("",)):
            continue
        if not _holds(handler, occasion, condition) or handler.identity in has_run:
            continue
        known = found.get(handler.identity)
        if known is None:
            found[handler.identity] = entry
        elif handler.on_failure is OnFailure.BLOCK:
            strict = replace(known.handler, on_failure=OnFailure.BLOCK)
            found[handler.identity] = replace(known, handler=strict)
    has_run |= {one for one, entry in found.items() if entry.handler.is_once}
    return list(found.values())


def _holds(handler: Handler, occasion: Occasion, condition: Condition) -> bool:
    """Return whether a handler's condition holds. One that cannot be judged does."""
    if handler.condition is None:
        return True
    if occasion.moment is None:
        return False
    try:
        return condition(handler.condition, occasion.moment)
    except Exception:  # noqa: BLE001 - a hook that guards must not be lost to a failure of ours
        _log.exception("The condition %r cannot be judged; its hook runs.", handler.condition.text)
        return True
