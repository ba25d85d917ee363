"""From the JSON a handler answers to what it said. Pure; what breaks the form is refused."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from gantlet.hooks.names import HookEvent
from gantlet.hooks.sayings import HookDecision, Replacement, RequestAnswer, Saying
from gantlet.messages import FrozenDict, JsonValue, freeze

_T = TypeVar("_T")


class BadAnswerError(ValueError):
    """An answer does not have the form of one; the message says where."""


#: The events at which a top-level `decision` means something.
_DECIDING = frozenset(
    {
        HookEvent.PRE_TOOL_USE,
        HookEvent.USER_PROMPT_SUBMIT,
        HookEvent.USER_PROMPT_EXPANSION,
        HookEvent.POST_TOOL_USE,
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.POST_TOOL_BATCH,
        HookEvent.STOP,
        HookEvent.SUBAGENT_STOP,
        HookEvent.CONFIG_CHANGE,
        HookEvent.PRE_COMPACT,
        HookEvent.TASK_CREATED,
    }
)

#: The events at which a hook may give the model something to read.
TAKES_CONTEXT = frozenset(
    {
        HookEvent.PRE_TOOL_USE,
        HookEvent.POST_TOOL_USE,
        HookEvent.POST_TOOL_USE_FAILURE,
        HookEvent.POST_TOOL_BATCH,
        HookEvent.USER_PROMPT_SUBMIT,
        HookEvent.USER_PROMPT_EXPANSION,
        HookEvent.SESSION_START,
        HookEvent.SUBAGENT_START,
        HookEvent.STOP,
        HookEvent.SUBAGENT_STOP,
        HookEvent.SETUP,
        HookEvent.NOTIFICATION,
        HookEvent.POST_MODEL_SWITCH,
    }
)


class _Object:
    """A JSON object whose fields are asked for by type; null counts as absent."""

    def __init__(self, raw: Mapping[str, object], name: str = "") -> None:
        self._raw = raw
        self._name = name

    def has(self, field: str) -> bool:
        """Return whether a field is there, null or not."""
        return field in self._raw

    def get(self, field: str) -> object:
        """Return a field as it stands."""
        return self._raw.get(field)

    def text(self, field: str) -> str:
        """Return a text, or an empty one."""
        return self._typed(field, str, "a text") or ""

    def flag(self, field: str) -> bool | None:
        """Return true or false, or None."""
        return self._typed(field, bool, "true or false")

    def object(self, field: str) -> "_Object | None":
        """Return an object, or None."""
        found = self._raw.get(field)
        if found is None:
            return None
        if not isinstance(found, Mapping):
            raise self._bad(field, "an object")
        return _Object(found, f"{self._name}{field}.")

    def frozen(self, field: str) -> FrozenDict | None:
        """Return an object as a frozen value, or None."""
        found = self._raw.get(field)
        if found is None:
            return None
        if not isinstance(found, Mapping):
            raise self._bad(field, "an object")
        return _frozen_object(found)

    def objects(self, field: str) -> tuple[FrozenDict, ...]:
        """Return a list of objects."""
        found = self._raw.get(field)
        if found is None:
            return ()
        if not isinstance(found, list | tuple) or not all(isinstance(o, Mapping) for o in found):
            raise self._bad(field, "a list of objects")
        return tuple(_frozen_object(one) for one in found)

    def choice(self, field: str, words: tuple[str, ...]) -> str:
        """Return one of a few words, or nothing."""
        found = self._raw.get(field)
        if found is None:
            return ""
        if not isinstance(found, str) or found not in words:
            raise self._bad(field, " or ".join(repr(word) for word in words))
        return found

    def number(self, field: str) -> float | None:
        """Return a number, or None."""
        found = self._raw.get(field)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self._bad(field, "a number")
        return float(found)

    def _typed(self, field: str, kind: type[_T], named: str) -> _T | None:
        """Return a field of a type, or None."""
        found = self._raw.get(field)
        if found is not None and not isinstance(found, kind):
            raise self._bad(field, named)
        return found

    def _bad(self, field: str, wanted: str) -> BadAnswerError:
        """Return what is wrong with a field."""
        shown = repr(self._raw.get(field))
        shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
        return BadAnswerError(f"{self._name}{field} must be {wanted}, not {shown}")


def _frozen_object(raw: Mapping[str, object]) -> FrozenDict:
    """Return an object that cannot be changed any more."""
    try:
        return FrozenDict(raw)
    except (TypeError, ValueError) as error:
        raise BadAnswerError(f"it holds something that is no JSON: {error}") from error


def read_answer(event: HookEvent, raw: Mapping[str, object]) -> Saying:
    """Return what an answer in JSON says about an event.

    Raises:
        BadAnswerError: A field has the wrong type, or the answer is for another event.
    """
    answer = _Object(raw)
    goes_on = answer.flag("continue")
    answer.flag("suppressOutput")
    answer.text("terminalSequence")
    top = answer.choice("decision", ("approve", "block"))
    said: dict[str, object] = {
        "stops": goes_on is False,
        "stop_reason": answer.text("stopReason"),
        "system_message": answer.text("systemMessage"),
        "reason": answer.text("reason"),
        "blocks": top == "block" and event in _DECIDING,
        "is_async": bool(answer.flag("async")),
        "async_seconds": answer.number("asyncTimeout"),
    }
    if top == "approve" and event is HookEvent.PRE_TOOL_USE:
        said |= {"decision": HookDecision.ALLOW, "decision_reason": said["reason"]}
    special = answer.object("hookSpecificOutput")
    if special is not None:
        said |= _special(event, special)
    return Saying(**said)  # type: ignore[arg-type]  # each was read as its field wants it


def _special(event: HookEvent, special: _Object) -> dict[str, object]:
    """Return what the part of an answer says that is for one event only."""
    named = special.text("hookEventName")
    if named != event:
        wanted = f"hookSpecificOutput.hookEventName must be {str(event)!r}"
        raise BadAnswerError(f"{wanted}, not {named!r}" if named else wanted)
    said: dict[str, object] = {}
    context = special.text("additionalContext")
    if context and event in TAKES_CONTEXT:
        said["context"] = (context,)
    read = _SPECIAL.get(event)
    return said if read is None else said | read(special)


def _before_call(special: _Object) -> dict[str, object]:
    """Return what may be said before a call."""
    decision = special.choice("permissionDecision", tuple(HookDecision))
    said: dict[str, object] = {"updated_input": special.frozen("updatedInput")}
    reason = special.text("permissionDecisionReason")
    if decision:
        said |= {"decision": HookDecision(decision), "decision_reason": reason}
    return said


def _after_call(special: _Object) -> dict[str, object]:
    """Return what may be said after a call."""
    special.text("classifierContext")
    for field in ("updatedToolOutput", "updatedMCPToolOutput"):
        if special.get(field) is not None:
            return {"updated_output": Replacement(_frozen(special.get(field)))}
    return {}


def _frozen(raw: object) -> JsonValue:
    """Return a JSON value that cannot be changed any more."""
    try:
        return freeze(raw)
    except (TypeError, ValueError) as error:
        raise BadAnswerError(f"it holds something that is no JSON: {error}") from error


def _on_request(special: _Object) -> dict[str, object]:
    """Return what may be answered in a person's place."""
    decision = special.object("decision")
    if decision is None:
        return {}
    behaviour = decision.choice("behavior", ("allow", "deny"))
    if not behaviour:
        raise BadAnswerError("hookSpecificOutput.decision.behavior must be 'allow' or 'deny'")
    return {
        "request": RequestAnswer(
            behaviour == "allow",
            decision.frozen("updatedInput"),
            decision.objects("updatedPermissions"),
            decision.text("message"),
            bool(decision.flag("interrupt")),
        )
    }


def _on_denial(special: _Object) -> dict[str, object]:
    """Return what may be said when a call was denied."""
    return {"retries": bool(special.flag("retry"))}


def _on_prompt(special: _Object) -> dict[str, object]:
    """Return what may be said about a prompt."""
    return {
        "session_title": special.text("sessionTitle"),
        "hides_prompt": bool(special.flag("suppressOriginalPrompt")),
    }


def _on_start(special: _Object) -> dict[str, object]:
    """Return what may be said when a session begins."""
    return {
        "session_title": special.text("sessionTitle"),
        "first_prompt": special.text("initialUserMessage"),
    }


_SPECIAL: Mapping[HookEvent, Callable[[_Object], dict[str, object]]] = {
    HookEvent.PRE_TOOL_USE: _before_call,
    HookEvent.POST_TOOL_USE: _after_call,
    HookEvent.PERMISSION_REQUEST: _on_request,
    HookEvent.PERMISSION_DENIED: _on_denial,
    HookEvent.USER_PROMPT_SUBMIT: _on_prompt,
    HookEvent.SESSION_START: _on_start,
}
