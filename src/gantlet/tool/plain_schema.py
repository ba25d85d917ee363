"""Schemas that are valid beyond doubt, told without the library that checks all the others.

A server's thousand tools are described to a model long before one of them is called. Most of their
schemas use a few words in the usual way. For these a short walk is enough; whatever it does not
know, it does not vouch for.
"""

import re
from collections.abc import Callable
from typing import TypeGuard

#: What the API takes as a field at the root. Another name makes it refuse the whole request.
FIELD_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_matches_field = FIELD_NAME.fullmatch
_MAX_DEPTH = 20
_KINDS = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})
_DESCRIBED = ("type", "description")
_SCALARS = frozenset({str, int, bool, type(None)})


def is_plain(schema: object) -> bool:
    """Return whether a schema is an object's, valid, free of noise, and in the order we write.

    A schema of which this is true can be written as it is. Of others nothing is said.
    """
    if type(schema) is not dict or schema.get("type") != "object":
        return False
    fields = schema.get("properties")
    if type(fields) is dict and not all(map(_is_field_name, fields)):
        return False
    return _is_plain(schema, _MAX_DEPTH)


def _is_plain(node: object, depth: int) -> bool:
    """Return whether one schema and those inside it are plain."""
    if type(node) is not dict or not depth:
        return False
    last = -1
    for word, given in node.items():
        known = _WORDS.get(word)
        if known is None or known[0] <= last:
            return False
        last, fits = known
        if not fits(given, depth - 1):
            return False
    return True


def _is_field_name(name: object) -> TypeGuard[str]:
    return type(name) is str and _matches_field(name) is not None


def _is_kind(given: object, depth: int) -> bool:
    return type(given) is str and given in _KINDS


def _is_text(given: object, depth: int) -> bool:
    return type(given) is str


def _is_scalar(given: object, depth: int) -> bool:
    return type(given) in _SCALARS


def _is_flag(given: object, depth: int) -> bool:
    return type(given) is bool


def _is_number(given: object, depth: int) -> bool:
    return type(given) is int


def _is_count(given: object, depth: int) -> bool:
    return type(given) is int and given >= 0


def _are_names(given: object, depth: int) -> bool:
    """Return whether this is a list of texts, each once."""
    if type(given) is not list:
        return False
    for name in given:
        if type(name) is not str:
            return False
    return len(set(given)) == len(given)


def _are_fields(given: object, depth: int) -> bool:
    """Return whether this maps names to plain schemas."""
    if type(given) is not dict:
        return False
    for name, inner in given.items():
        if type(name) is not str:
            return False
        if not (depth and _is_described(inner)) and not _is_plain(inner, depth):
            return False
    return True


def _is_described(node: object) -> bool:
    """Return whether this says a kind and a description, in this order, as most fields do."""
    if type(node) is not dict or tuple(node) != _DESCRIBED:
        return False
    kind = node["type"]
    return type(kind) is str and kind in _KINDS and type(node["description"]) is str


_Fits = Callable[[object, int], bool]
#: The words we vouch for, in the order in which we write them.
_WORDS: dict[object, tuple[int, _Fits]] = {
    word: (place, fits)
    for place, (word, fits) in enumerate(
        (
            ("type", _is_kind),
            ("description", _is_text),
            ("enum", _are_names),
            ("const", _is_scalar),
            ("default", _is_scalar),
            ("properties", _are_fields),
            ("required", _are_names),
            ("additionalProperties", _is_flag),
            ("items", _is_plain),
            ("maxItems", _is_count),
            ("maxLength", _is_count),
            ("maximum", _is_number),
            ("minItems", _is_count),
            ("minLength", _is_count),
            ("minimum", _is_number),
        )
    )
}
