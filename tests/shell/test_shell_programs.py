"""Every program of the table: at least three forms that read only, three that are asked about."""

import json
from collections.abc import Mapping, Sequence

import pytest

from gantlet.shell import ReadOnly, analyse, judge
from gantlet.shell.programs.languages import TELL_VERSION
from gantlet.shell.programs.table import PROGRAMS, entries
from shell.shell_kit import HERE, START, objections

LEAST = 3


def table() -> list[Mapping[str, str | Sequence[str]]]:
    """Return the cases of the table, program by program."""
    text = (HERE / "corpus_programs.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def commands(kind: str) -> list[tuple[str, str]]:
    """Return every case of one kind, with its program."""
    return [(str(case["program"]), command) for case in table() for command in case[kind]]


@pytest.mark.parametrize(("program", "command"), commands("reads"))
def test_a_form_that_reads_only_is_known_as_such(program: str, command: str) -> None:
    assert objections(command) == [], program


@pytest.mark.parametrize(("program", "command"), commands("asks"))
def test_any_other_form_is_not_known_to_read_only(program: str, command: str) -> None:
    assert objections(command), program


@pytest.mark.parametrize("program", sorted(TELL_VERSION))
def test_a_program_that_tells_its_version_does_nothing_else_unasked(program: str) -> None:
    asked = "-V" if program in ("ssh", "tmux") else "--version"
    silent = [
        f"{program} {asked}",
        f"{program} {asked} 2>&1 | head -1",
        f"/usr/bin/{program} {asked}",
    ]
    loud = [
        program,
        f"{program} x",
        f"{program} {asked} x",
        f"{program} -c x",
        f"./{program} {asked}",
    ]

    assert [objections(command) for command in silent] == [[], [], []]
    assert all(objections(command) for command in loud)


def test_every_entry_of_the_table_has_its_cases() -> None:
    cased = {str(case["program"]) for case in table()} | set(TELL_VERSION) | {"fdfind"}

    assert set(PROGRAMS) <= cased
    assert {" ".join(name.split()[:2]) for name in entries() if name.startswith("git ")} <= cased
    assert all(len(case["reads"]) >= LEAST and len(case["asks"]) >= LEAST for case in table())


def test_each_case_is_judged_by_the_entry_it_stands_under() -> None:
    for case in table():
        name = str(case["program"])
        found = [
            judgement.entry
            for command in case["reads"]
            for one in analyse(command).commands
            if isinstance(judgement := judge(one, START), ReadOnly)
        ]
        family = name.split()[0]
        assert any(
            entry.split()[0] in (family, "test", "awk", "cd", "npm", "pip") for entry in found
        )
