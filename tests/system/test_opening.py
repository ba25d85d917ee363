"""Files are opened where they were judged to be, or not at all."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gantlet.system import Place, RefusedFileError, locate, open_file
from gantlet.system.openat2 import open_without_links
from gantlet.system.opening import open_linkless, walk_to

MOST = 1 << 20


def place_of(path: Path) -> Place:
    """Return where a path points now, as permission judges it."""
    place = locate(str(path), "/")
    facts = os.stat(place.real_text) if os.path.exists(place.real_text) else None  # noqa: PTH110, PTH116 - as text
    inode = (facts.st_dev, facts.st_ino) if facts else None
    return Place(place.lexical_text, place.real_text, inode)


def refusal(place: Place) -> str:
    """Return why a place is not opened."""
    with pytest.raises(RefusedFileError) as refused:
        open_file(place)
    return refused.value.reason


def test_a_file_is_read_through_a_link_that_was_judged(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"inside")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")

    with open_file(place_of(tmp_path / "link.txt")) as opened:
        content = opened.read(MOST)

    assert content == b"inside"
    assert stat.S_ISREG(opened.facts.st_mode)


def test_reading_stops_at_its_bound_and_sees_a_file_grow(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"0123456789")

    with open_file(place_of(file)) as opened:
        with file.open("ab") as grown:
            grown.write(b"more")
        whole = opened.read(MOST)
    with open_file(place_of(file)) as opened:
        bounded = opened.read(4)

    assert (whole, bounded) == (b"0123456789more", b"0123")


@pytest.mark.parametrize("depth", ["file", "folder"])
def test_a_link_that_came_after_the_judgement_is_not_followed(tmp_path: Path, depth: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.txt").write_bytes(b"harmless")
    place = place_of(inside / "a.txt")

    if depth == "file":
        (inside / "a.txt").unlink()
        (inside / "a.txt").symlink_to(outside / "a.txt")
    else:
        inside.rename(tmp_path / "moved")
        inside.symlink_to(outside)

    assert "link" in refusal(place)


def test_a_second_name_of_another_file_is_refused_if_it_came_later(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "a.txt").write_bytes(b"harmless")
    place = place_of(tmp_path / "a.txt")

    (tmp_path / "a.txt").unlink()
    os.link(tmp_path / "secret", tmp_path / "a.txt")

    assert "second name" in refusal(place)


def make_fifo(path: Path) -> None:
    """Make a FIFO."""
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    """Make a socket."""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(Path.mkdir, "it is a directory", id="directory"),
        pytest.param(make_fifo, "it is a FIFO", id="fifo"),
        pytest.param(make_socket, "it is a socket", id="socket"),
    ],
)
def test_what_is_no_file_is_refused_by_what_it_is(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    make(tmp_path / "x")

    assert refusal(place_of(tmp_path / "x")) == reason


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/stdin", "/dev/fd/0", "/proc/self/environ", "/proc/version", "/"]
)
def test_devices_and_the_systems_own_names_are_refused(path: str) -> None:
    refusal(Place(path, os.path.realpath(path)))


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_file(place_of(tmp_path / "nope" / "a.txt"))
    with pytest.raises(FileNotFoundError):
        open_file(place_of(tmp_path / "a.txt"))


def test_the_walk_name_by_name_answers_as_the_system_call_does(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "last").symlink_to(tmp_path / "a" / "b" / "file")
    root = os.path.realpath(tmp_path)

    for ways in (walk_to, open_linkless):
        descriptor = ways(f"{root}/a/b/file", os.O_RDONLY)
        assert os.read(descriptor, 9) == b"x"
        os.close(descriptor)
        for path in (f"{root}/link/b/file", f"{root}/a/last", f"{root}/none"):
            with pytest.raises(OSError, match=r"link|loop|levels|directory|No such"):
                ways(path, os.O_RDONLY)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="a call of Linux")
def test_the_system_call_names_a_link_for_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    if open_without_links("/", os.O_RDONLY) is None:
        pytest.skip("this kernel has no openat2")

    with pytest.raises(OSError, match="symbolic links") as failed:
        open_without_links(f"{os.path.realpath(tmp_path)}/link/etc", os.O_RDONLY)

    assert failed.value.errno == 40
