"""One parse function for both kinds of schema, and what it says to a model."""

from collections.abc import Callable
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator, model_validator

from builders import SchemaTool, problems_of
from gantlet.messages import FrozenDict
from gantlet.tool import InputProblem, Invalid, Parsed, Tool, ToolInput, parse


class Edit(BaseModel):
    """One replacement."""

    old: str
    new: str


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Circle(ToolInput):
    """A round shape."""

    radius: int


class Square(ToolInput):
    """A shape with sides."""

    side: int


class DrawInput(ToolInput):
    """A bit of everything."""

    path: str
    edits: list[Edit] = Field(default_factory=list)
    mode: Literal["fast", "slow"] = "fast"
    colour: Colour = Colour.RED
    count: Annotated[int, Field(ge=1, le=9)] = 1
    name: Annotated[str, Field(pattern="^[a-z]+$", min_length=2, max_length=4)] = "abc"
    when: int | list[str] = 0
    shape: Circle | Square | None = None
    sizes: dict[str, int] = Field(default_factory=dict)


class Draw(Tool[DrawInput]):
    """Draws."""

    name = "Draw"
    description = "Draw."
    input_type = DrawInput


DRAW = Draw()
WRITE = SchemaTool(
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                    "required": ["old", "new"],
                    "additionalProperties": False,
                },
            },
            "mode": {"enum": ["fast", "slow"]},
            "version": {"const": 3},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "ratio": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 4},
            "pair": {"minItems": 2, "maxItems": 2},
            "when": {"anyOf": [{"type": "integer"}, {"type": "array"}]},
            "gone": False,
        },
        "required": ["path"],
        "additionalProperties": False,
    }
)


def test_a_model_and_a_schema_are_read_by_the_same_function() -> None:
    given = {"path": "a.txt", "edits": [{"old": "x", "new": "y"}], "count": 3}

    from_model = parse(DRAW, given)
    from_schema = parse(WRITE, given)

    assert from_model == Parsed(DrawInput(path="a.txt", edits=[Edit(old="x", new="y")], count=3))
    assert from_schema == Parsed(FrozenDict(given))


