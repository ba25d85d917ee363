"""What a request says about whether the model must use a tool."""

import pytest

from gantlet import ToolChoice


@pytest.mark.parametrize(
    ("choice", "wire"),
    [
        (ToolChoice(), {"type": "auto"}),
        (ToolChoice("any"), {"type": "any"}),
        (ToolChoice("tool", "Read"), {"type": "tool", "name": "Read"}),
        (ToolChoice("none"), {"type": "none"}),
        (
            ToolChoice(disable_parallel_tool_use=True),
            {"type": "auto", "disable_parallel_tool_use": True},
        ),
        (
            ToolChoice("any", disable_parallel_tool_use=True),
            {"type": "any", "disable_parallel_tool_use": True},
        ),
        (
            ToolChoice("tool", "Read", disable_parallel_tool_use=True),
            {"type": "tool", "name": "Read", "disable_parallel_tool_use": True},
        ),
        (ToolChoice("none", disable_parallel_tool_use=True), {"type": "none"}),
    ],
)
def test_a_choice_is_written_as_the_api_takes_it(
    choice: ToolChoice, wire: dict[str, object]
) -> None:
    assert choice.to_wire() == wire


def test_a_choice_of_a_tool_needs_its_name_and_no_other_choice_has_one() -> None:
    message = "A tool choice names a tool exactly when its type is 'tool'."

    with pytest.raises(ValueError, match=message):
        ToolChoice("tool")
    with pytest.raises(ValueError, match=message):
        ToolChoice("auto", "Read")
