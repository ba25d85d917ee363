"""What stands in for a tool when a call is only judged declares what the real tool does."""

import pytest

from gantlet import tools as builtin_tools
from gantlet.surfaces.stand_in_tools import BUILT_IN_NAMES, stand_in
from gantlet.tool import AnyTool
from tools.every_port import EveryPort

BUILT, _ = builtin_tools.build_all(builtin_tools.discover(builtin_tools)[0], EveryPort())
REAL = [tool for tool in BUILT if tool.path_fields or tool.rule_field or tool.runs_shell]


@pytest.mark.parametrize("tool", REAL, ids=lambda tool: tool.name)
def test_a_stand_in_is_bound_by_the_same_rules_as_its_tool(tool: AnyTool) -> None:
    assert tool.name in BUILT_IN_NAMES, "give it a stand-in, or it is judged as an unknown tool"
    for name in (tool.name, *tool.aliases):
        there = stand_in(name)

        assert (
            there.name,
            tuple(there.path_fields),
            there.path_kind,
            there.rule_field,
            there.runs_shell,
        ) == (tool.name, tuple(tool.path_fields), tool.path_kind, tool.rule_field, tool.runs_shell)
