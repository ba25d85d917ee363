"""What stands where nothing may be made goes with the last command that has it mounted."""

import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream

from gantlet.system.sandbox.fillers import Fillers
from gantlet.system.sandbox.git_folders import Guarded
from patience import PATIENCE_SECONDS
from sandbox_kit import names_in, reason_against

#: Far shorter than the life of a command that runs on.
AT_ONCE = 0.01


@asynccontextmanager
async def left_behind(path: Path) -> AsyncIterator[anyio.abc.Process]:
    """Give a process that ended; one that it started runs on, with a mount, until stdin ends."""
    reason = reason_against(os.getuid())
    if reason is not None:
        pytest.skip(reason)
    words = ["bwrap", "--dev-bind", "/", "/", "--bind", str(path), str(path)]
    with anyio.fail_after(PATIENCE_SECONDS):
        async with await anyio.open_process([*words, "sh", "-c", "echo up; read line"]) as process:
            assert process.stdout is not None
            assert await BufferedByteReceiveStream(process.stdout).receive_exactly(3) == b"up\n"
            process.kill()
            await process.wait()
            yield process


async def test_a_filler_goes_with_a_command_that_ends_a_moment_after_its_sandbox(
    tmp_path: Path,
) -> None:
    workspace = tmp_path / "work space"
    workspace.mkdir()
    fillers = Fillers(tmp_path / "notes", ending_seconds=PATIENCE_SECONDS)
    fillers.hold([Guarded(str(workspace / "guarded"))])

    async with left_behind(workspace / "guarded") as process, anyio.create_task_group() as group:
        group.start_soon(fillers.close)
        await anyio.wait_all_tasks_blocked()
        assert names_in(workspace) == ["guarded"]
        assert process.stdin is not None
        await process.stdin.aclose()

    assert names_in(workspace) == []
    assert names_in(tmp_path / "notes") == []


async def test_a_filler_that_a_command_in_the_background_needs_is_left_to_the_next_session(
    tmp_path: Path,
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    first = Fillers(tmp_path / "notes", ending_seconds=AT_ONCE)
    first.hold([Guarded(str(workspace / "guarded"))])
    later = Fillers(tmp_path / "notes", ending_seconds=PATIENCE_SECONDS)

    async with left_behind(workspace / "guarded") as process, anyio.create_task_group() as group:
        await first.close()
        assert names_in(workspace) == ["guarded"]
        group.start_soon(later.sweep)
        await anyio.wait_all_tasks_blocked()
        assert names_in(workspace) == ["guarded"]
        assert process.stdin is not None
        await process.stdin.aclose()

    assert names_in(workspace) == []


async def test_a_session_that_is_closed_waits_for_no_command_of_another(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    first, second = (
        Fillers(tmp_path / "notes", ending_seconds=10 * PATIENCE_SECONDS) for _ in range(2)
    )
    for one in (first, second):
        one.hold([Guarded(str(workspace / "guarded"))])

    async with left_behind(workspace / "guarded"):
        await first.close()
        assert names_in(workspace) == ["guarded"]

    await second.close()
    assert names_in(workspace) == []


LOCKS = Path("/proc/locks")


def waits_for_a_lock() -> bool:
    """Return whether this process waits for a lock."""
    lines = LOCKS.read_text(encoding="ascii").splitlines()
    return any("->" in line and f" {os.getpid()} " in line for line in lines)


@pytest.mark.skipif(not LOCKS.exists(), reason="the system does not show who waits for a lock")
async def test_a_claim_on_a_note_that_is_just_removed_is_made_again(tmp_path: Path) -> None:
    guarded = Guarded(str(tmp_path / "guarded"))
    first, second = Fillers(tmp_path / "notes"), Fillers(tmp_path / "notes")
    first.hold([guarded])
    [note] = (tmp_path / "notes").iterdir()
    await first.close()
    with note.open("w") as removed:
        fcntl.flock(removed, fcntl.LOCK_EX)  # as whoever takes a filler away does
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.to_thread.run_sync, second.hold, [guarded])
            with anyio.fail_after(PATIENCE_SECONDS):
                while not waits_for_a_lock():  # noqa: ASYNC110 - the kernel tells nobody
                    await anyio.sleep(0.005)
            note.unlink()
            fcntl.flock(removed, fcntl.LOCK_UN)

    assert note.exists()
    await Fillers(tmp_path / "notes").sweep()
    assert names_in(tmp_path) == ["guarded", "notes"]
    await second.close()
    assert names_in(tmp_path) == ["notes"]
