"""Children: what they are told and say, and that nothing of them is left behind."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from gantlet.system import ChildResult, open_child, run_child
from patience import DEADLINES, PATIENCE_SECONDS

ENV = {"PATH": os.environ["PATH"]}


async def run(command: str | list[str], **options: object) -> ChildResult:
    given = {"env": ENV, "seconds": PATIENCE_SECONDS, **options}
    return await run_child(command, **given)  # type: ignore[arg-type]


def pid_in(file: Path) -> int:
    return int(file.read_text())


def is_written(file: Path) -> bool:
    """Whether somebody has written a line to a file."""
    return file.exists() and file.read_text().endswith("\n")


def is_running(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


async def until(happened: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        while not happened():  # noqa: ASYNC110 - another process makes it happen
            await anyio.sleep(0.005)


async def test_a_child_is_told_and_heard() -> None:
    result = await run("cat; echo no >&2; exit 3", stdin=b"words")

    assert result == ChildResult(3, b"words", b"no\n")
    assert result.is_clean


async def test_a_list_is_started_without_a_shell() -> None:
    assert await run(["printf", "%s", "$HOME; x"]) == ChildResult(0, b"$HOME; x")


async def test_a_child_has_only_the_variables_it_is_given_and_no_terminal(tmp_path: Path) -> None:
    result = await run(
        "env | grep -v ^_= | sort; pwd; ps -o sid= -p $$ | tr -d ' '; echo $$",
        env={**ENV, "A": "ü"},
        cwd=str(tmp_path),
    )

    *variables, cwd, session, pid = result.stdout.decode().splitlines()
    assert "A=ü" in variables
    assert not any(line.startswith("HOME=") for line in variables)
    assert cwd == str(tmp_path)
    assert session == pid


async def test_a_child_that_ignores_a_large_input_is_fine() -> None:
    assert await run("echo done", stdin=b"x" * 5_000_000) == ChildResult(0, b"done\n")


async def test_a_large_input_arrives_whole() -> None:
    assert (await run("wc -c", stdin=b"x" * 3_000_000)).stdout.strip() == b"3000000"


async def test_a_signal_is_a_negative_exit_code() -> None:
    assert await run("kill -9 $$") == ChildResult(-9)


async def test_what_is_missing_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await run(["/nowhere/program"])
    with pytest.raises(FileNotFoundError):
        await run("true", cwd=str(tmp_path / "nowhere"))


async def test_a_flood_is_cut_and_ended(tmp_path: Path) -> None:
    result = await run(f"echo $$ > {tmp_path}/pid; exec yes", max_bytes=1_000)

    assert result == ChildResult(None, b"y\n" * 500, overflowed=True)
    assert not is_running(pid_in(tmp_path / "pid"))


async def test_exactly_the_bound_is_no_flood() -> None:
    assert await run("printf %s 12345", max_bytes=5) == ChildResult(0, b"12345")


async def test_very_many_small_words_are_heard_whole() -> None:
    script = "import os\nfor n in range(20000): os.write(1, b'%d\\n' % n)"

    result = await run([sys.executable, "-c", script])

    assert result == ChildResult(0, b"".join(b"%d\n" % number for number in range(20_000)))


async def test_what_was_said_just_before_the_deadline_is_heard(tmp_path: Path) -> None:
    script = f"echo 1; echo 2; echo 3; echo up > {tmp_path}/up; exec sleep 1000"
    async with open_child(script, env=ENV) as child:
        await until(lambda: is_written(tmp_path / "up"))

        assert await child.result(0) == ChildResult(None, b"1\n2\n3\n", timed_out=True)


async def run_into_deadline(script: str, sign: Path, **options: object) -> ChildResult:
    """Run a script to a deadline that is late enough for it to leave a sign before."""
    for seconds in DEADLINES:
        result = await run(script, seconds=seconds, **options)
        if is_written(sign):
            return result
    raise AssertionError("the script never came so far")


async def test_at_the_deadline_the_whole_group_is_ended(tmp_path: Path) -> None:
    script = f"echo said; sleep 1000 & echo $! > {tmp_path}/grandchild; wait"

    result = await run_into_deadline(script, tmp_path / "grandchild")

    assert result == ChildResult(None, b"said\n", timed_out=True)
    await until(lambda: not is_running(pid_in(tmp_path / "grandchild")))


async def test_who_ignores_the_request_to_end_is_killed(tmp_path: Path) -> None:
    script = f"trap '' TERM; (trap '' TERM; sleep 1000 & echo $! > {tmp_path}/g; wait) & sleep 1000"

    result = await run_into_deadline(script, tmp_path / "g", grace=0.1)

    assert result.timed_out
    await until(lambda: not is_running(pid_in(tmp_path / "g")))


async def test_who_wants_to_end_well_may(tmp_path: Path) -> None:
    script = (
        f"trap 'echo bye > {tmp_path}/bye; exit 0' TERM; echo up > {tmp_path}/up;"
        " while :; do sleep 0.02; done"
    )

    result = await run_into_deadline(script, tmp_path / "up", grace=PATIENCE_SECONDS)

    assert result.timed_out
    assert (tmp_path / "bye").read_text() == "bye\n"


async def test_a_grandchild_that_holds_the_streams_is_not_waited_for(tmp_path: Path) -> None:
    result = await run(f"sleep 1000 & echo $! > {tmp_path}/g; echo said")

    assert result == ChildResult(0, b"said\n", was_held=True)
    assert not result.is_clean
    await until(lambda: not is_running(pid_in(tmp_path / "g")))


@pytest.mark.parametrize("size", [10, 300_000, 900_000])
async def test_what_a_child_said_is_heard_to_its_end_though_no_time_is_left(size: int) -> None:
    script = f"head -c {size} /dev/zero; head -c {size} /dev/zero >&2"
    async with open_child(script, env=ENV) as child:
        result = await child.result(PATIENCE_SECONDS, linger=0.0)

    assert result == ChildResult(0, bytes(size), bytes(size))


async def test_a_daemon_that_left_the_group_and_holds_the_streams_is_ended(tmp_path: Path) -> None:
    daemon = "import os,sys,time;open(sys.argv[1],'w').write(str(os.getpid()));time.sleep(1000)"
    wait = f"while [ ! -s {tmp_path}/g ]; do :; done"
    script = f'setsid {sys.executable} -c "{daemon}" {tmp_path}/g & {wait}'

    result = await run(script)

    assert result == ChildResult(0, was_held=True)
    await until(lambda: not is_running(pid_in(tmp_path / "g")))


def leaving_quiet(sign: Path) -> str:
    """Return a script that ends once something it started has let go of its streams."""
    quiet = f"sh -c 'echo $$ > {sign}; exec sleep 1000' >/dev/null 2>&1 &"
    return f"{quiet} while [ ! -s {sign} ]; do :; done"


async def test_a_quiet_process_left_in_the_group_is_ended_too(tmp_path: Path) -> None:
    result = await run(leaving_quiet(tmp_path / "g"))

    assert result == ChildResult(0)
    await until(lambda: not is_running(pid_in(tmp_path / "g")))


async def test_what_is_left_of_a_group_can_be_kept_and_ended_later(tmp_path: Path) -> None:
    async with open_child(leaving_quiet(tmp_path / "g"), env=ENV) as child:
        assert await child.result(PATIENCE_SECONDS) == ChildResult(0)
        group = child.leave()

    assert group is not None
    assert group.is_alive()
    await group.end(1.0)
    await until(lambda: not group.is_alive())


async def test_a_cancelled_caller_leaves_nothing_running(tmp_path: Path) -> None:
    started = tmp_path / "g"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: run(f"sleep 1000 & echo $! > {started}; wait"))
        await until(lambda: started.exists() and started.read_text().strip() != "")
        tasks.cancel_scope.cancel()

    await until(lambda: not is_running(pid_in(started)))


MANY_CHILDREN = """
import os
import anyio
from gantlet.system import run_child

async def main():
    await cat()
    before = os.listdir("/proc/self/fd")
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(cat)
    print(len(os.listdir("/proc/self/fd")) - len(before))
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("no child")

async def cat():
    await run_child("cat", env=os.environ, stdin=b"x", seconds=None)

anyio.run(main)
"""


async def test_many_children_side_by_side_leave_no_descriptor_and_no_zombie() -> None:
    """In a process of its own: what other tests leave to the garbage does not count."""
    told = await anyio.run_process([sys.executable, "-c", MANY_CHILDREN], stderr=None)

    assert told.stdout.decode().splitlines() == ["0", "no child"]
