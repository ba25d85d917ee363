"""A search leaves out what rules forbid to read, through the whole of an agent."""

import os
from pathlib import Path

import pytest

from gantlet import Agent, AgentParts, ScriptedModel, script_of
from gantlet.permissions import Asker, Question, Yes
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Environment

pytestmark = pytest.mark.anyio

FILES = ("a.txt", ".env", "secrets/key.txt", "secrets/deep/key.txt", "src/b.txt", "src/.ENV")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    for number, name in enumerate(FILES):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("needle\n")
        os.utime(file, (number, number))
    return root


class SaysYes(Asker):
    """Allows whatever is asked, and remembers what that was."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, question: Question) -> None:
        """Say yes."""
        self.asked.append(question.request.tool.name)
        question.answer(Yes())

    def quietly(self) -> "SaysYes":
        """Go on as before."""
        return self


async def answered(
    root: Path, tool: str, given: dict[str, object], asker: Asker | None = None, **rules: list[str]
) -> str:
    """Return what a model reads of a call, under rules."""
    environment = Environment(variables={"HOME": str(root.parent)}, flags=DEFAULT_FLAGS)
    agent = Agent(
        ScriptedModel(script_of([{"call": tool, "input": given}], "{{ result.1.text }}")),
        cwd=root,
        settings={"permissions": rules},
        parts=AgentParts(environment=environment, asker=asker),
    )
    return (await agent.run("Search.")).text


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Grep", {"pattern": "needle"}),
        ("Grep", {"pattern": "needle", "output_mode": "content"}),
        ("Grep", {"pattern": "needle", "output_mode": "count"}),
        ("Glob", {"pattern": "**"}),
    ],
    ids=["files", "content", "count", "glob"],
)
async def test_denied_files_are_left_out_whatever_their_case(
    tree: Path, tool: str, given: dict[str, object]
) -> None:
    text = await answered(tree, tool, given, deny=["Read(.env)", "Read(secrets/**)"])

    assert "a.txt" in text
    assert "src/b.txt" in text
    assert "env" not in text.lower()
    assert "key.txt" not in text


@pytest.mark.parametrize("file", [".gitignore", ".ignore", ".rgignore"])
async def test_no_file_of_the_project_shows_what_is_denied(tree: Path, file: str) -> None:
    (tree / ".git").mkdir()
    (tree / file).write_text("!.env\n!.ENV\n!secrets\n!*\n")
    rules = ["Read(.env)", "Read(secrets/**)"]
    calls: list[tuple[str, dict[str, object]]] = [
        ("Grep", {"pattern": "needle"}),
        ("Grep", {"pattern": "needle", "output_mode": "content", "glob": ".env"}),
        ("Grep", {"pattern": "needle", "output_mode": "count", "glob": "**/.*"}),
        ("Glob", {"pattern": "**/.e*"}),
        ("Glob", {"pattern": "**/*"}),
    ]

    for tool, given in calls:
        text = await answered(tree, tool, given, deny=rules)

        assert "env" not in text.lower()
        assert "key.txt" not in text


async def test_a_second_name_of_a_denied_file_is_left_out(tree: Path) -> None:
    (tree / "src" / "alias.txt").hardlink_to(tree / ".env")
    (tree / "src" / "twin.txt").hardlink_to(tree / "a.txt")

    text = await answered(tree, "Grep", {"pattern": "needle", "path": "src"}, deny=["Read(.env)"])

    assert set(text.split("\n")) == {"Found 2 files", "src/twin.txt", "src/b.txt"}


async def test_a_denied_directory_cannot_be_searched_by_any_name(tree: Path) -> None:
    (tree / "link").symlink_to(tree / "secrets")
    given = {"pattern": "needle"}

    for path in ("secrets", "link", "src/../secrets/deep", str(tree / "secrets")):
        text = await answered(tree, "Grep", {**given, "path": path}, deny=["Read(secrets/**)"])

        assert "Read(secrets/**)" in text
        assert "key.txt" not in text


async def test_what_would_be_asked_about_is_left_out_until_it_is_named(tree: Path) -> None:
    asker, rules = SaysYes(), ["Read(secrets/**)"]

    wide = await answered(tree, "Glob", {"pattern": "**/key.txt"}, asker, ask=rules)
    assert (wide, asker.asked) == ("No files found", [])

    named = await answered(
        tree, "Glob", {"pattern": "**/key.txt", "path": "secrets"}, asker, ask=rules
    )
    assert named == "secrets/deep/key.txt\nsecrets/key.txt"
    assert asker.asked == ["Glob"]


async def test_a_yes_to_one_rule_opens_nothing_else(tree: Path) -> None:
    asker = SaysYes()

    text = await answered(
        tree,
        "Glob",
        {"pattern": "**", "path": "secrets"},
        asker,
        ask=["Read(secrets/**)", "Read(**/deep/**)"],
    )

    assert text == "secrets/key.txt"


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "~/*", "../work2/**"])
async def test_looking_outside_needs_permission(tree: Path, pattern: str) -> None:
    (tree.parent / "outside.txt").touch()
    (tree.parent / "work2").mkdir()

    text = await answered(tree, "Glob", {"pattern": pattern})

    assert "outside the working directories" in text
    assert "outside.txt" not in text
