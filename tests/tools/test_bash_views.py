"""A command that shows a file counts as reading it: Edit needs no other look."""

from pathlib import Path

import pytest

from bash_kit import Bench, bench, said

pytestmark = pytest.mark.anyio

NOT_READ = "File has not been read yet"
PARTIAL = "Only a part of the file has been read"


async def edited(here: Bench, name: str = "a.txt") -> str:
    """Edit a file, and return what the model reads."""
    given = {"file_path": str(here.folder / name), "old_string": "foo", "new_string": "new"}
    return said(await here.call("Edit", **given))


async def written(here: Bench) -> str:
    """Write a file whole, and return what the model reads."""
    return said(await here.call("Write", file_path=str(here.folder / "a.txt"), content="all\n"))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("cat a.txt", id="cat"),
        pytest.param("cat -n ./a.txt", id="cat with numbers"),
        pytest.param("nl a.txt", id="nl"),
        pytest.param("head -n 1 a.txt", id="head"),
        pytest.param("tail -2 a.txt", id="tail"),
        pytest.param("sed -n '1,2p' a.txt", id="sed"),
        pytest.param("grep foo a.txt", id="grep"),
        pytest.param("cat link.txt", id="through a link"),
    ],
)
async def test_a_file_that_a_command_showed_can_be_edited(tmp_path: Path, command: str) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "a.txt").write_text("foo\nbar\n", encoding="utf-8")
        (here.folder / "link.txt").symlink_to("a.txt")
        assert NOT_READ in await edited(here)
        await here.bash(command)

        assert "has been updated" in await edited(here)
        assert (here.folder / "a.txt").read_text(encoding="utf-8") == "new\nbar\n"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("cat a.txt | wc -l", id="pipe"),
        pytest.param("cat a.txt > /dev/null", id="redirection"),
        pytest.param("cat a.txt b.txt", id="two files"),
        pytest.param("cat *.txt", id="pattern"),
        pytest.param("grep nothing a.txt", id="nothing found"),
        pytest.param("grep -q foo a.txt", id="nothing shown"),
        pytest.param("wc -l a.txt", id="another program"),
        pytest.param("cat a.txt; rm b.txt", id="two commands"),
        pytest.param("sed s/foo/bar/ a.txt", id="sed that changes what it shows"),
    ],
)
async def test_a_file_that_was_not_simply_shown_must_be_read(tmp_path: Path, command: str) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "a.txt").write_text("foo\nbar\n", encoding="utf-8")
        (here.folder / "b.txt").write_text("b\n", encoding="utf-8")
        await here.bash(command)

        assert NOT_READ in await edited(here)


async def test_only_a_file_shown_whole_can_be_overwritten(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "a.txt").write_text("foo\nbar\n", encoding="utf-8")
        await here.bash("head -1 a.txt")
        in_part = await written(here)
        await here.bash("cat a.txt")
        whole = await written(here)

    assert PARTIAL in in_part
    assert "has been updated" in whole


async def test_a_view_that_did_not_fit_is_a_part(tmp_path: Path) -> None:
    async with bench(tmp_path, BASH_MAX_OUTPUT_LENGTH="2000") as here:
        (here.folder / "a.txt").write_text("foo\n" + "x" * 70 + "\n" * 3000, encoding="utf-8")
        await here.bash("cat a.txt")

        assert PARTIAL in await written(here)
        assert "has been updated" in await edited(here)
