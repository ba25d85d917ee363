"""A schema that we vouch for is valid, and written exactly as the library's way would write it."""

import json
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import run_python
from gantlet.tool import clean
from gantlet.tool.inputs import SchemaFormat
from gantlet.tool.plain_schema import plain_text
from gantlet.tool.schema import compact

WORDS = (
    "type", "description", "enum", "const", "default", "properties", "required",
    "additionalProperties", "items", "maxItems", "maxLength", "maximum", "minItems", "minLength",
    "minimum", "title", "$schema", "pattern", "anyOf", "$ref",
)  # fmt: skip


class _Text(str):
    """A text that is another type."""

    __slots__ = ()


KINDS = st.sampled_from(["object", "string", "array", "integer", "odd"])
NAMES = st.sampled_from(["path", "limit", "a b", "x" * 65, "type"])
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.just(float("nan")), KINDS,
    st.lists(st.one_of(NAMES, st.integers(0, 1)), max_size=3),
)  # fmt: skip


def nodes(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas of the usual words, mostly as they should be, in every order."""
    values = {
        "type": KINDS,
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "items": inner,
        "required": st.lists(NAMES, max_size=2),
        "additionalProperties": st.booleans(),
        "description": st.text(max_size=3),
    }
    pair = st.sampled_from(WORDS).flatmap(
        lambda word: st.tuples(st.just(word), st.one_of(values.get(word, ODD), ODD))
    )
    return st.lists(pair, max_size=4).map(dict)


SCHEMAS = st.recursive(st.just({"type": "string"}), nodes, max_leaves=6).map(
    lambda node: {"type": "object", **node}
)


@given(SCHEMAS)
def test_what_is_plain_is_valid_and_would_be_written_the_same(schema: dict[str, Any]) -> None:
    text = plain_text(schema)
    if not text:
        return

    assert jsonschema_rs.meta.is_valid(clean(schema))
    assert text == compact(clean(schema))
    assert "a b" not in schema.get("properties", {})


@given(SCHEMAS, st.randoms(use_true_random=False))
def test_the_order_and_the_noise_of_a_plain_schema_make_no_difference(
    schema: dict[str, Any], chance: Random
) -> None:
    words = [*schema.items(), ("title", object()), ("$comment", [schema])]
    chance.shuffle(words)

    assert plain_text(dict(words)) == plain_text(schema)


@given(SCHEMAS)
def test_a_plain_text_says_what_the_cleaned_schema_says(schema: dict[str, Any]) -> None:
    text = SchemaFormat(schema).plain_text

    if text:
        assert json.dumps(json.loads(text)) == json.dumps(clean(schema))
        assert json.dumps(SchemaFormat(schema).json_schema) == json.dumps(clean(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": None},
        {"type": ["object"]},
        {"type": _Text("object")},
        {"type": "object", "properties": {_Text("a"): {"type": "string"}}},
        {"type": "object", "properties": {1: {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": ["string"], "description": "A."}}},
        {"type": "object", "properties": {"a": {"type": "string", "description": None}}},
        {"type": "object", "properties": {"a": {"type": "string", 1: "A."}}},
        {"type": "object", "properties": {"a": {"minLength": True}}},
        {"type": "object", "properties": {"a": {"minLength": 1.0}}},
        {"type": "object", "properties": {"a b": {"type": "string"}}, "required": []},
        {"type": "object", "properties": {}, "required": ["a", "a"]},
        {"type": "object", "properties": {}, "required": [1]},
        {"type": "object", "properties": None, "required": []},
        {"type": "integer", "properties": {}, "required": []},
        {"type": "object", "properties": {"a": {"type": "text"}}},
        {"type": "object", "properties": {"a b": {"type": "string"}}},
        {"type": "object", "required": ["a", "a"]},
        {"type": "object", "pattern": "("},
        {"type": "object", "anyOf": []},
        {"type": "object", "properties": {"a": {"default": float("nan")}}},
        [],
        None,
    ],
    ids=repr,
)
def test_nobody_vouches_for_what_may_be_wrong(schema: object) -> None:
    assert not SchemaFormat(schema).plain_text  # type: ignore[arg-type]  # some are no mappings


def test_a_number_of_thousands_of_digits_is_not_plain() -> None:
    schema = {"type": "object", "properties": {"a": {"default": 10**5000}}}

    assert SchemaFormat(schema).plain_text == ""


def test_a_part_that_stands_in_several_places_is_written_in_each() -> None:
    part: dict[str, object] = {"type": "string", "description": "A name."}
    whole = {"type": "object", "properties": {"a": part, "b": {"type": "array", "items": part}}}

    assert json.loads(plain_text(whole)) == whole


def test_a_default_may_be_a_list_of_scalars_and_nothing_deeper() -> None:
    schema = {"type": "object", "properties": {"a": {"default": ["x", 1, True, None, ""]}}}
    assert json.loads(plain_text(schema)) == schema
    assert plain_text({"type": "object", "properties": {"a": {"default": []}}})

    refused: list[object] = [[[]], [{}], [1.5], [float("nan")], (), {}]
    for deeper in refused:
        assert not plain_text({"type": "object", "properties": {"a": {"default": deeper}}})


def test_what_only_equals_a_flag_is_no_flag() -> None:
    for number in (1, 0, 1.0):
        assert not plain_text({"type": "object", "additionalProperties": number})
    for default, text in ((True, "true"), (1, "1"), (0, "0")):
        schema = {"type": "object", "properties": {"a": {"default": default}}}
        assert plain_text(schema).endswith(f'{{"a":{{"default":{text}}}}}}}')


def test_what_contains_itself_is_not_plain() -> None:
    schema: dict[str, Any] = {"type": "object"}
    schema["items"] = schema

    assert SchemaFormat(schema).plain_text == ""


def test_a_text_does_not_change_with_what_was_given() -> None:
    fields: dict[str, Any] = {"a": {"type": "string"}}
    described = SchemaFormat({"type": "object", "properties": fields})
    before = described.plain_text

    fields["b"] = {"type": "string"}

    assert described.plain_text == before
    assert described.json_schema["properties"] == {"a": {"type": "string"}}


def test_describing_tools_with_plain_schemas_does_not_load_the_library_that_checks() -> None:
    printed = run_python(
        """
import sys
from gantlet.pool import Definitions
from gantlet.tool import RequestView, Tool

class Given(Tool):
    name = "given"
    description = "One."
    input_schema = {"type": "object", "title": "T", "properties": {"a": {"type": "string"}}}

print(Definitions().one(Given(), RequestView()), "jsonschema_rs" in sys.modules)
"""
    )

    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    expected = {"name": "given", "description": "One.", "input_schema": schema}
    assert printed == f"{expected} False\n"
