"""Commands in the background: started there, moved there, looked at, ended, told of."""

import json
import os
import re
from pathlib import Path

import anyio
import pytest

from bash_kit import Bench, bench, call_of, facts, gone, lines_of, numbers_in, said, until
from gantlet.execution import Failed, Invalid, Succeeded
from gantlet.messages import CallProgressed
from gantlet.system import Masker
from gantlet.tool.background import TaskStatus
from gantlet.tools.shell.capture import Capture
from patience import PATIENCE_SECONDS

pytestmark = pytest.mark.anyio


def text_of(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


async def ended(here: Bench, task_id: str) -> str:
    """Wait until a task has ended, and return what the model is told of it."""
    task = here.board.find(task_id)
    assert task is not None
    with anyio.fail_after(PATIENCE_SECONDS):
        await task.wait()
    await until(lambda: bool(here.board._news))
    return "\n".join(here.board.take_news())


async def test_a_background_command_is_answered_at_once_and_told_of_when_it_ends(
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    async with bench(tmp_path) as here:
        answer = await here.bash(f"read x < {gate}; echo $x", run_in_background=True)
        task_id = facts(answer)["backgroundTaskId"]
        path = Path(facts(answer)["rawOutputPath"])
        async with await anyio.open_file(gate, "w") as file:
            await file.write("finished\n")
        news = await ended(here, task_id)

    assert said(answer) == (
        f"Command running in background with ID: {task_id}. Output is being written to: {path}"
    )
    assert news == (
        f"<task-notification>\n<task-id>{task_id}</task-id>\n<output-file>{path}</output-file>\n"
        f"<status>completed</status>\n<summary>Background command 'read x < {gate}; echo $x'"
        " completed (exit code 0)</summary>\n</task-notification>\n"
        f"Read the output file to retrieve the result: {path}"
    )
    assert lines_of(path) == ["finished"]
    assert path.is_relative_to(here.home)


async def test_a_command_whose_time_is_over_goes_on_in_the_background(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("echo begun; tail -f /dev/null", timeout=300)
        [task] = here.board.all()
        status = task.status

    assert said(answer) == (
        "Command did not complete within its 0.3s timeout and was moved to the background with ID:"
        f" {task.id}. Output is being written to: {task.output_path}\nSession cwd remains"
        f" {here.folder}; directory changes made by the backgrounded command do not apply to"
        " subsequent commands."
    )
    assert isinstance(answer.outcome, Succeeded)
    assert status is TaskStatus.RUNNING
    assert task.status is TaskStatus.STOPPED


@pytest.mark.parametrize(
    "command",
    ["sleep 1000", "tail -f .git/x || tail -f /dev/null", "tail -f /dev/null; echo 'open"],
    ids=["sleep", "git", "unreadable"],
)
async def test_what_cannot_go_on_is_ended_when_its_time_is_over(
    tmp_path: Path, command: str
) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command, timeout=300)

    assert isinstance(answer.outcome, Failed)
    if "open" not in command:
        assert said(answer).endswith("Command timed out after 0.3s")
    assert here.board.all() == []


async def test_without_background_tasks_a_timeout_ends_the_command(tmp_path: Path) -> None:
    async with bench(tmp_path, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS="1") as here:
        answer = await here.bash("tail -f /dev/null", timeout=300, run_in_background=True)

    assert said(answer) == "Exit code 143\nCommand timed out after 0.3s"


async def test_the_user_can_move_a_running_command(tmp_path: Path) -> None:
    call = call_of("Bash", command="echo begun; tail -f /dev/null")
    async with bench(tmp_path) as here:
        executor = here.executor()
        async with executor:
            executor.submit(call)
            await until(lambda: any(isinstance(one, CallProgressed) for one in here.events))
            moved = here.tool("Bash").move_to_background(call.id)
            with anyio.fail_after(PATIENCE_SECONDS):
                [answer] = await executor.drain()
        [task] = here.board.all()

    assert moved
    assert said(answer) == (
        f"Command was manually backgrounded by user with ID: {task.id}. Output is being written"
        f" to: {task.output_path}"
    )
    assert facts(answer)["backgroundedByUser"] is True
    assert not here.tool("Bash").move_to_background("another call")


async def test_a_task_is_looked_at_and_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        started = await here.bash(
            f"echo ready; echo set; (setsid sleep 1000 & echo $! >> {pids}); sleep 1000",
            run_in_background=True,
        )
        task_id = facts(started)["backgroundTaskId"]
        running = await numbers_in(pids)
        path = Path(facts(started)["rawOutputPath"])
        await until(lambda: lines_of(path) == ["ready", "set"])
        seen = await here.call("TaskOutput", task_id=task_id, block=False, filter="^re")
        waited = await here.call("TaskOutput", task_id=task_id, timeout=50)
        stopped = await here.call("KillShell", shell_id=task_id)
        after = await here.call("TaskOutput", task_id=task_id)
        again = await here.call("TaskStop", task_id=task_id)
        await gone(running)

    head = f"<task_id>{task_id}</task_id>\n\n<task_type>local_bash</task_type>\n\n"
    assert said(seen) == (
        f"<retrieval_status>not_ready</retrieval_status>\n\n{head}<status>running</status>\n\n"
        "<output>\nready\n</output>"
    )
    assert said(waited).startswith("<retrieval_status>timeout</retrieval_status>\n\n")
    assert said(stopped).startswith(f"Successfully stopped task: {task_id} (")
    assert facts(stopped)["task_id"] == task_id
    assert said(after) == (
        f"<retrieval_status>success</retrieval_status>\n\n{head}<status>killed</status>\n\n"
        "<exit_code>143</exit_code>\n\n<output>\nready\nset\n</output>"
    )
    assert "is not running (status: killed)" in said(again)


async def test_an_old_call_gets_only_what_is_new(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    async with bench(tmp_path) as here:
        started = await here.bash(f"echo one; read x < {gate}; echo two", run_in_background=True)
        task_id = facts(started)["backgroundTaskId"]
        task = here.board.find(task_id)
        assert task is not None
        await until(lambda: "one" in Path(task.output_path).read_text(encoding="utf-8"))
        first = await here.call("BashOutput", bash_id=task_id)
        async with await anyio.open_file(gate, "w") as file:
            await file.write("go\n")
        await task.wait()
        second = await here.call("BashOutput", bash_id=task_id)

    assert "<output>\none\n</output>" in said(first)
    assert "<output>\ntwo\n</output>" in said(second)


async def test_an_unknown_task_is_answered_with_those_that_run(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        none = await here.call("TaskStop", task_id="b0")
        started = await here.bash("sleep 1000", run_in_background=True, description="waiting")
        other = await here.call("TaskOutput", task_id="b0")
        nothing = await here.call("TaskStop")

    task_id = facts(started)["backgroundTaskId"]
    assert "No task found with ID: 'b0'. No background task is running." in said(none)
    assert f"Running: {task_id} ('sleep 1000')." in said(other) or task_id in said(other)
    assert isinstance(nothing.outcome, Invalid)


async def test_a_task_lives_no_longer_than_was_asked_for(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("tail -f /dev/null", run_in_background=True, timeout=200)
        news = await ended(here, facts(answer)["backgroundTaskId"])

    assert "<status>killed</status>" in news
    assert "was stopped: its time in the background was over" in news


async def test_tasks_are_written_down_for_other_programs(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("exit 7", run_in_background=True)
        await ended(here, facts(answer)["backgroundTaskId"])
        [path] = here.home.rglob("tasks/*/*.json")
        record = json.loads(path.read_text(encoding="utf-8"))

    assert record["status"] == "failed"
    assert record["exit_code"] == 7
    assert record["command"] == "exit 7"
    assert record["owner"][0] == os.getpid()
    assert path.stat().st_mode & 0o777 == 0o600


async def test_secrets_do_not_reach_the_output_file(tmp_path: Path) -> None:
    settings = {"shell.keepVariables": ["MY_SECRET"]}
    async with bench(tmp_path, settings, MY_SECRET="correct-horse-battery") as here:
        answer = await here.bash(r"printf '\033[1m%s\033[0m\n' $MY_SECRET", run_in_background=True)
        await ended(here, facts(answer)["backgroundTaskId"])
        lines = lines_of(Path(facts(answer)["rawOutputPath"]))

    assert lines == ["[masked]"]


async def test_a_monitor_tells_each_line(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.call(
            "Monitor", description="the log", command="echo first; echo second; exit 2"
        )
        task_id = facts(answer)["taskId"]
        news = ""
        while "failed (exit code 2)" not in news:
            news += await ended(here, task_id)

    assert said(answer).startswith(f"Monitor started with ID: {task_id}. ")
    assert facts(answer)["timeoutMs"] == 300_000
    events = re.findall("<event monitor='the log'>\n(.*?)\n</event>", news, re.DOTALL)
    assert "\n".join(events) == "first\nsecond"  # in one event, or in two if it took its time


async def test_what_a_command_said_is_whole_however_soon_it_ends(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        for _ in range(20):
            answer = await here.bash("printf 'no end of line'", run_in_background=True)
            await ended(here, facts(answer)["backgroundTaskId"])
            assert text_of(facts(answer)["rawOutputPath"]) == "no end of line"


def test_a_file_that_begins_when_all_was_said_is_whole_and_closed_once(tmp_path: Path) -> None:
    capture = Capture(Masker({}), tmp_path / "output", lambda: None)
    capture.feed(b"no end of line")

    capture.close()
    capture.to_file()
    capture.close()

    assert capture.path.read_text(encoding="utf-8") == "no end of line"


async def test_sleep_ends_early_when_there_is_news(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        quick = await here.call("Sleep", duration_ms=1)
        await here.bash("true", run_in_background=True)
        woken = await here.call("Sleep", duration_ms=60_000)

    assert said(quick) == "Waited 0.001s."
    assert said(woken).endswith("a background task has news.")


async def test_power_shell_is_there_only_with_its_program(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "pwsh"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    async with bench(tmp_path, PATH=f"{programs}:/usr/bin:/bin") as here:
        answer = await here.call("PowerShell", command="Get-Date")
    async with bench(tmp_path, PATH="/nowhere") as without:
        missing = without.toolbox.pool.find("PowerShell")

    assert said(answer) == "-NoLogo|-NoProfile|-NonInteractive|-Command|Get-Date|"
    assert missing is None


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)*b", "["])
async def test_a_filter_that_cannot_be_used_is_refused(tmp_path: Path, pattern: str) -> None:
    async with bench(tmp_path) as here:
        seen = await here.call("TaskOutput", task_id="b1", filter=pattern)

    assert seen.block.is_error
    assert "`filter`" in said(seen)
