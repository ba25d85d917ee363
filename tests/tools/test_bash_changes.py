"""Which files a command changed: told, marked for Edit, and undone where the content is known."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bash_kit import Bench, bench, facts, said
from gantlet.session import undo

pytestmark = pytest.mark.anyio

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def repository(folder: Path) -> None:
    """Make a repository with two files in one commit."""
    folder.mkdir(exist_ok=True)
    (folder / "kept.txt").write_text("kept\n", encoding="utf-8")
    (folder / "changed.txt").write_text("old\n", encoding="utf-8")
    as_somebody = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for words in (["init", "-q"], ["add", "."], [*as_somebody, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def names(here: Bench, paths: object) -> list[str]:
    """Return paths as seen from the project."""
    assert isinstance(paths, list)
    return [str(Path(str(path)).relative_to(here.folder.resolve())) for path in paths]


def content(path: Path) -> str | None:
    """Return what a file holds; None where there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else None


@needs_git
async def test_what_a_commit_has_can_be_undone(tmp_path: Path) -> None:
    repository(tmp_path / "project")
    async with bench(tmp_path) as here:
        script = "sh -c 'echo new > changed.txt; rm kept.txt; echo made > made.txt'"
        answer = await here.bash(script)
        changed = names(here, facts(answer)["changedFiles"])
        result = undo(here.files.changes, answer.call.id)

    assert changed == ["changed.txt", "kept.txt", "made.txt"]
    assert "changedCannotBeUndone" not in facts(answer)
    assert result.is_done
    assert content(here.folder / "changed.txt") == "old\n"
    assert content(here.folder / "kept.txt") == "kept\n"
    assert content(here.folder / "made.txt") is None


async def test_paths_that_a_command_names_are_kept_before_it_runs(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "note.txt").write_text("before\n", encoding="utf-8")
        answer = await here.bash("echo after > note.txt")
        undo(here.files.changes, answer.call.id)

    assert names(here, facts(answer)["changedFiles"]) == ["note.txt"]
    assert content(here.folder / "note.txt") == "before\n"


async def test_what_nobody_knows_is_listed_as_lost(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "secret.txt").write_text("before\n", encoding="utf-8")
        answer = await here.bash("sh -c 'echo after > secret.txt'")

    assert names(here, facts(answer)["changedCannotBeUndone"]) == ["secret.txt"]


async def test_a_file_the_conversation_knows_is_marked_and_can_be_undone(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        path = here.folder / "known.txt"
        await here.call("Write", file_path=str(path), content="mine\n")
        answer = await here.bash("sh -c 'echo theirs > known.txt'; false")
        seen = here.files.knowledge.recall(str(path.resolve()))
        edit = await here.call("Edit", file_path=str(path), old_string="mine", new_string="ours")
        undo(here.files.changes, answer.call.id)

    assert said(answer).endswith(
        f"The command changed files you have read: {path.resolve()}. Read them before editing."
    )
    assert seen is not None
    assert seen.changed_by == answer.call.id
    assert edit.block.is_error is True
    assert content(path) == "mine\n"


async def test_a_command_that_only_reads_is_not_looked_after(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "a.txt").write_text("a\n", encoding="utf-8")
        answer = await here.bash("cat a.txt")

    assert "changedFiles" not in facts(answer)


async def test_the_search_for_changes_can_be_switched_off(tmp_path: Path) -> None:
    async with bench(tmp_path, {"shell.trackChanges": False}) as here:
        answer = await here.bash("echo x > a.txt")

    assert "changedFiles" not in facts(answer)


@needs_git
async def test_git_that_only_reads_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    project = tmp_path / "project"
    repository(project)
    trap = tmp_path / "trapped"
    with (project / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(f'[core]\n\tfsmonitor = "touch {trap}"\n\tpager = "touch {trap}; cat"\n')
    async with bench(tmp_path) as here:
        answer = await here.bash("git status --short && git log --oneline")
        vote = await here.tool("Bash").check_permissions(*here.asked("Bash", command="git status"))
        plain = await here.tool("Bash").check_permissions(*here.asked("Bash", command="ls"))

    assert answer.block.is_error is None
    assert not trap.exists()
    assert "core.fsmonitor, by which git may run a program" in str(vote)
    assert plain is None
