"""`gantlet undo` takes back what calls changed, in a real process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gantlet import Agent, AgentParts, Environment, ScriptedModel, script_of

pytestmark = pytest.mark.anyio


def gantlet(folder: Path, *words: str) -> tuple[int, str, str]:
    """Run a command in a folder."""
    ran = subprocess.run(
        [sys.executable, "-m", "gantlet", *words],
        cwd=folder,
        env={
            **os.environ,
            "GANTLET_HOME": str(folder / "home"),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def writer(folder: Path) -> Agent:
    """Return an agent that writes two files in a turn, and changes one in the next."""

    def write(call_id: str, name: str, content: str) -> dict[str, object]:
        given = {"file_path": str(folder / name), "content": content}
        return {"call": "Write", "id": call_id, "input": given}

    script = script_of(
        [write("toolu_a", "a.txt", "one\n"), write("toolu_b", "sub/b.txt", "one\n")],
        "Written.",
        [write("toolu_c", "a.txt", "two\n")],
        "Again.",
    )
    variables = {**os.environ, "GANTLET_HOME": str(folder / "home")}
    parts = AgentParts(environment=Environment(variables=variables))
    return Agent(ScriptedModel(script), cwd=folder, permission_mode="acceptEdits", parts=parts)


async def test_the_last_turn_then_a_call_are_undone_and_listed(tmp_path: Path) -> None:
    folder = tmp_path
    agent = writer(folder)
    await agent.run("write")
    await agent.run("again")

    code, listed, _ = gantlet(folder, "undo", "--list")
    assert code == 0
    lines = [line.split() for line in listed.splitlines()]
    assert (lines[1], lines[4:]) == (
        ["turn", "1"],
        [["turn", "2"], ["toolu_c", "Write", "changed", "a.txt"]],
    )
    assert sorted(lines[2:4]) == [  # they ran at once
        ["toolu_a", "Write", "created", "a.txt"],
        ["toolu_b", "Write", "created", "sub/b.txt"],
    ]

    code, printed, _ = gantlet(folder, "undo")
    assert (code, printed.splitlines()[0]) == (0, "restored: a.txt")
    assert (folder / "a.txt").read_text() == "one\n"

    code, printed, _ = gantlet(folder, "undo", "toolu_b")
    assert (code, printed.splitlines()[0]) == (0, "removed: sub/b.txt")
    assert not (folder / "sub").exists()


async def test_a_foreign_change_is_named_and_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path
    await writer(folder).run("write")
    (folder / "a.txt").write_text("mine\n")

    code, printed, errors = gantlet(folder, "undo", "1")

    assert code == 1
    assert printed == "would be removed: sub/b.txt\n"
    assert "left alone: a.txt: it was changed outside of this session" in errors
    assert (folder / "a.txt").read_text() == "mine\n"
    assert gantlet(folder, "undo", "1", "--force")[0] == 0
    assert not (folder / "a.txt").exists()


def test_where_nothing_was_changed_that_is_said(tmp_path: Path) -> None:
    code, _, errors = gantlet(tmp_path, "undo")
    assert (code, errors.startswith("gantlet: no session has changed files")) == (1, True)

    code, _, errors = gantlet(tmp_path, "undo", "--session", "../x")
    assert (code, "has changed no files" in errors) == (1, True)


async def test_an_agent_undoes_its_own_turn(tmp_path: Path) -> None:
    folder = tmp_path
    agent = writer(folder)
    await agent.run("write")
    await agent.run("again")

    last = await agent.undo()
    first = await agent.undo("toolu_a")

    assert ([one.action for one in last.restored], last.is_done) == (["restored"], True)
    assert [one.action for one in first.restored] == ["removed"]
    assert not (folder / "a.txt").exists()
