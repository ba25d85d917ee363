"""A file that grows by lines."""

import stat
from pathlib import Path

import pytest

from gantlet.system import PrivateLines


def test_lines_are_there_as_soon_as_they_are_added(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with PrivateLines(path, is_new=True) as lines:
        lines.add(b"one")
        lines.add(b"two")

        assert path.read_bytes() == b"one\ntwo\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_should_be_new_must_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"mine")

    with pytest.raises(FileExistsError):
        PrivateLines(path, is_new=True)

    assert path.read_bytes() == b"mine"


def test_a_file_that_exists_is_added_to_and_made_private(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"mine\n")
    path.chmod(0o644)

    with PrivateLines(path, is_new=False) as lines:
        lines.add(b"yours")

    assert path.read_bytes() == b"mine\nyours\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "target")

    with pytest.raises(OSError, match="symbolic links"):
        PrivateLines(tmp_path / "link", is_new=False)


def test_closing_twice_is_no_harm(tmp_path: Path) -> None:
    lines = PrivateLines(tmp_path / "a", is_new=True)

    lines.close()
    lines.close()
