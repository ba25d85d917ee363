"""Groups of processes with a limit: those that somebody still needs are never removed."""

import os
from pathlib import Path

import pytest

from gantlet.system.held_folders import hold_folder
from gantlet.system.sandbox.control_groups import open_control_group

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(os.getuid() != 0, reason="only root is held by control groups"),
]
LONG_AGO = (1_000_000_000, 1_000_000_000)


def listed(folder: Path) -> list[Path]:
    """Return what is in a folder."""
    return list(folder.iterdir())


async def test_only_groups_that_nobody_holds_are_removed(tmp_path: Path) -> None:
    left, held = tmp_path / "gantlet-commands-left", tmp_path / "gantlet-commands-held"
    for folder in (left, held):
        folder.mkdir()
        os.utime(folder, LONG_AGO)
    lock = hold_folder(held)  # as a program in another container does

    group = open_control_group(10, (tmp_path,))
    os.close(lock)

    assert group is not None
    (own,) = set(listed(tmp_path)) - {held}
    assert (own / "pids.max").read_text() == "10"
    assert str(own) in group.prefix[-1]
    (own / "pids.max").unlink()  # where these are real, the kernel does not mind it
    await group.close()
    assert listed(tmp_path) == [held]


async def test_a_group_is_held_as_long_as_it_is_open(tmp_path: Path) -> None:
    first = open_control_group(10, (tmp_path,))
    (own,) = listed(tmp_path)
    (own / "pids.max").unlink()
    os.utime(own, LONG_AGO)
    second = open_control_group(10, (tmp_path,))

    assert first is not None
    assert second is not None
    assert own.is_dir()
    await first.close()
    (other,) = listed(tmp_path)
    (other / "pids.max").unlink()
    await second.close()
    await second.close()
    assert listed(tmp_path) == []
