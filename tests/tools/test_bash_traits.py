"""What a command line tells of itself: whether it only reads, and what it touches."""

import pytest

from builders import args_of
from gantlet.assembly.shell import open_shell
from gantlet.system import Environment
from gantlet.tool import EXCLUSIVE, Access, File, Traits, Tree
from gantlet.tools.shell import Bash

BASH = Bash(open_shell("/", Environment()).session)


def traits(command: str, **given: object) -> Traits:
    """Return the traits of a command."""
    return BASH.traits(args_of(BASH, command=command, **given))


@pytest.mark.parametrize(
    ("command", "access"),
    [
        pytest.param("ls src", Access(reads={File("./src")}), id="ls"),
        pytest.param("rg word src", Access(reads={Tree("./src")}), id="rg"),
        pytest.param("cat *.py", Access(reads={Tree(".")}), id="glob"),
        pytest.param("git status", Access(reads={Tree(".")}), id="git"),
        pytest.param("echo hello", Access(), id="echo"),
    ],
)
def test_a_line_that_only_reads_runs_beside_others(command: str, access: Access) -> None:
    found = traits(command)

    assert found.read_only
    assert found.access == access


@pytest.mark.parametrize(
    ("command", "access"),
    [
        pytest.param("echo x > out.txt", Access(writes={File("./out.txt")}), id="redirected"),
        pytest.param("touch a b", Access(writes={File("./a"), File("./b")}), id="touch"),
    ],
)
def test_a_line_that_is_proved_to_write_touches_just_that(command: str, access: Access) -> None:
    found = traits(command)

    assert not found.read_only
    assert found.access == access


@pytest.mark.parametrize("command", ["npm test", "cd src && ls", "$x", "echo 'open", "a | b &"])
def test_what_is_not_proved_or_moves_runs_alone(command: str) -> None:
    assert traits(command).access == EXCLUSIVE


def test_moving_and_looking_only_reads_all_the_same() -> None:
    assert traits("cd src && ls").read_only


def test_what_goes_on_in_the_background_does_not_count_as_reading() -> None:
    assert not traits("ls", run_in_background=True).read_only
    assert traits("ls").failure_stops_siblings
