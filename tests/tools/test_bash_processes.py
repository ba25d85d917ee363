"""What becomes of the processes a command starts: all are found, and none outlives the session."""

import os
import resource
import shutil
import signal
import sys
from pathlib import Path

import anyio
import pytest

from bash_kit import bench, call_of, gone, lines_of, living, numbers_in, said, until
from gantlet.execution import Failed, Interrupted, Succeeded
from gantlet.execution.abort import AbortKind
from patience import DEADLINES, PATIENCE_SECONDS

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="subreapers and /proc are Linux's"),
]

#: A daemon as programs make them: forked twice, in a session of its own, without our output.
DAEMON = "(setsid bash -c 'echo $$ >> {pids}; exec sleep 1000' >/dev/null 2>&1 </dev/null &)"


def below(pid: int) -> list[int]:
    """Return every process below one."""
    children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(inner for child in children for inner in below(child))]


async def test_a_command_runs_in_a_session_of_its_own(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("ps -o pid=,pgid=,sid= -p $$")

    pid, group, session = said(answer).split()
    assert pid == group == session
    assert int(session) != os.getsid(0)


async def test_what_a_command_leaves_running_is_listed_and_ends_with_the_session(
    tmp_path: Path,
) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        answer = await here.bash(f"{DAEMON.format(pids=pids)}; sleep 1000 & echo $! >> {pids}")
        started = await numbers_in(pids, 2)

        text = said(answer)
        [task] = here.board.all()
        assert "The command has ended and left 2 processes running (" in text
        assert f"now background task {task.id}" in text
        assert living(started) == started

    await gone(started)


async def test_an_interrupt_ends_daemons_too_and_keeps_what_was_said(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = f"echo working; {DAEMON.format(pids=pids)}; echo $$ >> {pids}; sleep 1000"
    async with bench(tmp_path) as here:
        executor = here.executor()
        async with executor:
            executor.submit(call_of("Bash", command=command))
            started = await numbers_in(pids, 2)
            executor.abort(AbortKind.USER)
            with anyio.fail_after(PATIENCE_SECONDS):
                [answer] = await executor.drain()

        assert isinstance(answer.outcome, Interrupted)
        assert answer.block.is_error is True
        assert said(answer).startswith(
            "working\n<error>Command was aborted before completion</error>\n"
        )
        await gone(started)


async def test_who_ignores_the_request_to_end_is_ended_by_force(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    stubborn = f"trap '' TERM INT HUP; echo $$ >> {pids}; while :; do sleep 1000; done"
    async with bench(tmp_path) as here:
        for seconds in DEADLINES:
            answer = await here.bash(f"git=1; {stubborn}", timeout=seconds * 1000)
            if started := [int(line) for line in lines_of(pids)]:
                break

        assert isinstance(answer.outcome, Failed)
        assert said(answer) == f"Exit code 137\nCommand timed out after {seconds:g}s"
        assert started
        await gone(started)


async def test_closing_its_output_does_not_end_the_wait(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("exec >&- 2>&-; sleep 0.2; exit 4")

    assert said(answer) == "Exit code 4"


async def test_a_tree_of_zombies_is_cleared_away(tmp_path: Path) -> None:
    script = (
        "import os, sys, time\nfor _ in range(30):\n    os.fork() or os._exit(0)\n"
        "open(sys.argv[1], 'w').close()\ntime.sleep(1000)\n"
    )
    sign = tmp_path / "sign"
    wait = f"until [ -e {sign} ]; do sleep 0.01; done"
    (tmp_path / "zombies.py").write_text(script, encoding="utf-8")
    async with bench(tmp_path) as here:
        answer = await here.bash(
            f"{sys.executable} -I {tmp_path}/zombies.py {sign} & {wait}; echo up"
        )
        [task] = here.board.all()
        before = below(here.shell.supervisor.pid)
        await task.stop()
        after = below(here.shell.supervisor.pid)

    assert said(answer).startswith("up\n")
    assert len(before) >= 30
    assert len(after) < 5


async def test_a_hundred_tasks_at_once_all_end(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        for _ in range(100):
            await here.bash(f"echo $$ >> {pids}; exec sleep 1000", run_in_background=True)
        started = await numbers_in(pids, 100)
        assert len(living(started)) == 100

    await gone(started)


async def test_a_killed_program_takes_its_commands_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
import anyio, os, signal
from pathlib import Path
from bash_kit import bench, numbers_in

async def main():
    async with bench(Path({str(tmp_path)!r})) as here:
        await here.bash({DAEMON.format(pids=pids)!r})
        await here.bash("echo $$ >> {pids}; sleep 1000", run_in_background=True)
        await numbers_in(Path({str(pids)!r}), 2)
        os.kill(os.getpid(), signal.SIGKILL)

anyio.run(main)
"""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await anyio.run_process([sys.executable, "-c", code], env=variables, check=False)
    started = await numbers_in(pids, 2)

    assert process.returncode == -signal.SIGKILL
    await gone(started)


async def test_a_killed_keeper_is_noticed_and_its_command_does_not_stay(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        for _ in range(5):
            answer = await here.bash(f"echo $$ >> {pids}; kill -9 $PPID; sleep 1000")
        again = await here.bash("echo fine")
        await gone(await numbers_in(pids, 5))

    assert said(answer).endswith("The command was lost: how it ended is not known.")
    assert said(again) == "fine"


async def test_a_killed_supervisor_is_started_again(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await here.bash("true")
        os.kill(here.shell.supervisor.pid, signal.SIGKILL)
        answers = [await here.bash("echo fine") for _ in range(3)]

    assert [said(answer) for answer in answers][-1] == "fine"


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(150_000_000, id="150-megabytes"),
        pytest.param(1_000_000_000, id="a-gigabyte", marks=pytest.mark.deep),
    ],
)
async def test_much_output_is_bounded_in_memory_and_on_disk(tmp_path: Path, count: int) -> None:
    async with bench(tmp_path) as here:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = await here.bash(f"head -c {count} /dev/zero | tr '\\0' 'x'")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        [path] = here.home.rglob("*.output")

    assert said(answer).startswith(f"[The output has {count:,} bytes; the first 64 MiB")
    assert path.stat().st_size == 64 << 20
    assert (after - before) < 200_000  # kilobytes


def owned_by(user: int) -> list[int]:
    """Return the processes of a user that run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                is_theirs = folder.stat().st_uid == user
            except OSError:
                continue
            if is_theirs:
                found.append(int(folder.name))
    return living(found)


@pytest.mark.skipif(
    os.getuid() != 0 or not shutil.which("setpriv") or not shutil.which("prlimit"),
    reason="needs root, setpriv and prlimit: only another user is really held to a limit",
)
async def test_a_fork_bomb_within_a_limit_is_ended_whole(tmp_path: Path) -> None:
    user = 30_000 + os.getpid() % 30_000  # one of our own: another run may do the same now
    bomb = "bomb() { bomb 2>/dev/null | bomb 2>/dev/null & }; bomb; sleep 1000"
    held = f"setpriv --reuid={user} --regid={user} --clear-groups prlimit --nproc=40:40"
    async with bench(tmp_path) as here:
        here.folder.chmod(0o755)
        await here.bash(f'cd / && {held} bash -c "{bomb}"', run_in_background=True)
        await until(lambda: len(owned_by(user)) > 10)
        [task] = here.board.all()
        with anyio.fail_after(PATIENCE_SECONDS):
            await task.stop()
        left = owned_by(user)

    assert task.status.is_final
    assert left == []


async def test_a_limit_on_processes_holds(tmp_path: Path) -> None:
    settings = {"shell.maxProcesses": 20}
    loop = "for i in $(seq 60); do sleep 1000 & done; wait"  # bounded, whatever happens
    async with bench(tmp_path, settings) as here:
        answer = await here.bash(loop)

    assert isinstance(answer.outcome, Failed)
    assert "The command was ended: too many processes." in said(answer)


async def test_limits_on_memory_and_file_size_hold(tmp_path: Path) -> None:
    settings = {"shell.maxMemoryBytes": 200_000_000, "shell.maxFileBytes": 1_000_000}
    grab = f'{sys.executable} -I -c "x = bytearray(500_000_000)" 2>&1 | tail -1'
    async with bench(tmp_path, settings) as here:
        memory = await here.bash(grab)
        size = await here.bash("head -c 2000000 /dev/zero > big; echo $?; wc -c < big")

    assert said(memory) == "MemoryError"
    assert said(size).split()[-2:] == ["153", "1000000"]


async def test_commands_side_by_side_do_not_mix(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        calls = [call_of("Bash", command=f"echo {number}; sleep 0.1") for number in range(10)]
        answers = await here.answers(*calls)

    assert [said(answer) for answer in answers] == [str(number) for number in range(10)]
    assert all(isinstance(answer.outcome, Succeeded) for answer in answers)


async def test_a_command_that_kills_everybody_who_keeps_it_ends_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with bench(tmp_path) as here:
        await here.bash("true")
        answer = await here.bash(
            f"echo $$ > {pids}; sleep 1000 & echo $! >> {pids};"
            f" kill -9 {here.shell.supervisor.pid} $PPID; sleep 1000"
        )
        await gone(await numbers_in(pids))
        again = await here.bash("echo again")

    assert "The command was lost" in said(answer)
    assert said(again) == "again"
