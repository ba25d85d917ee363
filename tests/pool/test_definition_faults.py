"""A tool that cannot be written, or not as it wished, harms no other."""

import json

import pytest

from gantlet.messages import Capabilities
from gantlet.pool import Definitions, View
from gantlet.tool import Problem, RequestView
from pool.made_up_tools import MadeUp, Mute

REQUEST = RequestView()
GOOD = MadeUp("Good")
WITH_EXAMPLES = RequestView(capabilities=Capabilities(input_examples=True))


def nested(depth: int) -> dict[str, object]:
    """Return a schema of objects in objects."""
    schema: dict[str, object] = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


def endless() -> dict[str, object]:
    """Return a schema that contains itself."""
    schema: dict[str, object] = {"type": "object"}
    schema["properties"] = {"inner": schema}
    return schema


def exploding() -> dict[str, object]:
    """Return a small schema whose root combines two to the power of forty parts."""
    levels: dict[str, object] = {"L0": {"properties": {"x": {"type": "string"}}}}
    for level in range(40):
        below = {"$ref": f"#/$defs/L{level}"}
        narrowed = {"allOf": [below, {"properties": {"x": {"maxLength": level}}}]}
        levels[f"L{level + 1}"] = {"anyOf": [below, narrowed]}
    return {"$ref": "#/$defs/L40", "$defs": levels}


REFUSED: list[tuple[object, str]] = [
    ({"type": "array"}, "The input schema's type is 'array', not 'object'."),
    ({"type": ["object", "null"]}, "The input schema's type is ['object', 'null'], not 'object'."),
    (
        {"properties": {"filter[name]": {"type": "string"}}},
        "The field 'filter[name]' cannot be sent: use 1 to 64 letters, digits, '_', '.' or '-'.",
    ),
    (
        {"oneOf": [{"properties": {"a b": {"type": "string"}}}]},
        "The field 'a b' cannot be sent: use 1 to 64 letters, digits, '_', '.' or '-'.",
    ),
    (
        {"default": float("nan")},
        "it cannot be written as JSON: ValueError('Out of range float values are not JSON"
        " compliant')",
    ),
    (exploding(), "The input schema combines too much at its root."),
]


@pytest.mark.parametrize(("schema", "reason"), REFUSED)
def test_a_tool_whose_schema_the_api_would_refuse_is_left_out_with_a_problem(
    schema: object, reason: str
) -> None:
    definitions, bad = Definitions(), MadeUp("Bad", input_schema=schema)

    part = definitions.tools_part(View((bad, GOOD)), REQUEST)

    assert [one["name"] for one in json.loads(part)] == ["Good"]
    assert definitions.problems == {"Bad": Problem("Bad", reason)}
    assert definitions.one(bad, REQUEST) is None


UNREADABLE: list[object] = [
    {"type": "nonsense"},
    {"properties": 5},
    {"required": "path"},
    {"properties": {"a": {"default": {1}}}},
    {"properties": {1: {}}},
    "no schema",
    nested(5_000),
    endless(),
    {"default": 10**5_000},
]


@pytest.mark.parametrize("schema", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_schema_that_is_none_or_too_deep_or_too_large_costs_only_its_tool(
    schema: object,
) -> None:
    definitions = Definitions()

    part = definitions.tools_part(View((MadeUp("Bad", input_schema=schema), GOOD)), REQUEST)

    assert [one["name"] for one in json.loads(part)] == ["Good"]
    assert list(definitions.problems) == ["Bad"]
    assert definitions.problems["Bad"].reason


def test_a_reason_has_a_bound_however_long_its_cause_is() -> None:
    definitions, bad = Definitions(), MadeUp("Bad", input_schema={"$dynamicRef": "x" * 100_000})
    loud = MadeUp("Loud", input_schema={"type": ["x" * 100_000]})

    definitions.tools_part(View((bad, loud)), REQUEST)

    assert all(len(problem.reason) < 600 for problem in definitions.problems.values())


def test_a_tool_without_an_input_is_left_out() -> None:
    definitions = Definitions()

    part = definitions.tools_part(View((MadeUp("Bad", input_schema=None),)), REQUEST)

    assert part == b"[]"
    assert list(definitions.problems) == ["Bad"]


def test_a_schema_that_refers_to_itself_is_sent_as_it_is() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
    }
    definitions, tool = Definitions(), MadeUp("Tree", input_schema=tree)

    assert definitions.one(tool, REQUEST) == {
        "name": "Tree",
        "description": "Do something made up.",
        "input_schema": tree,
    }
    assert definitions.problems == {}


