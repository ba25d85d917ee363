"""Definitions of tools that change, fail or are odd between one request and the next."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gantlet.pool import Definitions, View, assemble
from gantlet.tool import Invalid, RequestView, Tool, parse
from pool.made_up_tools import MadeUp

REQUEST = RequestView()


def sent(definitions: Definitions, *tools: MadeUp) -> list[dict[str, Any]]:
    """Return the tools part of a request, read again."""
    part: list[dict[str, Any]] = json.loads(definitions.tools_part(View(tools), REQUEST))
    return part


def text_field(description: str) -> dict[str, object]:
    """Return a schema with one field."""
    return {"type": "object", "properties": {"a": {"type": "string", "description": description}}}


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_any_number_of_tools_makes_one_array(count: int) -> None:
    tools = [MadeUp(f"tool{number}") for number in range(count)]

    part = sent(Definitions(), *tools)

    assert [one["name"] for one in part] == [tool.name for tool in tools]
    assert ["cache_control" in one for one in part] == [tool is tools[-1] for tool in tools]


def test_a_schema_that_its_owner_changes_later_stays_as_it_was_sent() -> None:
    schema = text_field("Before.")
    tool, definitions = MadeUp("Changing", input_schema=schema), Definitions()
    before = sent(definitions, tool)

    schema["properties"] = {"b": {"type": "string"}}

    assert sent(definitions, tool) == before


def test_inputs_are_read_by_the_schema_that_was_sent_though_the_tool_has_another_by_now() -> None:
    tool = MadeUp("Rebound", input_schema={**text_field("Before."), "required": ["a"]})
    sent(Definitions(), tool)

    tool.input_schema = {"type": "object", "properties": {}}

    assert isinstance(parse(tool, {}), Invalid)


def test_a_schema_that_is_made_anew_each_time_is_asked_for_once() -> None:
    asked: list[int] = []

    class Fresh(Tool[Mapping[str, object]]):
        name = "Fresh"
        description = "Makes its schema."

        @property
        def input_schema(self) -> Mapping[str, object]:  # type: ignore[override]  # made anew
            asked.append(1)
            return text_field(f"Number {len(asked)}.")

    tool, definitions = Fresh(), Definitions()
    assert assemble([tool]).tools == (tool,)
    for _ in range(3):
        part = json.loads(definitions.tools_part(View((tool,)), REQUEST))

    assert part[0]["input_schema"]["properties"]["a"]["description"] == "Number 1."
    assert len(asked) == 1


def test_a_description_may_change_with_each_request() -> None:
    class Counting(MadeUp):
        count = 0

        def describe(self, request: RequestView) -> str:
            self.count += 1
            return f"Asked {self.count} times."

    tool, definitions = Counting("Counting"), Definitions()

    told = [sent(definitions, tool)[0]["description"] for _ in range(3)]

    assert told == ["Asked 1 times.", "Asked 2 times.", "Asked 3 times."]


class _Failing(Mapping[str, object]):
    """A schema that fails in its own way when it is looked at."""

    def __getitem__(self, name: str) -> object:
        raise OverflowError("not today")

    def __iter__(self) -> Iterator[str]:
        return iter(["type"])

    def __len__(self) -> int:
        return 1


def test_a_schema_that_fails_in_its_own_way_costs_only_its_tool() -> None:
    broken, definitions = MadeUp("Broken", input_schema=_Failing()), Definitions()

    part = sent(definitions, broken, MadeUp("Good"))

    assert [one["name"] for one in part] == ["Good"]
    assert "not today" in definitions.problems["Broken"].reason
    assert isinstance(parse(broken, {}), Invalid)


def test_a_schema_that_cannot_be_had_costs_only_its_tool() -> None:
    class Lost(MadeUp):
        @property
        def input_schema(self) -> Mapping[str, object]:
            raise LookupError("nobody has it")

        @input_schema.setter
        def input_schema(self, given: object) -> None:
            """Take none."""

    definitions = Definitions()

    assert [one["name"] for one in sent(definitions, Lost("Lost"), MadeUp("Good"))] == ["Good"]
    assert "nobody has it" in definitions.problems["Lost"].reason


def test_half_a_character_in_a_plain_schema_becomes_one_that_can_be_read() -> None:
    tool = MadeUp("Half", "Half: \udc80.", input_schema=text_field("Also \ud800."))

    one = sent(Definitions(), tool)[0]

    assert one["description"] == "Half: \ufffd."
    assert one["input_schema"]["properties"]["a"]["description"] == "Also \ufffd."


def test_more_names_of_fields_than_are_remembered_are_all_written() -> None:
    fields = {f"field{number}": {"type": "integer"} for number in range(3_000)}
    schema = {"type": "object", "properties": fields, "required": list(fields)}

    assert sent(Definitions(), MadeUp("Wide", input_schema=schema))[0]["input_schema"] == schema


def test_a_name_that_was_refused_once_is_refused_again() -> None:
    definitions = Definitions()
    tools = [
        MadeUp(f"bad{number}", input_schema={"properties": {"a b": {"type": "string"}}})
        for number in range(3)
    ]

    assert sent(definitions, *tools) == []
    assert set(definitions.problems) == {"bad0", "bad1", "bad2"}
