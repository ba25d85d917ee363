"""Links followed in several paths at once, compared with the standard library's answer."""

import os
from pathlib import Path

import pytest

from gantlet.system import RealPaths, directory_names

ODD = [
    "here/file",
    "here/missing/deeper",
    "here/missing/other",
    "dangling/below/that",
    "top/missing/deeper",
    "here/file/below",
    "link/file",
    "link/missing",
    "link/../other",
    "link",
    "chain/file",
    "dangling",
    "dangling/below",
    "loop/below",
    "top/etc",
    "top",
    "here//file",
    "here/./file",
    "here/",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "file").touch()
    (tmp_path / "link").symlink_to("here")
    (tmp_path / "chain").symlink_to(tmp_path / "link")
    (tmp_path / "dangling").symlink_to("nowhere/at/all")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "top").symlink_to("/")
    return tmp_path


@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
def test_every_path_leads_where_the_system_says(tree: Path, order: int) -> None:
    followed = RealPaths()
    paths = ["/", "//tmp", f"{tree}/\udcff", *(f"{tree}/{path}" for path in ODD)][::order]

    assert [followed(path) for path in paths] == [os.path.realpath(path) for path in paths]


@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
def test_directories_have_the_names_they_have_one_by_one(tree: Path, order: int) -> None:
    names = RealPaths().names
    paths = [
        "/",
        "//tmp",
        "relative",
        f"{tree}/missing/no\0path",
        *(f"{tree}/{path}" for path in ODD),
    ]

    found = [names(path) for path in paths[::order]]

    assert found == [directory_names(path) for path in paths[::order]]


def test_a_relative_path_is_seen_from_where_the_process_is() -> None:
    assert RealPaths()("some/where") == os.path.realpath("some/where")
