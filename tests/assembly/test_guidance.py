"""What the model is told about tools names only those that are there."""

import re
from itertools import combinations

import pytest

from gantlet.assembly.guidance import guidance

NAMES = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
EVERY_SET = [frozenset(few) for n in range(len(NAMES) + 1) for few in combinations(NAMES, n)]


@pytest.mark.parametrize("tools", EVERY_SET, ids=lambda tools: "+".join(sorted(tools)) or "none")
def test_no_tool_is_named_that_is_not_there(tools: frozenset[str]) -> None:
    text = guidance(tools)

    named = set(re.findall(rf"\b({'|'.join(NAMES)})\b", text))
    assert named - {"Read"} <= tools, text
    assert ("Read for files" in text) == ({"Read", "Bash"} <= tools)
    assert ("&&" in text) == ("Bash" in tools)
    assert ("How to use tools" in text) == bool(tools)


def test_with_every_tool_each_has_its_purpose() -> None:
    assert (
        "- Use the tool made for a thing rather than the shell: Read for files, Edit and Write to"
        " change them, Glob to find them, Grep to search in them.\n"
    ) in guidance(NAMES)


def test_a_model_without_tools_is_told_so() -> None:
    assert "You have no tools here" in guidance(())


def test_tools_of_others_are_tools_too() -> None:
    text = guidance({"mcp__calc__add"})

    assert "belong into one reply" in text
    assert "shell" not in text
