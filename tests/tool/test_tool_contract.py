"""What a tool has by default, and what it can say for itself."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from pydantic import Field

from builders import SchemaTool, args_of, json_values, problems_of, tool_context
from gantlet.messages import FrozenDict, JsonValue
from gantlet.system import Environment
from gantlet.tool import (
    DEFAULT_MAX_RESULT_CHARS,
    TOOL_CATALOG,
    UNBOUNDED,
    MissingPortError,
    Mode,
    Port,
    Ports,
    RequestView,
    Tool,
    ToolInput,
)


class CountInput(ToolInput):
    """What to count."""

    path: str
    deep: bool = False
    words: list[str] = Field(default_factory=list)
    as_: str = Field(default="lines", alias="as")


class Count(Tool[CountInput]):
    """Says only what it must."""

    name = "Count"
    description = "Count things."
    input_type = CountInput


async def test_a_tool_that_says_only_what_it_must_has_careful_defaults() -> None:
    tool = Count.build(Ports())
    args = CountInput(path="a")

    assert tool.is_enabled(Environment())
    assert (tool.aliases, tool.search_hint, tool.input_examples) == ((), "", ())
    assert (tool.strict, tool.should_defer, tool.always_load, tool.hidden) == (False,) * 4
    assert (tool.requires_flag, tool.hidden_by_flag) == ("", "")
    assert tool.max_result_chars == DEFAULT_MAX_RESULT_CHARS == 50_000
    assert (tool.timeout_seconds, tool.mcp) == (None, None)
    assert await tool.validate_input(args, tool_context()) is None
    assert await tool.check_permissions(args, tool_context()) is None
    assert tool.permission_matcher(args) is None
    assert tool.user_facing_name(args) == tool.user_facing_name(None) == "Count"
    with pytest.raises(NotImplementedError):
        await tool.run(args, tool_context())


def test_unbounded_is_more_than_any_length() -> None:
    assert UNBOUNDED > 10**300


def test_a_description_is_a_text_or_a_method_of_the_request() -> None:
    class Planning(Count):
        def description(self, request: RequestView) -> str:  # type: ignore[override]  # as we say
            return f"Count in mode {request.mode} beside {', '.join(request.tool_names)}."

    request = RequestView(mode=Mode.PLAN, tool_names=("Read", "Grep"))

    assert Count().describe(request) == "Count things."
    assert Planning().describe(request) == "Count in mode plan beside Read, Grep."


@pytest.mark.parametrize(
    ("given_fields", "summary"),
    [
        ({"path": "a.txt"}, 'Count(path="a.txt")'),
        ({"path": "a", "deep": True, "as": "words"}, 'Count(path="a", deep=true, as="words")'),
        ({"path": "a", "deep": False, "as": "lines"}, 'Count(path="a")'),
        ({"path": "a\nb\x1b[2J"}, 'Count(path="a\\nb\\u001b[2J")'),
        ({"path": "\u202egpj.exe\x9b\ud800"}, 'Count(path="\\u202egpj.exe\\x9b\\ud800")'),
        ({"path": "a", "words": ["x", "y"]}, 'Count(path="a", words=["x", "y"])'),
        ({"path": "y" * 1_000}, f'Count(path="{"y" * 58}…)'),
    ],
)
def test_a_summary_is_one_short_line(given_fields: dict[str, Any], summary: str) -> None:
    tool = Count()

    assert tool.summary(CountInput(**given_fields)) == summary


@given(json_values)
def test_a_summary_of_any_json_is_one_bounded_printable_line(value: JsonValue) -> None:
    tool = SchemaTool({})
    given_fields = {"a": value, "b\x1b\n": value, **{f"field{i}": value for i in range(60)}}

    summary = tool.summary(FrozenDict(given_fields))

    assert len(summary) <= 200
    assert summary.replace("\u200c", "").replace("\u200d", "").isprintable()


@given(json_values)
def test_an_automatic_check_sees_a_bounded_line_of_any_json(value: JsonValue) -> None:
    seen = SchemaTool({}).classifier_input(FrozenDict(a=value, b="y" * 10_000))

    assert len(seen) <= 2_000
    assert "\n" not in seen


def test_an_automatic_check_sees_the_args() -> None:
    assert Count().classifier_input(CountInput(path="a")) == (
        '{"path": "a", "deep": false, "words": [], "as": "lines"}'
    )


def test_the_name_for_people_heads_the_summary() -> None:
    class Friendly(Count):
        def user_facing_name(self, args: CountInput | None) -> str:
            return "Count" if args is None else f"Count {args.path}"

    assert Friendly().summary(CountInput(path="a")) == 'Count a(path="a")'


def test_the_schema_has_no_titles_and_is_closed() -> None:
    assert Count().input_format.json_schema == {
        "type": "object",
        "description": "What to count.",
        "properties": {
            "path": {"type": "string"},
            "deep": {"type": "boolean", "default": False},
            "words": {"type": "array", "items": {"type": "string"}},
            "as": {"type": "string", "default": "lines"},
        },
        "required": ["path"],
        "additionalProperties": False,
    }


def test_an_alias_is_what_the_model_writes() -> None:
    args = args_of(Count(), path="a", **{"as": "words"})

    assert isinstance(args, CountInput)
    assert args.as_ == "words"
    assert problems_of(Count(), {"path": "a", "as_": "words"}) == [
        "`as_` is not a field of this tool. Did you mean `as`?"
    ]


def test_args_cannot_be_changed() -> None:
    args: Any = CountInput(path="a")

    with pytest.raises(ValueError, match="frozen"):
        args.path = "b"


def test_a_port_that_is_offered_is_handed_over() -> None:
    clock: Port[Mapping[str, int]] = Port("clock")
    ports = Ports({clock: {"now": 3}})

    assert ports.need(clock) == {"now": 3}
    assert ports.need(Port[Mapping[str, int]]("clock")) == {"now": 3}


def test_a_port_that_nobody_offers_is_named() -> None:
    with pytest.raises(MissingPortError) as caught:
        Ports().need(TOOL_CATALOG)

    assert str(caught.value) == "it needs the port 'tool catalog', which is not offered here"
    assert caught.value.port == TOOL_CATALOG
