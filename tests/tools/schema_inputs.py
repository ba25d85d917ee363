"""Inputs that fit a schema, for the kinds of schema that our own tools have."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from builders import json_values

Schema = Mapping[str, Any]

_texts = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["", "a", "/tmp/a", "~/a", "../..", "a\0b", "x" * 300, "*.py", "ls -l; rm -rf /", "\x1b[2J"]
)


def inputs_for(schema: Schema) -> st.SearchStrategy[Any]:
    """Return inputs for a schema; most of them fit."""
    return _values(schema, schema)


def _values(schema: Schema, root: Schema) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        return st.deferred(lambda: _values(target, root))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return st.one_of([_values(branch, root) for branch in schema[word]])
    return _of_type(schema, root)


def _of_type(schema: Schema, root: Schema) -> st.SearchStrategy[Any]:
    match schema.get("type"):
        case "string":
            shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 10_000)
            return _texts.filter(lambda text: shortest <= len(text) <= longest)
        case "integer" | "number":
            return st.integers(schema.get("minimum", -1000), schema.get("maximum", 100_000))
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            items = _values(schema.get("items", {}), root)
            return st.lists(items, min_size=schema.get("minItems", 0), max_size=3)
        case "object":
            fields = {
                name: _values(inner, root) for name, inner in schema.get("properties", {}).items()
            }
            required = {name: fields.pop(name) for name in schema.get("required", ())}
            return st.fixed_dictionaries(required, optional=fields)
    return json_values
