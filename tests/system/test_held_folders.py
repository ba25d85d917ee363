"""Folders that a process holds, and those that killed ones left."""

import os
import subprocess
import sys
from pathlib import Path

from gantlet.system.held_folders import HeldFolder

LONG_AGO = (1_000_000_000, 1_000_000_000)
HOLD = (
    "import sys, pathlib; from gantlet.system.held_folders import HeldFolder;"
    "print(HeldFolder('own-', pathlib.Path(sys.argv[1])).path, flush=True); sys.stdin.read()"
)


def test_a_folder_is_private_and_goes_when_it_is_closed(tmp_path: Path) -> None:
    held = HeldFolder("own-", tmp_path)
    (held.path / "socket").touch()

    assert held.path.stat().st_mode & 0o777 == 0o700
    held.close()
    held.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        (left / "socket").touch()
        os.utime(left, LONG_AGO)
        while_it_runs = HeldFolder("own-", tmp_path)
        was_there = left.exists()
        process.kill()

    after = HeldFolder("own-", tmp_path)

    assert was_there
    assert sorted(tmp_path.iterdir()) == sorted([while_it_runs.path, after.path])
    while_it_runs.close()
    after.close()


def test_only_old_folders_of_that_name_are_removed(tmp_path: Path) -> None:
    for name in ("own-new", "own-old", "another"):
        (tmp_path / name).mkdir()
    (tmp_path / "own-file").touch()
    (tmp_path / "own-link").symlink_to(tmp_path / "another")
    for name in ("own-old", "another", "own-file"):
        os.utime(tmp_path / name, LONG_AGO)
    os.utime(tmp_path / "own-link", LONG_AGO, follow_symlinks=False)

    HeldFolder("own-", tmp_path).close()

    assert {one.name for one in tmp_path.iterdir()} == {
        "own-new",
        "another",
        "own-file",
        "own-link",
    }
