"""Hooks that a program registers when it connects: it holds the functions, we know their ids."""

from collections.abc import Iterator, Mapping

from gantlet.hooks.fields import Fields, HookProblem, KeyPath, UnusableError, is_list
from gantlet.hooks.handlers import Callback, Handler, HookEntry, OnFailure
from gantlet.hooks.matchers import EVERYTHING, BadMatcherError, Matcher
from gantlet.hooks.names import HookEvent
from gantlet.hooks.parsing import HooksRead
from gantlet.rules import Source, SourceKind

_SOURCE = Source(SourceKind.COMMAND_LINE, key="initialize.hooks")
_EVENTS = {str(event): event for event in HookEvent}


def read_callbacks(raw: object) -> HooksRead:
    """Return the hooks of an `initialize` request, and what is wrong with them.

    They have the form `{Event: [{matcher?, hookCallbackIds, timeout?, onFailure?}]}`; null means
    none.
    """
    if raw is None:
        return HooksRead()
    if not isinstance(raw, Mapping):
        return HooksRead(problems=(HookProblem((), "'hooks' must be an object of events."),))
    problems: list[HookProblem] = []
    entries = [
        entry for name, groups in raw.items() for entry in _event(str(name), groups, problems)
    ]
    return HooksRead(tuple(entries), tuple(problems))


def _event(name: str, groups: object, problems: list[HookProblem]) -> Iterator[HookEntry]:
    """Yield the callbacks of one event."""
    event = _EVENTS.get(name)
    if event is None or not is_list(groups):
        wrong = f"There is no event {name!r}." if event is None else f"{name} must hold a list."
        problems.append(HookProblem((name,), wrong))
        return
    for index, group in enumerate(groups):
        path: KeyPath = (name, index)
        if not isinstance(group, Mapping):
            problems.append(HookProblem(path, "A group of callbacks is an object."))
            continue
        fields = Fields(group, path)
        try:
            yield from _group(event, fields)
        except UnusableError as error:
            problems.append(HookProblem(error.path, str(error)))
        problems += fields.problems


def _group(event: HookEvent, fields: Fields) -> list[HookEntry]:
    """Return the callbacks of one matcher.

    Raises:
        UnusableError: Nobody can say what is meant.
    """
    try:
        matcher = Matcher(fields.text("matcher")) if fields.get("matcher") else EVERYTHING
    except BadMatcherError as error:
        raise UnusableError((*fields.path, "matcher"), f"The matcher fails: {error}.") from error
    ids = fields.texts("hookCallbackIds")
    if ids is None:
        raise UnusableError((*fields.path, "hookCallbackIds"), "'hookCallbackIds' is missing.")
    seconds = fields.seconds("timeout")
    on_failure = fields.choice("onFailure", OnFailure, OnFailure.CONTINUE, broken=OnFailure.BLOCK)
    return [
        HookEntry(
            event, matcher, Handler(Callback(one), timeout=seconds, on_failure=on_failure), _SOURCE
        )
        for one in ids
    ]
