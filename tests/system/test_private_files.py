"""Files that only their owner may read, whatever the umask and whoever got there first."""

import os
import resource
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.system import keep_private, make_private_folder, write_private


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Set the umask for a while."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow larger for a while: writing fails halfway, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def mode(path: Path) -> str:
    """Return a file's permissions."""
    return oct(stat.S_IMODE(path.lstat().st_mode))


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_files_and_their_folders_are_private_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    folder = tmp_path / "a" / "b"

    with umask(mask):
        make_private_folder(folder)
        write_private(folder / "file", "text")
        kept = keep_private(folder / "kept", "text")

    assert [mode(path) for path in (tmp_path / "a", folder, folder / "file", kept)] == [
        "0o700",
        "0o700",
        "0o600",
        "0o600",
    ]


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    make_private_folder(tmp_path)
    make_private_folder(tmp_path / "new")

    assert (mode(tmp_path), mode(tmp_path / "new")) == ("0o755", "0o700")


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")

    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "taken")
    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "taken" / "below")

    assert (tmp_path / "taken").read_text() == "x"


def test_a_link_to_nowhere_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    with pytest.raises(FileExistsError):
        make_private_folder(tmp_path / "link")

    assert not (tmp_path / "nowhere").exists()


def test_an_existing_file_is_replaced_whole_and_becomes_private(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("something longer")
    file.chmod(0o644)

    size = write_private(file, "ä")

    assert (size, file.read_bytes(), mode(file)) == (2, "ä".encode(), "0o600")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("write", [write_private, keep_private])
def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path, write: object) -> None:
    assert callable(write)
    precious, link = tmp_path / "precious", tmp_path / "link"
    precious.write_text("keep me")
    link.symlink_to(precious)

    write(link, "text")

    assert (precious.read_text(), link.read_text()) == ("keep me", "text")
    assert not link.is_symlink()


def test_a_second_name_of_a_file_keeps_its_text(tmp_path: Path) -> None:
    precious, second = tmp_path / "precious", tmp_path / "second"
    precious.write_text("keep me")
    second.hardlink_to(precious)

    write_private(second, "text")

    assert (precious.read_text(), second.read_text()) == ("keep me", "text")


def test_the_draft_of_another_writer_is_left_alone(tmp_path: Path) -> None:
    drafts = [tmp_path / f".file.{os.getpid()}.part", tmp_path / ".file.part"]
    for draft in drafts:
        draft.symlink_to(tmp_path / "elsewhere")

    write_private(tmp_path / "file", "text")

    assert (tmp_path / "file").read_text() == "text"
    assert [draft.is_symlink() for draft in drafts] == [True, True]
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_does_not_fit_leaves_nothing_behind_and_the_old_one_whole(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    file.write_text("old")

    with room_for(10_000), pytest.raises(OSError, match="File too large"):
        write_private(file, "x" * 100_000)

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_text() == "old"


def test_a_folder_in_the_place_of_a_file_is_an_error_that_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").mkdir()

    with pytest.raises(IsADirectoryError):
        write_private(tmp_path / "file", "text")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_text_is_kept_where_it_was_asked_for(tmp_path: Path) -> None:
    kept = keep_private(tmp_path / "a.txt", "one")

    assert (kept, kept.read_text()) == (tmp_path / "a.txt", "one")


def test_the_same_text_is_kept_in_the_same_place(tmp_path: Path) -> None:
    first = keep_private(tmp_path / "a.txt", "one")
    first.chmod(0o644)
    again = keep_private(tmp_path / "a.txt", "one")

    assert (first, list(tmp_path.iterdir())) == (again, [first])
    assert mode(first) == "0o600"


@pytest.mark.parametrize("other", ["two", "longer than one", ""])
def test_another_text_is_kept_beside_the_first(tmp_path: Path, other: str) -> None:
    first = keep_private(tmp_path / "a.txt", "one")
    second = keep_private(tmp_path / "a.txt", other)
    again = keep_private(tmp_path / "a.txt", other)

    assert (first.read_text(), second.read_text()) == ("one", other)
    assert second == again != first
    assert (second.parent, second.suffix) == (tmp_path, ".txt")


def test_texts_that_come_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    texts = [f"{number}" * 100_000 for number in range(8)]
    together = threading.Barrier(len(texts))

    def keep(text: str) -> Path:
        together.wait(timeout=30)
        return keep_private(tmp_path / "a.txt", text)

    with ThreadPoolExecutor(len(texts)) as threads:
        kept = list(threads.map(keep, texts))

    assert [path.read_text() for path in kept] == texts
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_a_folder_in_the_place_of_a_text_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()

    kept = keep_private(tmp_path / "a.txt", "one")

    assert (kept.read_text(), (tmp_path / "a.txt").is_dir()) == ("one", True)


@given(raw=st.binary(max_size=50))
def test_bytes_that_were_never_text_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "raw"

    write_private(file, raw.decode("utf-8", "surrogateescape"))

    assert file.read_bytes() == raw


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00", "ä\ud800\udc80"])
def test_lone_surrogates_come_back_as_they_were(tmp_path: Path, text: str) -> None:
    write_private(tmp_path / "file", text)

    assert (tmp_path / "file").read_bytes().decode("utf-8", "surrogatepass") == text