def test_the_args_of_a_schema_are_frozen() -> None:
    parsed = parse(WRITE, {"path": "a.txt", "edits": [{"old": "x", "new": "y"}]})

    assert isinstance(parsed, Parsed)
    with pytest.raises(TypeError, match="cannot be changed"):
        parsed.args["edits"][0]["old"] = "z"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ["`path` is required but missing."]),
        ({"path": 3}, ["`path` should be a string, got integer 3."]),
        (
            {"path": "a", "pth": "b"},
            ["`pth` is not a field of this tool. Did you mean `path`?"],
        ),
        (
            {"path": "a", "zzz": 1},
            [
                "`zzz` is not a field of this tool. Its fields are:"
                " path, edits, mode, colour, count, name, when, shape, sizes."
            ],
        ),
        (
            {"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": 1}]},
            [
                "`edits[1].old` should be a string, got integer 1.",
                "`edits[1].new` is required but missing.",
            ],
        ),
        (
            {"path": "a", "mode": "warp"},
            ["`mode` should be 'fast' or 'slow', got string 'warp'."],
        ),
        (
            {"path": "a", "colour": "green"},
            ["`colour` should be 'red' or 'blue', got string 'green'."],
        ),
        (
            {"path": "a", "count": 10},
            [
                "`count` is not accepted: Input should be less than or equal to 9, got integer 10.",
            ],
        ),
        (
            {"path": "a", "name": "A1"},
            ["`name` is not accepted: String should match pattern '^[a-z]+$', got string 'A1'."],
        ),
        (
            {"path": "a", "when": {}},
            [
                "`when` as int: should be an integer, got object.",
                "`when` as list[str]: should be an array, got object.",
            ],
        ),
        (
            {"path": "a", "shape": {"radius": "wide"}},
            [
                "`shape.radius` as Circle: should be an integer, got string 'wide'.",
                "`shape.side` as Square: is required but missing.",
                "`shape.radius` as Square: is not a field of this tool.",
            ],
        ),
        (
            {"path": "a", "sizes": {"x": "big"}},
            ["`sizes.x` should be an integer, got string 'big'."],
        ),
        ({"path": None}, ["`path` should be a string, got null."]),
        ({"path": ["a"]}, ["`path` should be a string, got array."]),
        ({"path": "a", "count": 1.5}, ["`count` should be an integer, got number 1.5."]),
        (
            {"path": "a", "count": "\ud800"},
            ["`count` should be valid Unicode text, got string '\\ud800'."],
        ),
        (
            {"path": "a", "\ud800": 1},
            ["The input should be valid Unicode text, got string '\\ud800'."],
        ),
    ],
)
def test_a_model_says_where_and_what_and_what_instead(
    given: dict[str, Any], said: list[str]
) -> None:
    assert problems_of(DRAW, given) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ["`path` is required but missing."]),
        ({"path": 3}, ["`path` should be string, got integer 3."]),
        (
            {"path": "a", "pth": "b"},
            ["`pth` is not a field of this tool. Did you mean `path`?"],
        ),
        (
            {"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": 1, "odl": 2}]},
            [
                "`edits[1].old` should be string, got integer 1.",
                "`edits[1].new` is required but missing.",
                "`edits[1].odl` is not a field of this tool.",
            ],
        ),
        (
            {"path": "a", "mode": "warp"},
            ["`mode` should be one of 'fast', 'slow', got string 'warp'."],
        ),
        ({"path": "a", "version": 2}, ["`version` should be 3, got integer 2."]),
        ({"path": "a", "count": 0}, ["`count` should be at least 1, got integer 0."]),
        ({"path": "a", "count": 10}, ["`count` should be at most 9, got integer 10."]),
        ({"path": "a", "ratio": 0}, ["`ratio` should be more than 0, got integer 0."]),
        ({"path": "a", "ratio": 1}, ["`ratio` should be less than 1, got integer 1."]),
        (
            {"path": "a", "name": "A1"},
            ["`name` should match the pattern '^[a-z]+$', got string 'A1'."],
        ),
        ({"path": "a", "name": "a"}, ["`name` should have at least 2 characters, got string 'a'."]),
        (
            {"path": "a", "name": "abcde"},
            ["`name` should have at most 4 characters, got string 'abcde'."],
        ),
        ({"path": "a", "pair": [1]}, ["`pair` should have at least 2 items, got array."]),
        ({"path": "a", "pair": [1, 2, 3]}, ["`pair` should have at most 2 items, got array."]),
        (
            {"path": "a", "when": "now"},
            [
                '`when` fits none of its forms ("now" is not of type "integer";'
                ' "now" is not of type "array"), got string \'now\'.'
            ],
        ),
        ({"path": "a", "gone": 1}, ["`gone` is not allowed here, got integer 1."]),
        (
            {"path": 1, "count": "\ud800"},
            ["The input holds half of a surrogate pair. Send valid Unicode text."],
        ),
    ],
)
def test_a_schema_says_where_and_what_and_what_instead(
    given: dict[str, Any], said: list[str]
) -> None:
    assert sorted(problems_of(WRITE, given)) == sorted(said)


@pytest.mark.parametrize("tool", [DRAW, WRITE], ids=["model", "schema"])
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (None, "The input should be a JSON object, got null."),
        ([{"path": "a"}], "The input should be a JSON object, got array."),
        ("path", "The input should be a JSON object, got string 'path'."),
        (7, "The input should be a JSON object, got integer 7."),
        (True, "The input should be a JSON object, got boolean True."),
    ],
)
def test_an_input_that_is_no_object_is_named_for_what_it_is(
    tool: Tool[Any], raw: object, said: str
) -> None:
    assert problems_of(tool, raw) == [said]


