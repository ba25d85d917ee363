"""What a user's choice among the built-in tools leaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.pool import Selection, assemble
from gantlet.tool import Problem
from pool.made_up_tools import MadeUp, names, of_server

POOL = assemble(
    [MadeUp("Agent", aliases=("Task",)), MadeUp("Bash"), MadeUp("Read")], [of_server("git", "log")]
)
MCP = ["mcp__git__log"]


@pytest.mark.parametrize("text", ["default", " default ", "default,"])
def test_the_default_is_everything(text: str) -> None:
    assert Selection.parse(text).of(POOL) == (POOL, ())


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("", []),
        ("  ,  ", []),
        ("Read", ["Read"]),
        ("Read,Bash", ["Bash", "Read"]),
        ("Read Bash", ["Bash", "Read"]),
        (" Read ,, Bash ", ["Bash", "Read"]),
        ("Task", ["Agent"]),
        ("Agent(explore, plan),Read", ["Agent", "Read"]),
        ("*", ["Agent", "Bash", "Read"]),
    ],
)
def test_a_list_keeps_the_named_tools_and_all_of_the_servers(text: str, chosen: list[str]) -> None:
    pool, unknown = Selection.parse(text).of(POOL)

    assert names(pool.tools) == chosen + MCP
    assert unknown == ()


def test_a_name_that_nobody_bears_is_a_problem() -> None:
    pool, unknown = Selection.parse("Read,Reed,read").of(POOL)

    assert names(pool.tools) == ["Read", *MCP]
    assert unknown == (
        Problem("Reed", "no tool has this name"),
        Problem("read", "no tool has this name"),
    )


@given(st.text(max_size=30))
def test_any_text_is_read_and_never_adds_a_tool(text: str) -> None:
    pool, _ = Selection.parse(text).of(POOL)

    assert set(pool) <= set(POOL)
    assert pool.mcp == POOL.mcp
