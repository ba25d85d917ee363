"""What an Edit of a 5 MB file costs, beside a bare read, replace, write and fsync.

The call goes the whole way: executor, pipeline, permission by rules, before-image, atomic replace.
Both are timed in turns in the same run, in the folder given as the first argument (the working
directory by default), and compared by the median of their real time; fsync is most of both. There
is a pause before each edit, as a model takes one: a file that was changed in the same moment is
read twice.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from gantlet.assembly import open_toolbox
from gantlet.assembly.files import SessionFiles
from gantlet.execution import Bodies, Executor, Services, Spill, Succeeded
from gantlet.hooks import NoHooks
from gantlet.messages import Event, ToolUse
from gantlet.permissions import ContextHolder, Engine, PermissionContext, Workspace
from gantlet.system import RealClock, Scout, digest_of
from gantlet.tool import Mode, Ports, Seen, Surroundings

BYTES = 5 * 1024 * 1024
ROUNDS = 15
BAR = 3.0
PAUSE_SECONDS = 0.2
LINE = "    value = compute(argument_number_one, argument_number_two)  # line {:>7}\n"


def nobody(event: Event) -> None:
    """Hear nothing."""


def content() -> bytes:
    """Return a source file of 5 MB."""
    count = BYTES // len(LINE.format(0))
    return "".join(LINE.format(number) for number in range(count)).encode()


def bare_edit(path: Path, old: str, new: str) -> None:
    """Do the least: read, replace, write, and see it onto the disk."""
    text = path.read_text(encoding="utf-8")
    with path.open("w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))
        file.flush()
        os.fsync(file.fileno())


class Ours:
    """The same edit through everything a call passes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = SessionFiles.below(folder / "home")
        toolbox = open_toolbox(ports=Ports(self.files.ports))
        context = PermissionContext(Workspace.at(str(folder)), Mode.ACCEPT_EDITS)
        engine = Engine(ContextHolder(context), eyes=Scout())
        self.services = Services(toolbox.pool, engine, NoHooks(), Spill(folder / "results"), nobody)

    def show(self, path: Path) -> None:
        """Let the conversation know a file, as Read does."""
        now = path.read_bytes()
        self.files.knowledge.note(str(path), Seen(digest_of(now), content=now))

    async def edit(self, bodies: Bodies, path: Path, old: str, new: str) -> float:
        """Edit, and return how many seconds it took."""
        given = {"file_path": str(path), "old_string": old, "new_string": new}
        began = time.perf_counter()
        async with Executor(self.services, bodies, Surroundings(str(self.folder))) as executor:
            executor.submit(ToolUse(f"toolu_{new}", "Edit", given))
            [answer] = await executor.drain()
        taken = time.perf_counter() - began
        assert isinstance(answer.outcome, Succeeded), answer.outcome
        return taken


async def main(folder: Path) -> None:
    """Measure and print."""
    ours, path, floor_path = Ours(folder), folder / "ours.py", folder / "floor.py"
    path.write_bytes(content())
    floor_path.write_bytes(content())
    ours.show(path)
    mine: list[float] = []
    bare: list[float] = []
    async with Bodies(RealClock()) as bodies:
        for number in range(ROUNDS + 2):
            old, new = f"line {number + 30_000:>7}", f"LINE {number + 30_000:>7}"
            await anyio.sleep(PAUSE_SECONDS)
            mine.append(await ours.edit(bodies, path, old, new))
            began = time.perf_counter()
            bare_edit(floor_path, old, new)
            bare.append(time.perf_counter() - began)
    assert path.read_bytes() == floor_path.read_bytes()
    median, least = (statistics.median(times[2:]) * 1e3 for times in (mine, bare))
    ratio = median / least
    met = "met" if ratio <= BAR else "MISSED"
    print(f"Edit of a 5 MB file  {median:6.1f} ms  bare {least:6.1f} ms  {ratio:4.1f} x", end="")
    print(f"  bar {BAR:.0f} x: {met}")


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else ".").absolute()
    with tempfile.TemporaryDirectory(dir=where, prefix="bench-") as made:
        anyio.run(main, Path(made))
