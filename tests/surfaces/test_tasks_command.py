"""`gantlet tasks`: what runs in the background, seen from another program."""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest

from bash_kit import bench, facts, gone, living, numbers_in, said
from patience import PATIENCE_SECONDS

pytestmark = pytest.mark.anyio


async def gantlet_tasks(home: Path, *words: str) -> tuple[int, str, str]:
    """Run the command as another program."""
    ran = await anyio.run_process(
        [sys.executable, "-m", "gantlet", "tasks", *words],
        env={**os.environ, "GANTLET_HOME": str(home)},
        check=False,
    )
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


async def test_tasks_of_a_live_session_are_listed_and_stopped(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        answer = await here.bash(f"echo $$ >> {pids}; sleep 1000", run_in_background=True)
        task_id = facts(answer)["backgroundTaskId"]
        running = await numbers_in(pids)
        listed = await gantlet_tasks(here.home)
        as_json = await gantlet_tasks(here.home, "--json")
        stopped = await gantlet_tasks(here.home, "stop", task_id)
        task = here.board.find(task_id)
        assert task is not None
        with anyio.fail_after(PATIENCE_SECONDS):
            await task.wait()
        await gone(running)
        again = await gantlet_tasks(here.home, "stop", task_id)
        ended = await gantlet_tasks(here.home, "--all")
        nothing = await gantlet_tasks(here.home)

    assert listed[1].startswith(f"{task_id}  running  ")
    assert f"pid {os.getpid()}  echo $$" in listed[1]
    assert json.loads(as_json[1])["status"] == "running"
    assert stopped == (0, f"Task {task_id} was told to stop.\n", "")
    assert again[0] == 1
    assert "does not run" in again[2]
    assert ended[1].startswith(f"{task_id}  failed 143  ")
    assert nothing[1] == "No task runs in the background.\n"


async def test_an_unknown_task_is_said_in_a_line(tmp_path: Path) -> None:
    code, _, error = await gantlet_tasks(tmp_path, "stop", "b0")

    assert code == 1
    assert error == "gantlet: there is no task 'b0'. `gantlet tasks` lists those that run.\n"


async def test_a_task_whose_keeper_is_gone_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "1-a"
    folder.mkdir(parents=True)
    record = {
        "id": "b1", "kind": "local_bash", "command": "x", "cwd": "/", "started_at": 1.0,
        "owner": [1, 1], "keeper": [2**22 - 1, 7],
    }  # fmt: skip
    (folder / "b1.json").write_text(json.dumps(record), encoding="utf-8")
    (folder / "bad.json").write_text("{", encoding="utf-8")
    _, listed, _ = await gantlet_tasks(tmp_path, "--all")
    _, running, _ = await gantlet_tasks(tmp_path)

    assert listed.startswith("b1  lost  ")
    assert running == "No task runs in the background.\n"


async def test_a_task_that_is_to_outlive_its_session_does_until_it_is_stopped(
    tmp_path: Path,
) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path, {"shell.keepBackgroundTasks": True}) as here:
        answer = await here.bash(f"echo up; echo $$ >> {pids}; sleep 1000", run_in_background=True)
        task_id = facts(answer)["backgroundTaskId"]
        running = await numbers_in(pids)
        seen = await here.call("TaskOutput", task_id=task_id, block=False)
    alive = living(running)
    listed = await gantlet_tasks(here.home)
    keeper = json.loads((await gantlet_tasks(here.home, "--json"))[1])["keeper"][0]
    await gantlet_tasks(here.home, "stop", task_id)
    await gone([*running, keeper])
    after = await gantlet_tasks(here.home, "--all")

    assert "<output>\nup\n</output>" in said(seen)
    assert alive == running
    assert listed[1].startswith(f"{task_id}  running  ")
    assert after[1].startswith(f"{task_id}  lost  ")