@pytest.mark.parametrize(
    ("tool", "shown", "reason"),
    [
        (
            Mute("Bad", search_hint="what it is for"),
            "what it is for",
            "its description failed: RuntimeError('no words'); it is shown without one",
        ),
        (
            Mute("Bad"),
            "Bad",
            "its description failed: RuntimeError('no words'); it is shown without one",
        ),
        (
            MadeUp("Bad", lambda request: 5),
            "Bad",
            "its description is not a text; it is shown without one",
        ),
    ],
)
def test_a_tool_that_cannot_describe_itself_stays_usable_under_a_plain_description(
    tool: MadeUp, shown: str, reason: str
) -> None:
    definitions = Definitions()

    part = definitions.tools_part(View((tool, GOOD)), REQUEST)

    assert [one["description"] for one in json.loads(part)] == [shown, GOOD.description]
    assert definitions.problems == {"Bad": Problem("Bad", reason)}


def test_examples_are_sent_only_to_a_model_that_takes_them() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tool = MadeUp("Read", input_schema=schema, input_examples=[{"path": "a.py"}, {}])
    definitions = Definitions()

    with_examples = definitions.one(tool, WITH_EXAMPLES)
    without = definitions.one(tool, REQUEST)

    assert without is not None
    assert "input_examples" not in without
    assert with_examples == {**without, "input_examples": [{"path": "a.py"}, {}]}


def test_an_example_that_does_not_fit_the_schema_would_fail_the_request_so_it_is_left_out() -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}}
    examples: list[object] = [{"count": "5"}, {"count": 5}, 7, {"count": float("nan")}]
    tool = MadeUp("Count", input_schema=schema, input_examples=examples)
    definitions = Definitions()

    definition = definitions.one(tool, WITH_EXAMPLES)

    assert definition is not None
    assert definition["input_examples"] == [{"count": 5}]
    assert definitions.problems["Count"].reason.startswith("an input example does not fit: `count`")


@pytest.mark.parametrize("examples", [5, None, [{"a": {1}}], [{1: 2}], ["text"]])
def test_examples_that_are_no_examples_cost_only_themselves(examples: object) -> None:
    definitions = Definitions()

    definition = definitions.one(MadeUp("Bad", input_examples=examples), WITH_EXAMPLES)

    assert definition is not None
    assert "input_examples" not in definition
    assert list(definitions.problems) == ["Bad"]


def test_only_the_first_problem_of_a_tool_is_kept_and_it_is_not_asked_again() -> None:
    definitions, bad = Definitions(), MadeUp("Bad", input_schema={"type": "array"})
    definitions.tools_part(View((bad,)), REQUEST)
    bad.input_schema = {"type": "object"}

    part = definitions.tools_part(View((bad,)), REQUEST)

    assert part == b"[]"
    assert len(definitions.problems) == 1


def test_a_tool_whose_name_is_no_text_any_more_is_left_out() -> None:
    definitions, changed = Definitions(), MadeUp("Changed")
    definitions.tools_part(View((GOOD, changed)), REQUEST)
    changed.name = 7  # type: ignore[assignment]

    part = json.loads(definitions.tools_part(View((changed, GOOD)), REQUEST))

    assert [one["name"] for one in part] == ["Good"]
    assert [one.reason[:30] for one in definitions.problems.values()] == [
        "it cannot be written as JSON: "
    ]


def test_examples_that_cannot_be_written_are_left_out_and_the_tool_stays() -> None:
    endless_example: dict[str, object] = {}
    endless_example["again"] = endless_example
    definitions = Definitions()
    tool = MadeUp("Odd", input_schema={"type": "object"}, input_examples=[endless_example])

    part = json.loads(definitions.tools_part(View((tool, GOOD)), WITH_EXAMPLES))

    assert [one["name"] for one in part] == ["Odd", "Good"]
    assert "input_examples" not in part[0]
    assert list(definitions.problems) == ["Odd"]
