"""Links are swapped in a loop against the file tools: nothing outside is ever touched."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gantlet.execution import Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.messages import ToolUse
from gantlet.permissions import ContextHolder, Engine, PermissionContext, Workspace
from gantlet.pool import assemble
from gantlet.system import RealClock, RefusedFileError, Scout, locate, open_file
from gantlet.tool import AnyTool, Mode, Surroundings
from gantlet.tools.reading import Read
from tools.editing_kit import Workbench

pytestmark = pytest.mark.anyio

#: Swaps a folder, and a file in another one, for links to the outside, until it is ended. A folder
#: that a call makes in the place of the one that is away is taken away again.
SWAPPER = """
import os, shutil, sys
from contextlib import suppress
work, outside = sys.argv[1:]
os.chdir(work)
while True:
    os.rename("folder", "kept")
    with suppress(FileExistsError):
        os.symlink(outside, "folder")
    os.symlink(f"{outside}/a.txt", "plain/link")
    os.rename("plain/a.txt", "plain/kept")
    os.rename("plain/link", "plain/a.txt")
    while os.path.lexists("folder"):
        shutil.rmtree("folder", ignore_errors=True)
        with suppress(OSError):
            os.unlink("folder")
    with suppress(OSError):
        os.rename("kept", "folder")
    while os.path.exists("kept"):
        shutil.rmtree("folder", ignore_errors=True)
        with suppress(OSError):
            os.rename("kept", "folder")
    os.unlink("plain/a.txt")
    os.rename("plain/kept", "plain/a.txt")
    for _ in range(300):
        os.stat("plain/a.txt")
"""


@contextmanager
def swapping(work: Path, outside: Path) -> Iterator[None]:
    """Have links swapped by another process meanwhile."""
    swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, str(work), str(outside)])
    try:
        yield
        assert swapper.poll() is None, "the swapper gave up"
    finally:
        swapper.kill()
        swapper.wait(10)


class Ground:
    """A working folder, and one beside it that nobody may touch."""

    def __init__(self, tmp_path: Path) -> None:
        self.outside = tmp_path / "outside"
        self.work = tmp_path / "work"
        for folder in (self.outside, self.work / "folder", self.work / "plain"):
            folder.mkdir(parents=True)
            (folder / "a.txt").write_text("count 0\n")
        (self.outside / "a.txt").write_text("count secret\n")
        self.bench = Workbench(self.work)
        for name in ("folder/a.txt", "plain/a.txt"):
            self.bench.show(name)
        context = PermissionContext(Workspace.at(str(self.work)), Mode.ACCEPT_EDITS)
        self.shown: set[str] = set()
        reader: AnyTool = Read(self.bench.knowledge, {})
        self.services = Services(
            assemble([*self.bench.tools.values(), reader]),
            Engine(ContextHolder(context), eyes=Scout()),
            NoHooks(),
            Spill(tmp_path / "results"),
            emit=lambda event: None,
        )

    def outside_now(self) -> dict[str, tuple[bytes, int, int]]:
        """Return everything that can be known of the outside."""
        return {
            path.name: (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns)
            for path in self.outside.iterdir()
        }

    async def call(self, bodies: Bodies, number: int) -> list[str]:
        """Let six calls go the whole way: two edits, two new files, two looks."""
        at = Surroundings(str(self.work))
        async with Executor(self.services, bodies, at) as executor:
            for name in ("folder", "plain"):
                path = self.work / name
                executor.submit(
                    ToolUse(f"w{name}{number}", "Write",
                            {"file_path": str(path / f"new{number}"), "content": "x"})
                )  # fmt: skip
                executor.submit(
                    ToolUse(f"r{name}{number}", "Read",
                            {"file_path": str(path / "a.txt"), "limit": number + 1})
                )  # fmt: skip
                executor.submit(
                    ToolUse(f"e{name}{number}", "Edit",
                            {"file_path": str(path / "a.txt"), "old_string": "count ",
                             "new_string": "count 1"})
                )  # fmt: skip
            answers = await executor.drain()
        self.shown.update(str(answer.block.content) for answer in answers)
        return [f"{answer.call.name} {type(answer.outcome).__name__}" for answer in answers]


async def race(tmp_path: Path, rounds: int) -> Counter[str]:
    """Run rounds of calls against the swapper, and return how they ended."""
    ground = Ground(tmp_path)
    before = ground.outside_now()
    ended: Counter[str] = Counter()
    async with Bodies(RealClock()) as bodies:
        with swapping(ground.work, ground.outside):
            for number in range(rounds):
                ended.update(await ground.call(bodies, number))
    assert ground.outside_now() == before
    assert not [text for text in ground.shown if "secret" in text]
    return ended


async def test_nothing_outside_is_touched_while_links_are_swapped(tmp_path: Path) -> None:
    ended = await race(tmp_path, 60)

    assert sum(ended.values()) == 360
    assert ended["Write Succeeded"] > 0
    assert ended["Read Succeeded"] > 0
    well = {"Write Succeeded", "Edit Succeeded", "Read Succeeded"}
    assert set(ended) - well, "the swapper never interfered"


@pytest.mark.deep
@pytest.mark.timeout(1500)
async def test_nothing_outside_is_touched_in_thousands_of_rounds(tmp_path: Path) -> None:
    ended = await race(tmp_path, 3000)

    assert sum(ended.values()) == 18_000


def test_nothing_outside_is_read_while_links_are_swapped(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    (ground.outside / "a.txt").write_text("secret")
    work = str(ground.work)
    places = [locate(name, work) for name in ("folder/a.txt", "plain/a.txt")]
    read: Counter[str] = Counter()

    with swapping(ground.work, ground.outside):
        for number in range(20_000 if os.environ.get("GANTLET_TEST_DEPTH") == "deep" else 2_000):
            try:
                with open_file(places[number % 2]) as opened:
                    read[opened.read(100).decode()] += 1
            except (RefusedFileError, FileNotFoundError) as error:
                read[type(error).__name__] += 1

    assert "secret" not in read
    assert {"count 0\n", "RefusedFileError"} <= set(read)
