"""What settings files say about permission, and what holds when they do not say it well."""

import os
from pathlib import Path

import pytest

from gantlet.config import read_rules
from gantlet.messages import Behaviour
from gantlet.rules import BadRule, SourceKind

USER = SourceKind.USER


def written(folder: Path, text: str, name: str = "settings.json") -> Path:
    """Write a settings file."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_each_rule_knows_its_file_line_and_key(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        '{\n  "model": "x, [}",\n  "permissions": {\n    "allow": [\n      "Bash(ls *)",\n\n'
        '      "Read(//\\"a\\nb)"\n    ],\n    "deny": ["Bash(rm *)", "WebFetch"]\n  }\n}\n',
    )

    read = read_rules(file, USER)

    found = [(rule.behaviour, rule.text, rule.source.line, rule.source.key) for rule in read.rules]
    assert found == [
        (Behaviour.ALLOW, "Bash(ls *)", 5, "permissions.allow"),
        (Behaviour.ALLOW, 'Read(//"a\nb)', 7, "permissions.allow"),
        (Behaviour.DENY, "Bash(rm *)", 9, "permissions.deny"),
        (Behaviour.DENY, "WebFetch", 9, "permissions.deny"),
    ]
    assert {rule.source.file for rule in read.rules} == {str(file)}
    assert (read.problems, read.may_hide_denies) == ((), False)


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    read = read_rules(tmp_path / "none" / "settings.json", USER)

    assert (read.rules, read.problems, read.may_hide_denies) == ((), (), False)


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ('{\n  // mine\n  "permissions": {}}', 2, "JSON has no comments"),
        ('{"permissions": {\n  "deny": ["Bash",\n  ]}}', 3, "remove the comma"),
        ('{"permissions": {\n  "deny": ["Bash"],\n}}', 3, "remove the comma"),
        ("{\n'permissions': {}}", 2, "double quotes"),
        ("", 1, "it is empty"),
        ('{"a": 1} {"b": 2}', 1, "Extra data"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_broken_json_is_dropped_whole_and_may_hide_denies(
    tmp_path: Path, text: str, line: int, hint: str
) -> None:
    file = written(tmp_path, text)

    read = read_rules(file, USER)

    assert read.rules == ()
    assert read.may_hide_denies
    assert read.stand_in is not None
    assert (read.stand_in.behaviour, read.stand_in.text) == (Behaviour.ASK, "*")
    [problem] = read.problems
    assert hint in problem.message
    assert str(problem).startswith(f"{file}:")
    assert abs(problem.line - line) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "3",
        '{"permissions": []}',
        '{"permissions": {"deny": "Bash"}}',
        '{"permissions": {"deny": [3]}}',
        '{"permissions": {"ask": {"Bash": true}}}',
    ],
)
def test_a_deny_that_cannot_be_read_may_hide_denies(tmp_path: Path, text: str) -> None:
    assert read_rules(written(tmp_path, text), USER).may_hide_denies


def test_a_bad_entry_drops_that_entry_only(tmp_path: Path) -> None:
    text = '{"permissions": {"allow": [3, "Bash(", "Read"], "deny": ["Bash(rm"]}}'

    read = read_rules(written(tmp_path, text), USER)

    assert [rule.text for rule in read.rules] == ["Bash(", "Read", "Bash(rm"]
    broken = read.rules[2]
    assert isinstance(broken, BadRule)
    assert broken.stand_in is not None
    assert broken.stand_in.is_whole
    assert (len(read.problems), read.may_hide_denies) == (3, False)


def test_a_name_that_comes_twice_hides_no_deny_and_adds_no_allow(tmp_path: Path) -> None:
    text = (
        '{"permissions": {"deny": ["Bash"], "allow": ["Read"]},'
        ' "permissions": {"deny": ["Edit"], "deny": ["Write"], "allow": ["Grep"]}}'
    )

    read = read_rules(written(tmp_path, text), USER)

    denied = {rule.text for rule in read.rules if rule.behaviour is Behaviour.DENY}
    allowed = {rule.text for rule in read.rules if rule.behaviour is Behaviour.ALLOW}
    assert (denied, allowed) == ({"Bash", "Edit", "Write"}, {"Grep"})
    assert any("comes again" in problem.message for problem in read.problems)


def test_a_file_that_is_too_long_or_no_text_or_no_file_is_lost(tmp_path: Path) -> None:
    long = written(tmp_path, '{"a": "' + "x" * (2 * 1024 * 1024) + '"}', "long.json")
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"a": "\xff"}')
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)

    for file in (long, latin, pipe, tmp_path):
        assert read_rules(file, USER).may_hide_denies


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b'\xef\xbb\xbf{"permissions": {"deny": ["Bash"]}}')

    assert [rule.text for rule in read_rules(file, USER).rules] == ["Bash"]
