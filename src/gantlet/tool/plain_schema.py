"""Schemas that are valid beyond doubt, told without the library that checks all the others.

A server's thousand tools are described to a model long before one of them is called. Most of their
schemas use a few words in the usual way. For these one short walk both looks and writes; whatever
it does not know, it does not vouch for.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from gantlet.messages.json import as_json_text

#: What the API takes as a field at the root. Another name makes it refuse the whole request.
FIELD_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
#: What says nothing to a model, and is left out of every schema.
NOISE = frozenset({"title", "$schema", "$id", "$comment"})
_MAX_DEPTH = 20
_KINDS = {
    kind: f'"{kind}"'
    for kind in ("string", "integer", "number", "boolean", "object", "array", "null")
}
#: How a field begins that says its kind and a description, as most do.
_DESCRIBED = {kind: f'{{"type":{text},"description":' for kind, text in _KINDS.items()}


def plain_text(schema: object) -> str:
    """Return a schema as it is sent, if it is plain; of others nothing is said.

    Plain is an object's schema that is valid and has only words we know. It is written without
    noise, in the order we write.
    """
    if type(schema) is not dict:
        return ""
    try:
        kind, fields, required = schema["type"], schema["properties"], schema["required"]
    except KeyError:
        whole = schema if "type" in schema else {"type": "object", **schema}
        return _schema(whole, _MAX_DEPTH, _AT_ROOT)
    if len(schema) != 3:
        return _schema(schema, _MAX_DEPTH, _AT_ROOT)
    # Most roots say just these three things.
    text, names = _named(fields, _MAX_DEPTH - 1, _name_at_root), _names(required, 0)
    if not text or not names or type(kind) is not str or kind != "object":
        return ""
    return f'{{"type":"object","properties":{text},"required":{names}}}'


def _schema(node: object, depth: int, words: "_Words") -> str:
    """Write one schema and those inside it; nothing if they are not plain."""
    if type(node) is not dict or not depth:
        return ""
    last, parts = -1, []
    in_order = True
    for word, given in node.items():
        known = words.get(word)
        if known is None:
            if word in NOISE:
                continue
            return ""
        place, begin, write = known
        text = write(given, depth - 1)
        if not text:
            return ""
        if place < last:
            in_order = False
        last = place
        parts.append(begin + text)
    if not in_order:
        parts.sort(key=_place)
    return "{" + ",".join(parts) + "}"


def _place(part: str) -> int:
    return _WORDS[part[1 : part.index('"', 1)]][0]


def _object(given: object, depth: int) -> str:
    return '"object"' if type(given) is str and given == "object" else ""


def _kind(given: object, depth: int) -> str:
    return _KINDS.get(given, "") if type(given) is str else ""


def _text(given: object, depth: int) -> str:
    return as_json_text(given) if type(given) is str else ""


def _scalar(given: object, depth: int) -> str:
    if given is None:
        return "null"
    return _text(given, depth) or _flag(given, depth) or _number(given, depth)


def _default(given: object, depth: int) -> str:
    """Write a scalar, or a list of them."""
    if type(given) is not list:
        return _scalar(given, depth)
    parts = [_scalar(item, depth) for item in given]
    return f"[{','.join(parts)}]" if all(parts) else ""


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
    if len(given) == 1:
        only = given[0]
        return f"[{as_json_text(only)}]" if type(only) is str else ""
    for name in given:
        if type(name) is not str:
            return ""
    if len(set(given)) < len(given):
        return ""
    return f"[{','.join(map(as_json_text, given))}]"


def _fields(given: object, depth: int) -> str:
    """Write names with their schemas."""
    return _named(given, depth, _name)


def _fields_at_root(given: object, depth: int) -> str:
    """Write names with their schemas where the API is particular about names."""
    return _named(given, depth, _name_at_root)


def _named(given: object, depth: int, name_of: Callable[[str], str]) -> str:
    """Write names with their schemas; the usual ones by a short cut."""
    if type(given) is not dict:
        return ""
    parts = []
    for name, node in given.items():
        begin = name_of(name) if type(name) is str else ""
        if not begin:
            return ""
        if type(node) is dict and len(node) == 2 and depth:
            try:
                kind, description = node["type"], node["description"]
            except KeyError:
                kind = description = None
            if type(description) is str and type(kind) is str and kind in _DESCRIBED:
                parts.append(f"{begin}{_DESCRIBED[kind]}{as_json_text(description)}}}")
                continue
        text = _schema(node, depth, _WORDS)
        if not text:
            return ""
        parts.append(begin + text)
    return "{" + ",".join(parts) + "}"


def _name(name: str) -> str:
    return as_json_text(name) + ":"


@lru_cache(maxsize=1024)
def _name_at_root(name: str) -> str:
    """Write a field's name, if the API takes it. Tools call their fields by the same few names."""
    return _name(name) if FIELD_NAME.fullmatch(name) else ""


def _items(given: object, depth: int) -> str:
    return _schema(given, depth, _WORDS)


_Write = Callable[[object, int], str]
_Words = dict[object, tuple[int, str, _Write]]
#: The words we vouch for, in the order in which we write them.
_WORDS: _Words = {
    word: (place, f'"{word}":', write)
    for place, (word, write) in enumerate(
        (
            ("type", _kind),
            ("description", _text),
            ("enum", _names),
            ("const", _scalar),
            ("default", _default),
            ("properties", _fields),
            ("required", _names),
            ("additionalProperties", _flag),
            ("items", _items),
            ("maxItems", _count),
            ("maxLength", _count),
            ("maximum", _number),
            ("minItems", _count),
            ("minLength", _count),
            ("minimum", _number),
        )
    )
}
#: The same at the root.
_AT_ROOT: _Words = {
    word: (place, begin, {"type": _object, "properties": _fields_at_root}.get(str(word), write))
    for word, (place, begin, write) in _WORDS.items()
}
