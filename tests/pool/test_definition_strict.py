"""Which definitions ask the API to hold the model to the schema."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Capabilities
from gantlet.pool import STRICT_TOOLS, Definitions, View
from gantlet.tool import AnyTool, RequestView
from pool.made_up_tools import MadeUp, of_server

STRICT = RequestView(capabilities=Capabilities(strict_tools=True))
STRING = {"type": "string"}
UNION = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def closed(fields: dict[str, object], *required: str) -> dict[str, object]:
    """Return a schema that takes these fields and no other."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


def strict(name: str, schema: dict[str, object]) -> MadeUp:
    """Return a tool that asks for strictness."""
    return MadeUp(name, input_schema=schema, strict=True)


def which_are_strict(
    view: View, request: RequestView = STRICT, definitions: Definitions | None = None
) -> list[str]:
    """Return the names of the tools that are sent as strict."""
    part = (definitions or Definitions()).tools_part(view, request)
    return [one["name"] for one in json.loads(part) if one.get("strict") is True]


def test_a_tool_is_strict_where_it_wants_to_be_and_the_model_and_the_flag_allow_it() -> None:
    tool = strict("Read", closed({"path": STRING}, "path"))

    assert which_are_strict(View((tool,))) == ["Read"]


def test_a_tool_is_not_strict_where_it_or_the_model_or_the_flag_does_not_want_it() -> None:
    schema = closed({"path": STRING}, "path")
    tool, lax = strict("Read", schema), MadeUp("Lax", input_schema=schema)

    assert which_are_strict(View((lax,))) == []
    assert which_are_strict(View((tool,)), RequestView()) == []
    assert which_are_strict(View((tool,)), definitions=Definitions(frozenset())) == []
    assert which_are_strict(View((tool,)), definitions=Definitions(frozenset({STRICT_TOOLS})))


def test_one_tool_may_be_strict_for_one_model_and_not_for_the_next() -> None:
    view, definitions = (
        View(
            (
                strict(
                    "Read",
                    closed({}),
                ),
            )
        ),
        Definitions(),
    )

    answers = [
        which_are_strict(view, request, definitions) for request in (STRICT, RequestView(), STRICT)
    ]

    assert answers == [["Read"], [], ["Read"]]


NOT_STRICT: list[dict[str, object]] = [
    {"type": "object"},
    {"type": "object", "additionalProperties": True},
    {"type": "object", "additionalProperties": {"type": "string"}},
    closed({"inner": {"type": "object"}}),
    closed({"inner": {"type": "object", "properties": {"a": STRING}}}),
    closed({"inner": {"properties": {"a": STRING}}}),
    closed({"inner": {"type": ["object", "null"]}}),
    closed({"inner": {"type": "array", "items": {"type": "object"}}}),
    closed({"inner": {"anyOf": [{"type": "object"}, {"type": "null"}]}}),
    {**closed({"inner": {"$ref": "#/$defs/A"}}), "$defs": {"A": {"type": "object"}}},
    {**closed({"inner": {"$ref": "#/$defs/A"}}), "$defs": {"A": closed({"a": {"$ref": "#"}})}},
    {
        **closed({"inner": {"$ref": "#/$defs/A"}}),
        "$defs": {
            "A": closed({"b": {"$ref": "#/$defs/B"}}),
            "B": closed({"a": {"$ref": "#/$defs/A"}}),
        },
    },
    closed({"inner": {"$ref": "https://example.com/s.json"}}),
    closed({"anything": {}}),
    closed({"anything": {"description": "Anything."}}),
    closed({"list": {"type": "array"}}),
    closed({"list": {"type": "array", "items": STRING, "minItems": 2}}),
    closed({"list": {"type": "array", "items": STRING, "maxItems": 2}}),
    closed({"count": {"type": "integer", "minimum": 1}}),
    closed({"text": {"type": "string", "maxLength": 5}}),
    closed({"text": {"type": "string", "pattern": "a+"}}),
    closed({"text": {"type": "string", "format": "regex"}}),
    closed({"choice": {"enum": ["a", {"b": 1}]}}),
    closed({"choice": {"oneOf": [STRING, {"type": "null"}]}}),
]


