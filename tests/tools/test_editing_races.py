"""Links are swapped in a loop against the file tools: nothing outside is ever touched."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
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
#: that a call makes in the place of the one that is away is taken away again, under either name: a
#: call that was judged while the folder had its other one makes that.
SWAPPER = """
import os, shutil, sys
from contextlib import suppress
work, outside = sys.argv[1:]
os.chdir(work)

def move(one, other):
    while True:
        try:
            return os.rename(one, other)
        except OSError:
            shutil.rmtree(other, ignore_errors=True)

has_told = False
while True:
    move("folder", "kept")
    with suppress(FileExistsError):
        os.symlink(outside, "folder")
    os.symlink(f"{outside}/a.txt", "plain/link")
    os.rename("plain/a.txt", "plain/kept")
    os.rename("plain/link", "plain/a.txt")
    while os.path.lexists("folder"):
        shutil.rmtree("folder", ignore_errors=True)
        with suppress(OSError):
            os.unlink("folder")
    move("kept", "folder")
    os.unlink("plain/a.txt")
    os.rename("plain/kept", "plain/a.txt")
    for _ in range(300):
        os.stat("plain/a.txt")
    if not has_told:
        has_told = print("swapping", flush=True) is None
"""


@contextmanager
def swapping(work: Path, outside: Path) -> Iterator[None]:
    """Have links swapped by another process meanwhile, which has begun."""
    command = [sys.executable, "-c", SWAPPER, str(work), str(outside)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        try:
            assert swapper.stdout is not None
            assert swapper.stdout.readline() == b"swapping\n"
            yield
            assert swapper.poll() is None, "the swapper gave up"
        finally:
            swapper.kill()


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


def rounds_until(is_enough: Callable[[], bool], at_least: int) -> Iterator[int]:
    """Yield numbers until enough was seen: who comes when is up to the machine."""
    for number in range(1000 * at_least):
        if number >= at_least and is_enough():
            return
        yield number


async def race(
    tmp_path: Path, rounds: int, *, is_enough: Callable[[Counter[str]], bool] = bool
) -> Counter[str]:
    """Run so many rounds of calls and more against the swapper, and return how they ended."""
    ground = Ground(tmp_path)
    before = ground.outside_now()
    ended: Counter[str] = Counter()
    async with Bodies(RealClock()) as bodies:
        with swapping(ground.work, ground.outside):
            for number in rounds_until(lambda: is_enough(ended), rounds):
                ended.update(await ground.call(bodies, number))
    assert sum(ended.values()) == 6 * (number + 1)
    assert ground.outside_now() == before
    assert not [text for text in ground.shown if "secret" in text]
    return ended


async def test_nothing_outside_is_touched_while_links_are_swapped(tmp_path: Path) -> None:
    well = {"Write Succeeded", "Edit Succeeded", "Read Succeeded"}

    def is_enough(ended: Counter[str]) -> bool:
        """Whether calls went well, and the swapper interfered."""
        return {"Write Succeeded", "Read Succeeded"} <= set(ended) and bool(set(ended) - well)

    ended = await race(tmp_path, 60, is_enough=is_enough)

    assert is_enough(ended)


@pytest.mark.deep
@pytest.mark.timeout(1500)
async def test_nothing_outside_is_touched_in_thousands_of_rounds(tmp_path: Path) -> None:
    await race(tmp_path, 3000)


def test_nothing_outside_is_read_while_links_are_swapped(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    (ground.outside / "a.txt").write_text("secret")
    work = str(ground.work)
    places = [locate(name, work) for name in ("folder/a.txt", "plain/a.txt")]
    read: Counter[str] = Counter()
    both = {"count 0\n", "RefusedFileError"}
    rounds = 20_000 if os.environ.get("GANTLET_TEST_DEPTH") == "deep" else 2_000

    with swapping(ground.work, ground.outside):
        for number in rounds_until(lambda: both <= set(read), rounds):
            try:
                with open_file(places[number % 2]) as opened:
                    read[opened.read(100).decode()] += 1
            except (RefusedFileError, FileNotFoundError) as error:
                read[type(error).__name__] += 1

    assert "secret" not in read
    assert both <= set(read)
