"""Parsing never raises, and what it says stays short, whatever was sent."""

from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import Field

from builders import SchemaTool, json_values, problems_of
from gantlet.messages import JsonValue
from gantlet.tool import Invalid, Parsed, Tool, ToolInput, parse
from gantlet.tool.problems import MAX_MESSAGE_CHARS, MAX_PROBLEMS

MEGABYTE = "y" * 1_000_000


class Leaf(ToolInput):
    """An input that refers to itself, with unions and bounds."""

    a: int = Field(1, ge=0)
    b: str | list[str] | None = None
    c: Literal["x", "y"] = "x"
    d: dict[str, float] = Field(default_factory=dict)
    kids: list["Leaf"] = Field(default_factory=list)


class Plant(Tool[Leaf]):
    """Grows."""

    name = "Plant"
    description = "Grow."
    input_type = Leaf


PLANT = Plant()
SCHEMAS: list[dict[str, object]] = [
    {},
    {"additionalProperties": False},
    {"properties": {"a": {"type": "integer"}, "b": {"type": "string", "pattern": "^x"}}},
    {"additionalProperties": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    {"propertyNames": {"maxLength": 2}, "maxProperties": 2, "minProperties": 1},
    {"patternProperties": {"^a": {"type": "array", "uniqueItems": True, "contains": {"const": 1}}}},
    {"required": ["a", "b"], "dependentRequired": {"a": ["c"]}},
    {"not": {"required": ["a"]}, "if": {"required": ["b"]}, "then": False},
    {
        "$defs": {"n": {"type": ["object", "array"], "items": {"$ref": "#/$defs/n"}}},
        "additionalProperties": {"$ref": "#/$defs/n"},
    },
    {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"minimum": 2}}}]},
    {"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
]
STRANGERS = [SchemaTool(schema) for schema in SCHEMAS]

inputs = json_values | st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "kids", "A", "aa", "\x1b[2J", "\ud800", "a\nb"])
    | st.text(st.characters(), max_size=4),
    json_values,
    max_size=5,
)


def check_that_it_is_shown_safely(text: str) -> None:
    lines = text.split("\n")
    assert len(text) <= MAX_MESSAGE_CHARS + 500
    assert all(line.isprintable() for line in lines), ascii(text)


@given(inputs)
@example({"kids": [{"kids": [{"a": "\x1b]0;title\x07"}]}]})
def test_parsing_for_a_model_never_raises(raw: JsonValue) -> None:
    outcome = parse(PLANT, raw)

    assert isinstance(outcome, Parsed | Invalid)
    if isinstance(outcome, Invalid):
        check_that_it_is_shown_safely(outcome.message)


@given(st.sampled_from(STRANGERS), inputs)
def test_parsing_for_a_schema_never_raises(tool: SchemaTool, raw: JsonValue) -> None:
    outcome = parse(tool, raw)

    assert isinstance(outcome, Parsed | Invalid)
    if isinstance(outcome, Invalid):
        check_that_it_is_shown_safely(outcome.message)


@given(json_values)
def test_any_json_as_a_schema_never_makes_parsing_raise(schema: Any) -> None:
    assert isinstance(parse(SchemaTool(schema), {"a": 1}), Parsed | Invalid)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "type", "properties", "items", "required", "enum", "anyOf", "$ref", "$defs", "not",
                "pattern", "patternProperties", "$anchor", "$id", "id", "$schema", "if", "const",
                "additionalProperties", "dependentSchemas", "unevaluatedProperties", "$dynamicRef",
            ]
        ),
        json_values | st.sampled_from(["#", "#/", "#/$defs", "#/%", "#a", "http://x", "(", "\\"]),
    ),
    inputs,
)  # fmt: skip
def test_a_broken_schema_never_makes_parsing_raise(schema: Any, raw: JsonValue) -> None:
    assert isinstance(parse(SchemaTool(schema), raw), Parsed | Invalid)


CLOSED = SchemaTool(
    {"properties": {"a": {"type": "integer"}, "b": {}}, "additionalProperties": False}
)