def test_the_message_counts_the_problems_and_ends_in_what_to_do() -> None:
    invalid = parse(DRAW, {"path": 1, "mode": 2})

    assert isinstance(invalid, Invalid)
    assert invalid.problems == (
        InputProblem("path", "should be a string, got integer 1."),
        InputProblem("mode", "should be 'fast' or 'slow', got integer 2."),
    )
    assert invalid.message == (
        "The input of Draw has 2 problems:\n"
        "- `path` should be a string, got integer 1.\n"
        "- `mode` should be 'fast' or 'slow', got integer 2.\n"
        "Correct this and call the tool again."
    )


class OddError(Exception):
    """An exception that fails when it is asked what happened."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def _raise(error: BaseException) -> None:
    """Raise what is given."""
    raise error


VALIDATOR_FAILURES: list[tuple[Callable[[], BaseException], str]] = [
    (
        lambda: ValueError("use a relative path."),
        "`path` is not accepted: use a relative path, got string 'a'.",
    ),
    (
        lambda: AssertionError("it must exist"),
        "`path` is not accepted: it must exist, got string 'a'.",
    ),
    (lambda: KeyError("volume"), "The input could not be checked: 'volume'"),
    (lambda: ZeroDivisionError(), "The input could not be checked: ZeroDivisionError"),
    (lambda: OddError(), "The input could not be checked: OddError"),
    (lambda: RecursionError(), "The input is too large or too deeply nested. Send a simpler one."),
]


@pytest.mark.parametrize(("error", "said"), VALIDATOR_FAILURES)
def test_a_validator_may_raise_anything(error: Callable[[], BaseException], said: str) -> None:
    class Checked(ToolInput):
        path: str

        @field_validator("path")
        @classmethod
        def check(cls, path: str) -> str:
            _raise(error())
            return path

    class Checking(Tool[Checked]):
        name = "Checking"
        description = "Check."
        input_type = Checked

    assert problems_of(Checking(), {"path": "a"}) == [said]


def test_what_is_wrong_with_the_fields_together_is_said_of_the_input() -> None:
    class Range(ToolInput):
        first: int
        last: int

        @model_validator(mode="after")
        def check(self) -> "Range":
            if self.first > self.last:
                raise ValueError("first comes after last")
            return self

    class Count(Tool[Range]):
        name = "Count"
        description = "Count."
        input_type = Range

    assert problems_of(Count(), {"first": 2, "last": 1}) == [
        "The input is not accepted: first comes after last, got object."
    ]


class Neither(Tool[Any]):
    """A tool without an input."""

    name = "neither"
    description = "Has no input."


class Both(Draw):
    """A tool with two inputs."""

    input_schema = {"type": "object"}  # noqa: RUF012 - written as a careless author would


class NoModel(Tool[Any]):
    """A tool whose input is no model."""

    name = "NoModel"
    description = "Has an odd input."
    input_type = dict


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (Neither(), "neither needs either an input_type or an input_schema, and not both."),
        (Both(), "Draw needs either an input_type or an input_schema, and not both."),
        (NoModel(), "The input_type <class 'dict'> is not a pydantic model."),
    ],
)
def test_a_tool_without_one_clear_input_answers_that_it_cannot_be_used(
    tool: Tool[Any], reason: str
) -> None:
    assert problems_of(tool, {"path": "a"}) == [
        f"This tool cannot be used: {reason} Choose another one."
    ]


def test_a_mapping_that_is_no_dict_is_read_like_one() -> None:
    class Lazy(dict[str, Any]):
        """A dict of a kind of its own."""

    assert parse(DRAW, MappingProxyType({"path": "a"})) == Parsed(DrawInput(path="a"))
    assert parse(WRITE, Lazy(path="a")) == Parsed(FrozenDict(path="a"))
