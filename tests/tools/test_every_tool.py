"""Every built-in tool keeps the contract. A new tool is found here without being named."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from builders import run_python, tool_context
from gantlet import tools
from gantlet.system import Environment
from gantlet.tool import (
    TOOL_NAME,
    AnyTool,
    Parsed,
    RequestView,
    Traits,
    ask_traits,
    footprint,
    parse,
)
from gantlet.tool.inputs import ModelFormat
from tools.every_port import EveryPort
from tools.schema_inputs import inputs_for

CLASSES, BROKEN = tools.discover(tools)


BUILT, LEFT_OUT = tools.build_all(CLASSES, EveryPort())
every_tool = pytest.mark.parametrize("tool", BUILT, ids=lambda tool: tool.name)
with_a_model = pytest.mark.parametrize(
    "tool", [tool for tool in BUILT if tool.input_type is not None], ids=lambda tool: tool.name
)


def fresh_schema(tool: AnyTool) -> Mapping[str, Any]:
    assert tool.input_type is not None
    return ModelFormat[Any](tool.input_type).fresh_schema()


def test_every_file_is_found_and_every_tool_can_be_built() -> None:
    assert (BROKEN, LEFT_OUT) == ([], [])
    assert len(BUILT) == len(CLASSES) > 0


@every_tool
def test_its_names_can_be_sent_and_it_says_what_it_does(tool: AnyTool) -> None:
    for name in (tool.name, *tool.aliases):
        assert TOOL_NAME.fullmatch(name)
    assert tool.describe(RequestView()).strip() != ""
    assert isinstance(tool.is_enabled(Environment()), bool)


@every_tool
def test_what_may_be_deferred_can_be_found(tool: AnyTool) -> None:
    assert not (tool.should_defer and tool.always_load)
    if tool.should_defer or tool.search_hint:
        assert 3 <= len(tool.search_hint.split()) <= 10
        assert not tool.search_hint.endswith(".")


@every_tool
def test_its_limits_are_positive(tool: AnyTool) -> None:
    assert tool.max_result_chars > 0
    assert tool.timeout_seconds is None or tool.timeout_seconds > 0


@every_tool
def test_its_examples_fit_its_input(tool: AnyTool) -> None:
    for example in tool.input_examples:
        assert isinstance(parse(tool, example), Parsed)


@with_a_model
def test_its_schema_snapshot_is_fresh(tool: AnyTool) -> None:
    kept = tools.read_snapshots().get(tool.name)

    assert json.dumps(kept) == json.dumps(fresh_schema(tool)), "run: make schemas"


def test_no_snapshot_is_kept_of_a_tool_that_is_gone() -> None:
    models = {tool.name for tool in BUILT if tool.input_type is not None}

    assert set(tools.read_snapshots()) == models


@with_a_model
def test_its_objects_are_closed_and_every_field_is_described(tool: AnyTool) -> None:
    schema = fresh_schema(tool)
    objects = [schema, *schema.get("$defs", {}).values()]

    for each in (one for one in objects if one.get("type") == "object"):
        assert each["additionalProperties"] is False
        for name, field in each["properties"].items():
            assert field.get("description", "").strip(), f"{name} is not described"


@every_tool
@given(data=st.data())
def test_asking_about_any_call_never_fails(tool: AnyTool, data: st.DataObject) -> None:
    outcome = parse(tool, data.draw(inputs_for(tool.input_format.json_schema)))
    assume(isinstance(outcome, Parsed))
    assert isinstance(outcome, Parsed)
    args = outcome.args

    traits = tool.traits(args)
    matcher = tool.permission_matcher(args)
    summary = tool.summary(args)

    assert isinstance(traits, Traits)
    assert ask_traits(tool, args) == traits
    footprint(traits.reach, tool_context("/").surroundings.cwd)
    assert matcher is None or isinstance(matcher("*"), bool)
    assert len(summary) <= 200
    assert re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", summary) is None
    assert tool.user_facing_name(args)
    assert tool.user_facing_name(None)
    assert isinstance(tool.classifier_input(args), str)


def test_finding_and_describing_the_tools_builds_no_model() -> None:
    printed = run_python(
        """
from gantlet import tools
from gantlet.assembly.shell import open_shell
from gantlet.tool import ToolInput

classes, _ = tools.discover(tools)
tools.with_snapshots(classes)
models = [each.input_type for each in classes if each.input_type]
schemas = [each.input_type and each.__new__(each).input_format.json_schema for each in classes]

def inner(model):
    return [model, *(each for child in model.__subclasses__() for each in inner(child))]

everything = inner(ToolInput)
print(len(models) > 0, all(schemas), [each for each in everything if each.__pydantic_complete__])
try:
    models[0](**{"surely": "unknown"})
except ValueError:
    print(models[0].__pydantic_complete__)
"""
    )

    assert printed == "True True []\nTrue\n"