@pytest.mark.parametrize("schema", NOT_STRICT)
def test_a_schema_that_is_open_or_says_more_than_strict_ones_may_is_sent_without(
    schema: dict[str, object],
) -> None:
    good = strict("Good", closed({}))

    assert which_are_strict(View((strict("Bad", schema), good))) == ["Good"]


STRICT_ENOUGH: list[dict[str, object]] = [
    closed({}),
    closed({"properties": STRING, "anyOf": STRING, "type": STRING, "format": UNION}),
    closed({"a": {"enum": ["x", 1, None]}, "b": {"const": 5}, "c": {"type": ["string", "null"]}}),
    closed({"list": {"type": "array", "items": closed({"a": STRING}), "minItems": 1}}),
    closed({"text": {"type": "string", "format": "date", "default": {"type": "object"}}}),
    {
        **closed({"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}}),
        "$defs": {"A": closed({"b": {"$ref": "#/$defs/B"}}), "B": STRING},
    },
]


@pytest.mark.parametrize("schema", STRICT_ENOUGH)
def test_a_closed_schema_within_the_subset_is_strict(schema: dict[str, object]) -> None:
    assert which_are_strict(View((strict("Good", schema),))) == ["Good"]


def test_at_most_twenty_tools_are_strict_own_ones_first() -> None:
    own = tuple(strict(f"Own{index:02}", closed({})) for index in range(18))
    served = tuple(
        of_server("srv", f"tool{index}", strict=True, input_schema=closed({})) for index in range(4)
    )

    chosen = which_are_strict(View(own, served))

    assert chosen == [tool.name for tool in own + served[:2]]


def test_at_most_twenty_four_fields_of_strict_tools_are_optional() -> None:
    ten = closed({f"field{index}": STRING for index in range(10)})
    four = closed({f"field{index}": STRING for index in range(5)}, "field0")
    view = View((strict("A", ten), strict("B", ten), strict("C", ten), strict("D", four)))

    assert which_are_strict(view) == ["A", "B", "D"]


def test_at_most_sixteen_fields_of_strict_tools_are_unions() -> None:
    eight = closed(
        {f"field{index}": UNION for index in range(8)}, *(f"field{index}" for index in range(8))
    )
    one = closed({"a": {"type": ["string", "null"]}}, "a")
    none = closed({"a": STRING}, "a")

    chosen = which_are_strict(
        View((strict("A", eight), strict("B", eight), strict("C", one), strict("D", none)))
    )

    assert chosen == ["A", "B", "D"]


def test_a_field_that_is_required_but_not_described_frees_no_room_for_optional_ones() -> None:
    greedy = closed({}, *(f"ghost{index}" for index in range(30)))
    thirty = closed({f"field{index}": STRING for index in range(30)})

    assert which_are_strict(View((strict("A", greedy), strict("B", thirty)))) == ["A"]


def test_a_deferred_tool_is_never_strict() -> None:
    served = of_server("srv", "tool", strict=True, input_schema=closed({}))

    view = View((strict("Own", closed({})),), deferred=(served,), by_reference=True)

    assert which_are_strict(view) == ["Own"]


fields = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([STRING, UNION]), max_size=8)


@st.composite
def strict_tools(draw: st.DrawFn) -> list[AnyTool]:
    """Many strict tools, some of servers, with optional and union-typed fields."""
    tools: list[AnyTool] = []
    for index in range(draw(st.integers(0, 26))):
        described = draw(fields)
        required = draw(st.lists(st.sampled_from(sorted(described)))) if described else []
        schema = closed(dict(described), *sorted(set(required)))
        tools.append(strict(f"Tool{index:02}", schema))
    return tools


@given(strict_tools(), st.integers(0, 26))
def test_no_request_asks_for_more_strictness_than_the_api_gives(
    tools: list[AnyTool], own: int
) -> None:
    view = View(tuple(tools[:own]), tuple(tools[own:]))

    part = json.loads(Definitions().tools_part(view, STRICT))

    schemas = [one["input_schema"] for one in part if "strict" in one]
    optional = sum(len(schema["properties"]) - len(schema["required"]) for schema in schemas)
    unions = sum("anyOf" in field for schema in schemas for field in schema["properties"].values())
    assert len(part) == len(tools)
    assert len(schemas) <= 20
    assert optional <= 24
    assert unions <= 16
