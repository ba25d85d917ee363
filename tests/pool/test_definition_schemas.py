"""Schemas as they are sent: flat at the root, without noise, in one order."""

from collections.abc import Mapping

import pytest

from gantlet.pool import Definitions, View
from gantlet.tool import AnyTool, Parsed, RequestView, parse
from pool.made_up_tools import MadeUp

REQUEST = RequestView()


COMBINED: list[tuple[dict[str, object], dict[str, object]]] = [
    (
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {}}},
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": []},
    ),
    (
        {
            "oneOf": [
                {"properties": {"kind": {"const": "file"}, "path": {}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "url"}, "url": {}}, "required": ["kind", "url"]},
            ]
        },
        {
            "type": "object",
            "properties": {
                "kind": {"anyOf": [{"const": "file"}, {"const": "url"}]},
                "path": {},
                "url": {},
            },
            "required": ["kind"],
        },
    ),
    (
        {
            "allOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"a": {"maxLength": 5}, "b": {}}, "required": ["b"]},
            ],
            "required": ["b"],
        },
        {
            "type": "object",
            "properties": {"a": {"allOf": [{"type": "string"}, {"maxLength": 5}]}, "b": {}},
            "required": ["b", "a"],
        },
    ),
    (
        {
            "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
            "$defs": {
                "A": {"properties": {"a": {}}, "required": ["a"]},
                "B": {"allOf": [{"$ref": "#/$defs/A"}], "properties": {"b": {}}},
            },
        },
        {
            "type": "object",
            "properties": {"a": {}, "b": {}},
            "required": ["a"],
            "$defs": {
                "A": {"properties": {"a": {}}, "required": ["a"]},
                "B": {"properties": {"b": {}}, "allOf": [{"$ref": "#/$defs/A"}]},
            },
        },
    ),
    (
        {"anyOf": [True, {"properties": {"a": {}}, "required": ["a"]}]},
        {"type": "object", "properties": {"a": {}}, "required": []},
    ),
    (
        {"anyOf": [False, {"properties": {"a": {}}, "required": ["a"]}]},
        {"type": "object", "properties": {"a": {}}, "required": ["a"]},
    ),
    (
        {"properties": {"a": {"type": "string"}}, "oneOf": [{"properties": {"a": {"const": "x"}}}]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": []},
    ),
]


@pytest.mark.parametrize(("schema", "sent"), COMBINED)
def test_combinations_at_the_root_are_flattened_so_that_every_way_is_offered(
    schema: dict[str, object], sent: dict[str, object]
) -> None:
    definition = Definitions().one(MadeUp("Read", input_schema=schema), REQUEST)

    assert definition is not None
    assert definition["input_schema"] == sent


def test_a_root_that_refers_to_a_definition_offers_its_fields() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "value": {"type": "string"}},
        "required": ["value"],
    }
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node}}

    definition = Definitions().one(MadeUp("Chain", input_schema=schema), REQUEST)

    assert definition is not None
    assert definition["input_schema"] == {**node, "$defs": {"Node": node}}


@pytest.mark.parametrize("reference", ["#/$defs/Missing", "https://example.com/s.json", "#here"])
def test_a_root_that_refers_to_nothing_here_offers_no_fields(reference: str) -> None:
    definition = Definitions().one(MadeUp("Odd", input_schema={"$ref": reference}), REQUEST)

    assert definition is not None
    assert definition["input_schema"] == {"type": "object", "properties": {}, "required": []}


def is_accepted(tool: AnyTool, raw: Mapping[str, object]) -> bool:
    """Say whether a tool takes an input."""
    return isinstance(parse(tool, raw), Parsed)


def test_an_input_is_still_checked_by_the_schema_as_it_was_given() -> None:
    schema = {
        "oneOf": [
            {"properties": {"kind": {"const": "file"}, "path": {}}, "required": ["kind", "path"]},
            {"properties": {"kind": {"const": "url"}, "url": {}}, "required": ["kind", "url"]},
        ]
    }
    tool = MadeUp("Fetch", input_schema=schema)
    Definitions().one(tool, REQUEST)

    assert is_accepted(tool, {"kind": "url", "url": "u"})
    assert not is_accepted(tool, {"kind": "url", "path": "p"})


def test_titles_and_the_dialect_are_left_out_but_what_is_named_title_stays() -> None:
    schema: dict[str, object] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/book",
        "$comment": "noise",
        "title": "Book",
        "type": "object",
        "properties": {
            "title": {"title": "Title", "type": "string", "default": {"title": "kept"}},
            "parts": {"type": "array", "items": {"title": "Part", "type": "string"}},
            "any": {"anyOf": [{"title": "A", "const": {"title": "kept"}}, {"title": "B"}]},
        },
        "patternProperties": {"^title$": {"title": "T"}},
        "dependentRequired": {"title": ["parts"]},
        "dependentSchemas": {"title": {"title": "D", "required": ["title"]}},
        "required": ["title"],
        "$defs": {"title": {"title": "T", "type": "string"}},
    }

    definition = Definitions().one(MadeUp("Book", input_schema=schema), REQUEST)

    assert definition is not None
    assert definition["input_schema"] == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "default": {"title": "kept"}},
            "parts": {"type": "array", "items": {"type": "string"}},
            "any": {"anyOf": [{"const": {"title": "kept"}}, {}]},
        },
        "required": ["title"],
        "$defs": {"title": {"type": "string"}},
        "dependentRequired": {"title": ["parts"]},
        "dependentSchemas": {"title": {"required": ["title"]}},
        "patternProperties": {"^title$": {}},
    }


def test_the_keywords_of_a_schema_stand_in_one_order_whatever_order_they_came_in() -> None:
    one = {"maximum": 9, "type": "integer", "minimum": 1, "description": "How many."}
    other = {"description": "How many.", "minimum": 1, "type": "integer", "maximum": 9}

    parts = [
        Definitions().tools_part(
            View((MadeUp("Count", input_schema={"properties": {"count": field}}),)), REQUEST
        )
        for field in (one, other)
    ]

    assert parts[0] == parts[1]
