"""Patterns of commands: exact, stars, and the word boundary at the end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.rules import CommandPattern


@pytest.mark.parametrize(
    ("pattern", "command", "is_meant"),
    [
        ("npm test", "npm test", True),
        ("npm test", "npm test --watch", False),
        ("npm test", "npm  test", False),
        ("ls *", "ls", True),
        ("ls *", "ls -la", True),
        ("ls *", "lsof", False),
        ("ls*", "lsof", True),
        ("ls*", "ls", True),
        ("ls:*", "ls", True),
        ("ls:*", "ls -la", True),
        ("ls:*", "lsof", False),
        ("git push:*", "git push origin main", True),
        ("git push:*", "git pushx", False),
        ("a:*b", "a:xb", True),
        ("a:* b", "a b", False),
        ("git * main", "git push origin main", True),
        ("git * main", "git checkout main", True),
        ("git * main", "git main", False),
        ("* --version", "node --version", True),
        ("* --help *", "npm run --help", True),
        ("* --help *", "npm run --help me", True),
        ("echo a.b", "echo aXb", False),
        ("echo [a-z]*", "echo b", False),
    ],
)
def test_a_pattern_means_these_commands(pattern: str, command: str, is_meant: bool) -> None:
    assert CommandPattern(pattern).matches(command) is is_meant


def test_a_thousand_stars_are_matched_in_one_pass() -> None:
    pattern = CommandPattern("*a" * 1000 + "b")

    assert not pattern.matches("a" * 20_000)


few = st.text("ab *:", min_size=1, max_size=8)


@given(few, few)
def test_a_command_begins_with_the_word_its_pattern_is_found_by(text: str, command: str) -> None:
    pattern = CommandPattern(text)

    if pattern.matches(command) and pattern.first_word is not None:
        assert command.split(maxsplit=1)[0] == pattern.first_word


@given(few, few, st.text("ab ", max_size=8))
def test_a_pattern_that_covers_another_means_all_its_commands(
    wide: str, narrow: str, command: str
) -> None:
    outer, inner = CommandPattern(wide), CommandPattern(narrow)

    if outer.covers(inner) and inner.matches(command):
        assert outer.matches(command)


@pytest.mark.parametrize(
    ("wide", "narrow", "does"),
    [
        ("git *", "git log *", True),
        ("git *", "git", True),
        ("git log *", "git *", False),
        ("git*", "git *", True),
        ("git *", "git*", False),
        ("ls", "ls", True),
    ],
)
def test_one_pattern_covers_another(wide: str, narrow: str, does: bool) -> None:
    assert CommandPattern(wide).covers(CommandPattern(narrow)) is does
