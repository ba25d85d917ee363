"""Write makes files and replaces them whole, and never what nobody has looked at."""

import os
import stat
from pathlib import Path

import pytest

from builders import run_python
from gantlet.session import ChangeLog
from gantlet.system import read_text
from gantlet.tool import ToolError
from tools.editing_kit import Workbench

pytestmark = pytest.mark.anyio


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


async def test_a_new_file_is_made_with_its_folders(bench: Workbench) -> None:
    path = bench.path("a/b/c.txt")

    told = await bench.write("a/b/c.txt", "text\n")

    assert path.read_bytes() == b"text\n"
    assert told == f"File created successfully at: {path}"
    assert bench.told == {
        "type": "create",
        "filePath": str(path),
        "content": "text\n",
        "structuredPatch": [],
        "originalFile": None,
        "userModified": False,
    }


async def test_a_file_that_was_read_is_replaced(bench: Workbench) -> None:
    path = bench.show("a.txt", b"one\ntwo\n")
    path.chmod(0o640)

    told = await bench.write("a.txt", "one\n2\n")

    assert path.read_bytes() == b"one\n2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert told == (
        f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of"
        " the edited file:\n     1→one\n     2→2"
    )
    assert (bench.told["type"], bench.told["originalFile"]) == ("update", "one\ntwo\n")
    assert bench.told["structuredPatch"][0]["lines"] == [" one", "-two", "+2"]


async def test_a_file_nobody_has_read_is_not_overwritten(bench: Workbench) -> None:
    bench.path("a.txt").write_bytes(b"precious")

    with pytest.raises(ToolError, match="File has not been read yet"):
        await bench.write("a.txt", "x")

    assert bench.path("a.txt").read_bytes() == b"precious"


async def test_a_file_that_changed_is_not_overwritten_and_the_change_is_shown(
    bench: Workbench,
) -> None:
    path = bench.show("a.txt", b"one\n")
    path.write_bytes(b"one\ntheirs\n")

    with pytest.raises(ToolError) as refused:
        await bench.write("a.txt", "ours\n")

    assert path.read_bytes() == b"one\ntheirs\n"
    assert str(refused.value).startswith("File has been modified since read, so it was not")
    assert str(refused.value).endswith("@@ -2,0 +2,1 @@\n+theirs")


async def test_what_was_written_counts_as_read(bench: Workbench) -> None:
    await bench.write("a.txt", "one\n")
    await bench.write("a.txt", "two\n")

    assert bench.path("a.txt").read_bytes() == b"two\n"


@pytest.mark.parametrize(
    ("before", "content", "after", "note"),
    [
        pytest.param(b"a\r\n", "x\ny\n", b"x\r\ny\r\n", "line endings (CRLF)", id="crlf"),
        pytest.param(b"a\r\nb\n", "x\ny\n", b"x\ny\n", "", id="mixed endings are not kept"),
        pytest.param(b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n", "", id="byte order mark"),
        pytest.param("a\n".encode("utf-16"), "x\n", "x\n".encode("utf-16"), "", id="utf-16"),
        pytest.param(b"caf\xe9\n", "th\xe9\n", b"th\xe9\n", "", id="latin-1"),
        pytest.param(
            b"caf\xe9\n", "a → b\n", "a → b\n".encode(), "is UTF-8 now", id="no such letter"
        ),
        pytest.param(b"", "x\n", b"x\n", "", id="empty"),
    ],
)
async def test_the_form_of_a_file_is_kept(
    bench: Workbench, before: bytes, content: str, after: bytes, note: str
) -> None:
    path = bench.show("a.txt", before)

    told = await bench.write("a.txt", content)

    assert path.read_bytes() == after
    assert note in told


async def test_special_files_are_refused(bench: Workbench) -> None:
    os.mkfifo(bench.path("fifo"))
    bench.path("folder").mkdir()
    bench.path("file").write_bytes(b"")

    for name, reason in (("fifo", "FIFO"), ("folder", "directory"), ("file/x", "no directory")):
        with pytest.raises(ToolError, match=reason):
            await bench.write(name, "x")
    with pytest.raises(ToolError, match="/proc"):
        await bench.call("Write", file_path="/proc/self/comm", content="x")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    printed = run_python(
        f"""
import resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import anyio
from pathlib import Path
from tools.editing_kit import Workbench
from gantlet.tool import ToolError

async def main():
    bench = Workbench(Path({str(tmp_path)!r}))
    bench.show("a.txt", b"old")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        await bench.write("a.txt", "x" * 9000)
    except ToolError as error:
        print(error)

anyio.run(main)
"""
    )

    assert (
        printed
        == f"{tmp_path / 'a.txt'} cannot be written: file too large. The file is as it was.\n"
    )
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".home", "a.txt"]
    log = ChangeLog(tmp_path / ".home", "session")
    assert log.path.exists()
    assert log.entries() == (), "a change that was not made is none that could be undone"


async def test_what_cannot_be_undone_is_not_done(tmp_path: Path) -> None:
    (tmp_path / ".home").write_text("no folder", encoding="utf-8")
    bench = Workbench(tmp_path)

    with pytest.raises(ToolError, match="was not changed: what it was before cannot be kept"):
        await bench.write("a.txt", "new")

    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(
    ("present", "text"),
    [
        pytest.param("café\n".encode("latin-1"), "CafÃ©\n", id="latin-1 that looks like utf-8"),
        pytest.param(
            "plain text\n".encode("utf-16-le"), "日本語日本語\n", id="utf-16 without zeros"
        ),
        pytest.param("plain text\n".encode("utf-16-be"), "a", id="utf-16 too short to tell"),
    ],
)
async def test_what_is_written_is_what_is_read_again(
    bench: Workbench, present: bytes, text: str
) -> None:
    path = bench.show("a.txt", present)

    told = await bench.write("a.txt", text)

    again = read_text(path.read_bytes())
    assert again is not None
    assert again.text == text
    assert "is UTF-8 now: with this text it would be taken for another encoding." in told
