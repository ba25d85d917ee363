"""Whether a shell's pattern could stand for what a rule means."""

import pytest

from gantlet.rules import Anchors, could_meet, read_path_pattern

ANCHORS = Anchors(cwd=("/w",), home=("/h",), base=("/w",))


def meets(pattern: str, rule: str) -> bool:
    return could_meet(pattern, read_path_pattern(rule, ANCHORS, forbids=True))


@pytest.mark.parametrize(
    ("pattern", "rule"),
    [
        ("/w/.e*", ".env"),
        ("/w/.en?", ".env"),
        ("/w/.[e]nv", ".env"),
        ("/w/.*", ".env"),
        ("/w/sub/.E*", ".env"),
        ("/w/s*/key.pem", "secrets/**"),
        ("/w/*/key", "secrets/**"),
        ("/w/*", "secrets/**"),
        ("/w/*", "*.pem"),
        ("/w/a*.pem", "**/*.pem"),
        ("/w/secrets/*", "secrets/**"),
        ("/w/[s]ecrets/?", "secrets/**"),
        ("/h/.s*/id*", "~/.ssh/**"),
    ],
)
def test_a_pattern_that_could_stand_for_what_is_forbidden_is_found(pattern: str, rule: str) -> None:
    assert meets(pattern, rule)


@pytest.mark.parametrize(
    ("pattern", "rule"),
    [
        ("/w/*.md", ".env"),
        ("/w/*", ".env"),
        ("/w/src/*.py", "secrets/**"),
        ("/w/src/*.py", "*.pem"),
        ("/w/a?", ".env"),
        ("/w/t*/key", "secrets/**"),
        ("/x/.e*", ".env"),
        ("/w/.ssh/*", "~/.ssh/**"),
    ],
)
def test_a_pattern_that_cannot_is_not(pattern: str, rule: str) -> None:
    assert not meets(pattern, rule)


def test_many_stars_are_tried_to_an_end() -> None:
    assert not meets("/w" + "/*" * 40 + "/x", "a/b/c/d/e/f/*.pem")
