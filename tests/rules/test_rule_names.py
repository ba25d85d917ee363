"""Which tools the tool part of a rule means."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.rules import NamePattern, tool_part, whole_tool

few_letters = st.text("ab_*", max_size=10)
few_names = st.text("ab_", max_size=12)


def oracle(pattern: str, name: str) -> bool:
    """Say whether a name fits a pattern, in the plainest way there is: try every split."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(oracle(pattern[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and name[0] == pattern[0] and oracle(pattern[1:], name[1:])


@given(few_letters.filter(lambda text: "*" in text), few_names)
def test_a_star_stands_for_any_characters(text: str, name: str) -> None:
    assert NamePattern(text).matches(name) == oracle(text, name)


@given(st.text(max_size=8), st.text(max_size=8))
def test_without_a_star_and_a_server_only_the_very_name_is_meant(text: str, name: str) -> None:
    pattern = text.replace("*", "")

    assert NamePattern(pattern).matches(name) == (pattern == name)


@given(st.text(st.characters(exclude_characters="*"), max_size=5), st.text(max_size=10))
def test_letters_that_mean_something_to_other_patterns_mean_themselves(
    text: str, name: str
) -> None:
    expected = re.fullmatch(f"{re.escape(text)}.*", name, re.DOTALL) is not None

    assert NamePattern(f"{text}*").matches(name) == expected


@pytest.mark.parametrize(
    ("pattern", "name", "is_meant"),
    [
        ("mcp__slack", "mcp__slack__send", True),
        ("mcp__slack", "mcp__slack", True),
        ("mcp__slack", "mcp__slackline__send", False),
        ("mcp__slack__*", "mcp__slack__send", True),
        ("mcp__slack__*", "mcp__slack", False),
        ("mcp__slack__send", "mcp__slack__send", True),
        ("mcp__slack__send", "mcp__slack__send_all", False),
        ("mcp__*", "mcp__slack__send", True),
        ("mcp__*", "Bash", False),
        ("*", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Bash", "bash", False),
        ("B*h", "Bash", True),
        ("a*a", "a", False),
        ("", "Bash", False),
    ],
)
def test_a_server_a_glob_and_a_name_mean_what_they_say(
    pattern: str, name: str, is_meant: bool
) -> None:
    assert NamePattern(pattern).matches(name) == is_meant


def test_one_of_several_names_is_enough() -> None:
    assert NamePattern("Task").matches_any(["Agent", "Task"])
    assert not NamePattern("Task").matches_any(["Agent", "TaskStop"])


@pytest.mark.parametrize(
    "pattern", ["*a" * 10_000 + "b", "*" * 100_000 + "b", "*a*" * 32 + "b", "a*" * 50_000]
)
def test_matching_takes_no_time_however_many_stars_there_are(pattern: str) -> None:
    compiled = NamePattern(pattern)

    answers = [compiled.matches("a" * 64) for _ in range(100)]  # a regex would not come back

    assert answers == [False] * 100


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        ("Bash", "Bash"),
        ("  Bash  ", "Bash"),
        ("Bash(*)", "Bash"),
        ("Bash( * )", "Bash"),
        ("Bash()", "Bash"),
        ("Bash (*)", "Bash"),
        ("mcp__slack", "mcp__slack"),
        ("mcp__*", "mcp__*"),
        ("*", "*"),
    ],
)
def test_a_rule_without_a_pattern_or_with_only_a_star_names_whole_tools(
    rule: str, meant: str
) -> None:
    assert whole_tool(rule) == NamePattern(meant)


@pytest.mark.parametrize("rule", ["Bash(rm *)", "Read(./.env)", "Bash(**)", "", "   ", "(*)", "()"])
def test_a_rule_about_some_calls_or_about_nothing_names_no_whole_tool(rule: str) -> None:
    assert whole_tool(rule) is None


@pytest.mark.parametrize("rule", ["Bash(", "Bash(*"])
def test_a_deny_rule_whose_bracket_is_broken_off_still_denies(rule: str) -> None:
    assert whole_tool(rule) == NamePattern("Bash")


@pytest.mark.parametrize(
    ("entry", "meant"),
    [("Agent(explore, plan)", "Agent"), (" Read ", "Read"), ("mcp__a__*", "mcp__a__*"), ("", "")],
)
def test_the_tool_part_of_an_entry_is_what_stands_before_the_bracket(
    entry: str, meant: str
) -> None:
    assert tool_part(entry) == NamePattern(meant)


@given(st.text(max_size=30))
def test_any_text_is_read_as_a_rule_without_an_error(text: str) -> None:
    assert whole_tool(text) is None or whole_tool(text) == tool_part(text)
