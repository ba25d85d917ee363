"""Schemas that are valid beyond doubt, told without the library that checks all the others.

A server's thousand tools are described to a model long before one of them is called. Most of their
schemas use a few words in the usual way. For these a short walk is enough; whatever it does not
know, it does not vouch for.
"""

import re
from collections.abc import Callable
from typing import TypeGuard

from gantlet.messages.json import as_json_text

#: What the API takes as a field at the root. Another name makes it refuse the whole request.
FIELD_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_matches_field = FIELD_NAME.fullmatch
_MAX_DEPTH = 20
_KINDS = {
    kind: f'"{kind}"'
    for kind in ("string", "integer", "number", "boolean", "object", "array", "null")
}
_DESCRIBED = ("type", "description")


def is_plain(schema: object) -> bool:
    """Return whether a schema is an object's, valid, free of noise, and in the order we write."""
    return bool(plain_text(schema))


def plain_text(schema: object) -> str:
    """Return a schema as it is sent, if it is plain; of others nothing is said.

    Plain is an object's schema that is valid, free of noise, and in the order we write. It is
    looked at and written in one walk.
    """
    if type(schema) is not dict or schema.get("type") != "object":
        return ""
    fields = schema.get("properties")
    if type(fields) is dict and not all(map(_is_field_name, fields)):
        return ""
    return _schema(schema, _MAX_DEPTH)


def _schema(node: object, depth: int) -> str:
    """Write one schema and those inside it; nothing if they are not plain."""
    if type(node) is not dict or not depth:
        return ""
    last, parts = -1, []
    for word, given in node.items():
        known = _WORDS.get(word)
        if known is None or known[0] <= last:
            return ""
        last, begin, write = known
        text = write(given, depth - 1)
        if not text:
            return ""
        parts.append(begin + text)
    return "{" + ",".join(parts) + "}"


def _is_field_name(name: object) -> TypeGuard[str]:
    return type(name) is str and _matches_field(name) is not None


def _kind(given: object, depth: int) -> str:
    return _KINDS.get(given, "") if type(given) is str else ""


def _text(given: object, depth: int) -> str:
    return as_json_text(given) if type(given) is str else ""


def _scalar(given: object, depth: int) -> str:
    if given is None:
        return "null"
    return _text(given, depth) or _flag(given, depth) or _number(given, depth)


def _flag(given: object, depth: int) -> str:
    return ("true" if given else "false") if type(given) is bool else ""


def _number(given: object, depth: int) -> str:
    return str(given) if type(given) is int else ""


def _count(given: object, depth: int) -> str:
    return str(given) if type(given) is int and given >= 0 else ""


def _names(given: object, depth: int) -> str:
    """Write a list of texts, each once."""
    if type(given) is not list:
        return ""
    for name in given:
        if type(name) is not str:
            return ""
    return f"[{','.join(map(as_json_text, given))}]" if len(set(given)) == len(given) else ""


def _fields(given: object, depth: int) -> str:
    """Write names with their schemas."""
    if type(given) is not dict:
        return ""
    parts = []
    for name, inner in given.items():
        text = (_described(inner) if depth else "") or _schema(inner, depth)
        if not text or type(name) is not str:
            return ""
        parts.append(f"{as_json_text(name)}:{text}")
    return "{" + ",".join(parts) + "}"


def _described(node: object) -> str:
    """Write a schema that says a kind and a description, in this order, as those of most fields."""
    if type(node) is not dict or tuple(node) != _DESCRIBED:
        return ""
    kind, description = node["type"], node["description"]
    if type(kind) is not str or kind not in _KINDS or type(description) is not str:
        return ""
    return f'{{"type":"{kind}","description":{as_json_text(description)}}}'


_Write = Callable[[object, int], str]
#: The words we vouch for, in the order in which we write them.
_WORDS: dict[object, tuple[int, str, _Write]] = {
    word: (place, f'"{word}":', write)
    for place, (word, write) in enumerate(
        (
            ("type", _kind),
            ("description", _text),
            ("enum", _names),
            ("const", _scalar),
            ("default", _scalar),
            ("properties", _fields),
            ("required", _names),
            ("additionalProperties", _flag),
            ("items", _schema),
            ("maxItems", _count),
            ("maxLength", _count),
            ("maximum", _number),
            ("minItems", _count),
            ("minLength", _count),
            ("minimum", _number),
        )
    )
}
