"""What makes two requests the same: their messages, system prompt and tools, in one form."""

import hashlib
import json
import reprlib
from collections.abc import Callable, Mapping
from itertools import takewhile, zip_longest
from typing import TypeAlias

from gantlet.messages import (
    JsonValue,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    freeze,
    loads,
)
from gantlet.models.recorded.cassette import How
from gantlet.system import Masker

Clean: TypeAlias = Callable[[str], str]
MAX_DEPTH = 256
_SHOWN_BEFORE = 20
_SHOWN_AFTER = 40
_PARTS = ("system", "tools", "messages")


class _Absent:
    """Stands where one of two requests has nothing."""

    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


def masked_body(request: ModelRequest, how: How, masker: Masker) -> dict[str, JsonValue]:
    """Return a request without its secrets; what the model said stays as it was.

    Raises:
        ModelError: The request is not one that could be sent.
    """
    try:
        body = freeze(loads(request.body(stream=how is How.STREAM)), max_depth=MAX_DEPTH)
    except ValueError as error:
        raise ModelError(
            f"The request cannot be read: {error}", ModelErrorKind.INVALID_REQUEST
        ) from error
    members = body if isinstance(body, dict) else {}
    kept = {name: masker.value(part) for name, part in members.items() if name != "messages"}
    messages = members.get("messages", [])
    said = messages if isinstance(messages, list) else []
    return {**kept, "messages": [one if _is_the_models(one) else masker.value(one) for one in said]}


def canonical(body: Mapping[str, JsonValue], clean: Clean) -> dict[str, JsonValue]:
    """Return what is compared: text as blocks, marks for the prompt cache left out."""
    return {name: _comparable(name, body.get(name), clean) for name in _PARTS}


def fingerprint(parts: Mapping[str, JsonValue]) -> str:
    """Return a hash that is the same for the same request."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def difference(recorded: object, asked: object, where: str = "") -> str:
    """Return the first place where two requests differ and what stands there, or nothing."""
    if isinstance(recorded, dict) and isinstance(asked, dict):
        places: dict[object, None] = dict.fromkeys([*recorded, *asked])
        pairs = [(at, recorded.get(at, _ABSENT), asked.get(at, _ABSENT)) for at in places]
    elif isinstance(recorded, list) and isinstance(asked, list):
        aligned = zip_longest(recorded, asked, fillvalue=_ABSENT)
        pairs = [(at, before, now) for at, (before, now) in enumerate(aligned)]
    else:
        is_same = type(recorded) is type(asked) and recorded == asked  # 1 is not True here
        return "" if is_same else f"{where}: {_shown(recorded, asked)}"
    for at, before, now in pairs:
        found = difference(before, now, f"{where}.{at}" if where else f"{at}")
        if found:
            return found
    return ""


def _comparable(name: str, value: JsonValue, clean: Clean) -> JsonValue:
    """Return a value in the form in which it is compared."""
    if isinstance(value, str):
        text = clean(value)
        return [{"type": "text", "text": text}] if name in ("system", "content") else text
    if isinstance(value, list):
        return [_comparable("", child, clean) for child in value]
    if isinstance(value, dict):
        return {
            key: _comparable(key, child, clean)
            for key, child in value.items()
            if key != "cache_control"
        }
    return [] if value is None and name in _PARTS else value


def _is_the_models(message: JsonValue) -> bool:
    """Say whether the model said it."""
    return isinstance(message, dict) and message.get("role") == "assistant"


def _shown(recorded: object, asked: object) -> str:
    """Return both values; of long texts what is near the first difference."""
    if isinstance(recorded, str) and isinstance(asked, str):
        pairs = zip(recorded, asked, strict=False)
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        start = max(0, same - _SHOWN_BEFORE)
        recorded, asked = (text[start : same + _SHOWN_AFTER] for text in (recorded, asked))
        lead = "…" if start else ""
        return f"recorded {lead}{recorded!r}, asked {lead}{asked!r}"
    return f"recorded {reprlib.repr(recorded)}, asked {reprlib.repr(asked)}"
