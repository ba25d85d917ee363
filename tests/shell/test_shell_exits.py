"""What exit codes mean, and whose they are."""

import pytest

from gantlet.shell import ExitMeaning, analyse, exit_meaning, failing_command, text_of


@pytest.mark.parametrize(
    ("command", "code", "meaning"),
    [
        ("grep a b", 0, ExitMeaning.OK),
        ("grep a b", 1, ExitMeaning.NO),
        ("grep a b", 2, ExitMeaning.BROKEN),
        ("egrep a", 1, ExitMeaning.NO),
        ("fgrep a", 1, ExitMeaning.NO),
        ("/bin/grep a", 1, ExitMeaning.NO),
        ("rg a", 1, ExitMeaning.NO),
        ("find x", 1, ExitMeaning.NO),
        ("diff a b", 1, ExitMeaning.NO),
        ("cmp a b", 1, ExitMeaning.NO),
        ("test -f a", 1, ExitMeaning.NO),
        ("[ -f a ]", 1, ExitMeaning.NO),
        ("git diff", 1, ExitMeaning.NO),
        ("git grep a", 1, ExitMeaning.NO),
        ("git -C x --no-pager diff", 1, ExitMeaning.NO),
        ("git status", 1, ExitMeaning.BROKEN),
        ("git", 1, ExitMeaning.BROKEN),
        ("npm test", 1, ExitMeaning.BROKEN),
        ("ls", 1, ExitMeaning.BROKEN),
    ],
)
def test_an_exit_code_has_a_meaning(command: str, code: int, meaning: ExitMeaning) -> None:
    assert exit_meaning(command.split(), code) is meaning


def test_nothing_that_fails_is_broken() -> None:
    assert exit_meaning([], 1) is ExitMeaning.BROKEN


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep a b", "grep a b"),
        ("ls | grep a", "grep a"),
        ("ls; grep a b", "grep a b"),
        ("ls\ngrep a b", "grep a b"),
        ("cd src && grep a b", "grep a b"),
        ("echo x && grep a b", "grep a b"),
        ("ls || grep a b", "grep a b"),
        ("(ls; grep a b)", "grep a b"),
        ("{ grep a b; }", "grep a b"),
        ("ls && grep a b", None),
        ("a || b || grep a b", None),
        ("! grep a b", None),
        ("grep a b &", None),
        ("if grep a b; then ls; fi", None),
        ("for i in a; do grep a b; done", None),
        ("x=1", None),
        ("grep ${x:-y} b", None),
        ("", None),
    ],
)
def test_the_failing_command_is_the_last_if_that_is_sure(
    command: str, expected: str | None
) -> None:
    found = failing_command(analyse(command))

    assert (None if found is None else text_of(found)) == expected
