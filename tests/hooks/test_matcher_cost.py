"""Matchers that would take for ever are refused; those that people write are not."""

import pytest

from gantlet.hooks import BadMatcherError, Matcher
from gantlet.hooks.matchers import MAX_SUBJECT

#: Names on which a pattern that tries every way would never end.
LONG = ("a" * MAX_SUBJECT, "x" * 10_000, "mcp__" + "a_" * 60, "mcp__s__" + "ab" * 50 + "!")


@pytest.mark.parametrize(
    "text",
    [
        r"(\w+\s?)*!$",
        r"(a+)+$",
        r"(a|a)*$",
        r"(a|aa)+$",
        r"((a*)*)*",
        r".*.*.*.*x",
        r"(.*a){20}",
        "a?" * 30 + "a" * 30,
        r"(?:a{1,30}){1,30}$",
        r"(x+x+)+y",
        r"(?=(a+)+$)b",
        r"(a{0,30}){5}b",
        r"(?P<n>a*)*$",
        r"(?<n>a*)*$",
        r"[]a]*[^]]*\w*(.*)!",
        r"(a{2,})*!",
    ],
)
def test_a_pattern_that_may_take_for_ever_is_refused(text: str) -> None:
    with pytest.raises(BadMatcherError, match="for ever"):
        Matcher(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"mcp__.*", "mcp__github__read"),
        (r"mcp__.*__(read|write)_.*", "mcp__github__write_file"),
        (r"^(?!Bash$).*$", "Edit"),
        (r"^Notebook.*|Edit$", "MultiEdit"),
        (r"mcp__(github|gitlab)__(get|list)_.*", "mcp__gitlab__list_x"),
        (r"(?i)EDIT", "NotebookEdit"),
        (r"Edit|Write|Multi(Edit)?.", "MultiEditx"),
        (r"a{3}b{2,4}\Z", "aaabbb"),
        (r"\(\(a\+\)\+", "((a+)+"),
        (r"[(*+)]+", "*"),
        (r"^(mcp__)?(Read|Write)$", "Read"),
        (r"a++b", "aab"),
    ],
)
def test_patterns_that_people_write_work(text: str, name: str) -> None:
    matcher = Matcher(text)

    assert matcher.matches((name,))
    assert [matcher.matches((one,)) for one in LONG]  # it ends
