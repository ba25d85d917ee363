"""Instructions in files: which are found, in which order, and what they may import."""

from pathlib import Path

import pytest

from gantlet.config import read_memory
from gantlet.config.memory import imports_of
from gantlet.rules import SourceKind

ALL = frozenset({SourceKind.USER, SourceKind.PROJECT, SourceKind.LOCAL})


class Machine:
    """A home with a project in it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = self.home / "code" / "project"
        self.managed = root / "managed"
        self.write(self.project / ".git" / "HEAD", "ref: refs/heads/main")

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, sources: frozenset[SourceKind] = ALL, cwd: Path | None = None) -> list[str]:
        config = self.home / ".claude"
        files = read_memory(cwd or self.project, self.home, config, self.managed, sources)
        return [file.text.strip() for file in files]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_most_general_come_first(machine: Machine) -> None:
    machine.write(machine.managed / "CLAUDE.md", "policy")
    machine.write(machine.home / ".claude" / "CLAUDE.md", "user")
    machine.write(machine.project / "CLAUDE.md", "project")
    machine.write(machine.project / ".claude" / "CLAUDE.md", "hidden project")
    machine.write(machine.project / "CLAUDE.local.md", "local")
    machine.write(machine.project / "sub" / "CLAUDE.md", "sub")

    assert machine.read(cwd=machine.project / "sub") == [
        *("policy", "user", "project", "hidden project", "local", "sub"),
    ]


def test_sources_choose_and_the_policy_always_counts(machine: Machine) -> None:
    machine.write(machine.managed / "CLAUDE.md", "policy")
    machine.write(machine.home / ".claude" / "CLAUDE.md", "user")
    machine.write(machine.project / "CLAUDE.md", "project")

    assert machine.read(frozenset({SourceKind.USER})) == ["policy", "user"]
    assert machine.read(frozenset()) == ["policy"]


def test_imports_stand_behind_the_file_that_names_them(machine: Machine) -> None:
    machine.write(machine.project / "CLAUDE.md", "See @docs/style.md.\n")
    machine.write(machine.project / "docs" / "style.md", "style, and @more.md")
    machine.write(machine.project / "docs" / "more.md", "more, and @../CLAUDE.md")

    assert machine.read() == [
        "See @docs/style.md.",
        "style, and @more.md",
        "more, and @../CLAUDE.md",
    ]


def test_imports_go_four_files_deep(machine: Machine) -> None:
    machine.write(machine.project / "CLAUDE.md", "@1.md")
    for number in range(1, 7):
        machine.write(machine.project / f"{number}.md", f"{number} @{number + 1}.md")

    assert len(machine.read()) == 5


def test_a_project_imports_nothing_from_outside(machine: Machine) -> None:
    secret = machine.write(machine.home / ".ssh" / "id", "secret")
    (machine.project / "link.md").symlink_to(secret)
    machine.write(machine.project / "CLAUDE.md", f"@~/.ssh/id @{secret} @../../.ssh/id @link.md")

    assert machine.read() == [f"@~/.ssh/id @{secret} @../../.ssh/id @link.md"]


def test_the_users_own_file_may_import_from_home(machine: Machine) -> None:
    machine.write(machine.home / "notes.md", "notes")
    machine.write(machine.home / ".claude" / "CLAUDE.md", "@~/notes.md")

    assert machine.read() == ["@~/notes.md", "notes"]


def test_rules_for_some_paths_only_are_left_for_later(machine: Machine) -> None:
    machine.write(machine.project / ".claude" / "rules" / "all.md", "for all")
    machine.write(
        machine.project / ".claude" / "rules" / "some.md", "---\nx: 1\npaths: '*.py'\n---\nfor some"
    )

    assert machine.read() == ["for all"]


def test_a_file_that_cannot_be_read_is_left_out(machine: Machine) -> None:
    machine.write(machine.project / "CLAUDE.md", "@missing.md @sub")
    (machine.project / "sub").mkdir()

    assert machine.read() == ["@missing.md @sub"]


def test_code_imports_nothing() -> None:
    text = "a@b.org `@no.md` @yes.md\n```\n@no.md\n```\n(@no) @with\\ space.md, and @last."

    assert imports_of(text) == ["yes.md", "with space.md", "last"]
