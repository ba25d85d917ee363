"""Every built-in tool keeps the contract. A new tool is found here without being named."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from builders import run_python, tool_context
from gantlet import tools
from gantlet.assembly.shell import open_shell
from gantlet.messages import FrozenDict
from gantlet.system import Environment
from gantlet.tool import (
    TOOL_NAME,
    AnyTool,
    Invalid,
    Parsed,
    Port,
    Ports,
    Problem,
    RequestView,
    Tool,
    Traits,
    ask_traits,
    footprint,
    parse,
)
from gantlet.tool.keeping import keep
from gantlet.tool.kept import KEPT_ATTRIBUTES, Kept, KeptTool
from gantlet.tool.models import ModelFormat
from tools.every_port import EveryPort
from tools.schema_inputs import inputs_for

CLASSES, BROKEN = tools.discover(tools)


BUILT, LEFT_OUT = tools.build_all(CLASSES, EveryPort())
every_tool = pytest.mark.parametrize("tool", BUILT, ids=lambda tool: tool.name)
with_a_model = pytest.mark.parametrize(
    "tool", [tool for tool in BUILT if tool.input_type is not None], ids=lambda tool: tool.name
)


def everything_offered() -> dict[Port[Any], object]:
    names = {name for one in tools.read_kept() for name in one.ports}
    return {Port(name): EveryPort().need(Port(name)) for name in sorted(names)}


def fresh_schema(tool: AnyTool) -> Mapping[str, Any]:
    assert tool.input_type is not None
    return ModelFormat[Any](tool.input_type).json_schema


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


@every_tool
def test_what_was_kept_of_it_is_fresh(tool: AnyTool) -> None:
    kept = json.loads((Path(tools.__path__[0]) / tools.SNAPSHOT_FILE).read_text())

    assert json.dumps(kept[tool.name]) == json.dumps(keep(type(tool))), "run: make schemas"


def test_nothing_is_kept_of_a_tool_that_is_gone() -> None:
    assert [one.name for one in tools.read_kept()] == [tool.name for tool in BUILT]


def test_the_names_that_tools_are_chosen_by_are_fresh() -> None:
    names = {tool.name: [type(tool).__module__, *tool.aliases] for tool in BUILT}

    assert tools.read_index() == names, "run: make schemas"


@every_tool
def test_what_was_kept_answers_like_the_tool(tool: AnyTool) -> None:
    session = Ports({**everything_offered(), **open_shell("/", Environment()).ports})
    [kept] = [one for one in tools.read_kept() if one.name == tool.name]
    known, itself = kept.build(session), type(tool).build(session)

    assert isinstance(known, Tool)
    for name in KEPT_ATTRIBUTES:
        assert getattr(known, name) == getattr(itself, name)
    assert known.describe(RequestView()) == itself.describe(RequestView())
    assert known.input_format.json_schema == itself.input_format.json_schema
    assert known.is_enabled(Environment()) == itself.is_enabled(Environment())
    assert "loaded" not in vars(known)
    assert known.max_result_chars == itself.max_result_chars
    assert type(known.loaded) is type(itself)


def test_every_part_of_the_contract_is_kept_or_asked_of_the_tool() -> None:
    answered = {*KEPT_ATTRIBUTES, *vars(KeptTool), "name", "build", "is_enabled", "described_in"}

    assert [name for name in vars(Tool) if name[0] != "_" and name not in answered] == []


def test_a_kept_tool_that_cannot_be_loaded_says_so_to_the_model() -> None:
    gone = Kept("no.such.module", "Gone", "Gone", "Was here.", "", (), FrozenDict(type="object"))

    outcome = parse(gone.build(Ports()), {})

    assert isinstance(outcome, Invalid)
    assert "Gone cannot be loaded" in outcome.message
    assert "Choose another one." in outcome.message


def test_a_kept_tool_is_left_out_where_its_port_is_not_offered() -> None:
    built, problems = tools.build_kept(tools, Ports())

    assert [tool.name for tool in built] == ["LS"]
    assert Problem("Sleep", "it needs the port 'background tasks', which is not offered here") in (
        problems
    )


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


def test_finding_and_describing_the_tools_loads_none_of_them_and_no_pydantic() -> None:
    printed = run_python(
        """
import sys
from gantlet.assembly.toolbox import open_toolbox
from gantlet.tool import RequestView

toolbox = open_toolbox()
toolbox.for_request(RequestView())
print(len(toolbox.pool) > 10, "pydantic" in sys.modules, "gantlet.tools.editing" in sys.modules)
"""
    )

    assert printed == "True False False\n"