@pytest.mark.parametrize("tool", [PLANT, CLOSED], ids=["model", "schema"])
def test_ten_thousand_problems_are_all_counted_and_the_first_are_told(tool: Tool[Any]) -> None:
    raw = {"a": "one", **{f"unknown{i}": i for i in range(10_000)}}

    invalid = parse(tool, raw)

    assert isinstance(invalid, Invalid)
    assert len(invalid.problems) == 10_001
    lines = invalid.message.split("\n")
    assert lines[0] == f"The input of {tool.name} has 10001 problems:"
    assert lines[-2:] == [
        f"- and {10_001 - MAX_PROBLEMS} more",
        "Correct this and call the tool again.",
    ]
    check_that_it_is_shown_safely(invalid.message)


@pytest.mark.parametrize("tool", [PLANT, CLOSED], ids=["model", "schema"])
@pytest.mark.parametrize(
    "raw",
    [
        {"a": MEGABYTE},
        {MEGABYTE: 1},
        {f"{i}{MEGABYTE[:10_000]}": MEGABYTE[:10_000] for i in range(100)},
        {"a": [MEGABYTE]},
        {"a": {MEGABYTE: MEGABYTE}},
    ],
    ids=["value", "name", "many", "inside", "both"],
)
def test_a_megabyte_in_the_input_does_not_come_back_in_the_message(
    tool: Tool[Any], raw: dict[str, Any]
) -> None:
    invalid = parse(tool, raw)

    assert isinstance(invalid, Invalid)
    check_that_it_is_shown_safely(invalid.message)


def test_a_long_list_of_allowed_values_is_shown_by_its_beginning() -> None:
    tool = SchemaTool({"properties": {"a": {"enum": [f"choice{i}" for i in range(10_000)]}}})

    [problem] = problems_of(tool, {"a": 1})

    assert problem.startswith("`a` should be one of 'choice0', 'choice1', ")
    assert problem.endswith("…, got integer 1.")
    assert len(problem) < 500


def test_problems_that_are_long_and_many_are_told_until_the_message_is_full() -> None:
    long_choice = {"enum": [f"choice{i}" for i in range(100)]}
    fields = {f"field{i}": long_choice for i in range(MAX_PROBLEMS)}

    invalid = parse(SchemaTool({"properties": fields}), dict.fromkeys(fields, 1))

    assert isinstance(invalid, Invalid)
    assert len(invalid.problems) == MAX_PROBLEMS
    check_that_it_is_shown_safely(invalid.message)
    told = invalid.message.count("should be one of")
    assert 0 < told < MAX_PROBLEMS
    assert f"- and {MAX_PROBLEMS - told} more\n" in invalid.message


def test_a_validator_that_quotes_everything_is_cut() -> None:
    class Echo(ToolInput):
        a: str

        def model_post_init(self, _: object) -> None:
            raise ValueError(f"\x1b[31m{self.a}")

    class Echoing(Tool[Echo]):
        name = "Echoing"
        description = "Echo."
        input_type = Echo

    invalid = parse(Echoing(), {"a": MEGABYTE})

    assert isinstance(invalid, Invalid)
    check_that_it_is_shown_safely(invalid.message)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [100, 1_000, 9_000, 100_000])
@pytest.mark.parametrize("tool", [PLANT, *STRANGERS[:5], STRANGERS[8]])
def test_deep_nesting_is_an_answer_and_no_crash(tool: Tool[Any], depth: int) -> None:
    outcome = parse(tool, {"a": nested(depth), "kids": nested(depth)})

    assert isinstance(outcome, Parsed | Invalid)


def test_a_model_that_refers_to_itself_survives_an_input_deeper_than_the_stack() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"kids": [deep]}

    assert problems_of(PLANT, deep) != []


def test_a_value_that_contains_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)

    assert isinstance(parse(CLOSED, {"a": circle}), Invalid)
    assert isinstance(parse(PLANT, {"kids": circle}), Invalid)


@pytest.mark.parametrize("tool", [PLANT, CLOSED], ids=["model", "schema"])
def test_a_number_of_thousands_of_digits_is_an_answer(tool: Tool[Any]) -> None:
    assert isinstance(parse(tool, {"a": 10**5_000, "c": 10**5_000}), Invalid)
