"""A file is replaced whole or not at all, and stays what it was otherwise."""

import os
import resource
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from builders import run_python
from gantlet.system import (
    ChangedFileError,
    RefusedFileError,
    locate,
    open_file,
    remove_file,
    remove_folders,
    replace_file,
)


def names_in(folder: Path) -> list[str]:
    """Return everything that lies in a folder."""
    return sorted(os.listdir(folder))  # noqa: PTH208 - names are wanted


def test_replacing_keeps_mode_and_attributes_and_leaves_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"old")
    file.chmod(0o751)
    with suppress(OSError):
        os.setxattr(file, "user.note", b"kept")
    attributes = {name: os.getxattr(file, name) for name in os.listxattr(file)}

    replaced = replace_file(locate(str(file), "/"), b"new", file.stat())

    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == attributes
    assert replaced.facts.st_ino == file.stat().st_ino
    assert replaced.kept_owner
    assert names_in(tmp_path) == ["run.sh"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_replacing_keeps_the_owner(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    os.chown(file, 1234, 2345)

    replace_file(locate(str(file), "/"), b"new", file.stat())

    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 2345)


_AS_SOMEBODY = """
import os
from gantlet.system import locate, open_file, replace_file
path = os.environ["WANTED"]
place, old = locate(path, "/"), os.stat(path)
open_file(place).close()  # loads what others may not be able to load
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for keeps_protection in (True, False):
    try:
        replace_file(place, b"new", old, keeps_protection=keeps_protection)
        print("replaced")
    except PermissionError as error:
        print(error.strerror)
"""


def test_a_file_that_we_must_not_write_is_not_replaced() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a")
        file.write_bytes(b"old")
        file.chmod(0o444)
        if os.geteuid() == 0:  # for whom nothing is protected
            os.chown(folder, 65534, 65534)
            os.chown(file, 65534, 65534)

        told = run_python(_AS_SOMEBODY, {"WANTED": str(file)})

    assert told == "it is write-protected\nreplaced\n"


def test_a_new_file_comes_with_its_folders_and_the_umasks_mode(tmp_path: Path) -> None:
    place = locate(str(tmp_path / "a" / "b" / "c.txt"), "/")

    replaced = replace_file(place, b"new", None)

    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"new"
    assert (tmp_path / "a/b/c.txt").stat().st_mode == plain.stat().st_mode
    assert replaced.made_folders == (f"{tmp_path}/a", f"{tmp_path}/a/b")
    assert names_in(tmp_path / "a" / "b") == ["c.txt"]


def test_something_that_came_or_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a"
    place = locate(str(file), "/")
    file.write_bytes(b"foreign")

    with pytest.raises(ChangedFileError):
        replace_file(place, b"ours", None)
    seen = file.stat()
    file.write_bytes(b"foreign again")
    with pytest.raises(ChangedFileError):
        replace_file(place, b"ours", seen)
    with pytest.raises(ChangedFileError):
        remove_file(place, seen)

    assert file.read_bytes() == b"foreign again"
    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize("depth", ["file", "folder"])
def test_a_link_that_came_meanwhile_is_not_written_through(tmp_path: Path, depth: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"theirs")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a").write_bytes(b"ours")
    place, seen = locate(str(inside / "a"), "/"), (inside / "a").stat()

    if depth == "file":
        (inside / "a").unlink()
        (inside / "a").symlink_to(outside / "a")
    else:
        inside.rename(tmp_path / "moved")
        inside.symlink_to(outside)

    with pytest.raises((ChangedFileError, RefusedFileError)):
        replace_file(place, b"new", seen)
    assert (outside / "a").read_bytes() == b"theirs"
    assert names_in(outside) == ["a"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    code = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from pathlib import Path
from gantlet.system import locate, replace_file
for path, old in (({str(file)!r}, Path({str(file)!r}).stat()), ({str(tmp_path)!r} + "/n/b", None)):
    try:
        replace_file(locate(path, "/"), b"x" * 5000, old)
    except OSError as error:
        print(error.errno)
"""

    printed = run_python(code)

    assert printed.split() == ["27", "27"]
    assert file.read_bytes() == b"old"
    assert names_in(tmp_path) == ["a"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_a_name_as_long_as_a_name_can_be_is_replaced_too(tmp_path: Path) -> None:
    file = tmp_path / ("ä" * 127)
    file.write_bytes(b"old")

    replace_file(locate(str(file), "/"), b"new", file.stat())

    assert file.read_bytes() == b"new"


def test_removing_takes_away_the_file_and_only_empty_folders(tmp_path: Path) -> None:
    place = locate(str(tmp_path / "a" / "b" / "c"), "/")
    made = replace_file(place, b"x", None).made_folders
    (tmp_path / "a" / "other").write_bytes(b"")

    with open_file(place) as opened:
        facts = opened.facts
    remove_file(place, facts)
    remove_folders(made, place)

    assert names_in(tmp_path / "a") == ["other"]
