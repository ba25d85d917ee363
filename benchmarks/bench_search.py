"""What searching and reading cost: Grep and Glob beside ripgrep itself, Read of a huge file.

Run it with `python benchmarks/bench_search.py`. A tree of about 200 MB is made in a temporary
folder. Each round runs ours and ripgrep with the same arguments, one after the other, in turns; the
floor collects ripgrep's output with `subprocess`. Ratios are of the
median of the faster half of each; a missed bar is printed as such.
"""

import os
import random
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio

from gantlet.messages import ToolUse
from gantlet.tool import AnyTool, Parsed, Surroundings, ToolContext, parse
from gantlet.tools.search import Glob, Grep
from gantlet.tools.search.programs import Program, packaged_ripgrep
from gantlet.tools.search.query import Mode, Query, left_out, ripgrep_options
from gantlet.tools.search.searching import Searcher

ROUNDS = 25
BAR = 1.15
FILES, FOLDERS = 20_000, 200
RIPGREP = Program(next(path for path in packaged_ripgrep() if Path(path).exists()))
ENDINGS = ("py", "ts", "md", "txt", "json")
NEEDLE = "def needle_in_haystack(): pass"


def make_tree(root: Path) -> int:
    """Write about 200 MB of words into many files; return how many bytes."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(5_000)]
    lines = [" ".join(chance.choices(words, k=9)) for _ in range(20_000)]
    size = 0
    for folder in range(FOLDERS):
        place = root / f"d{folder % 20:02}" / f"s{folder:03}"
        place.mkdir(parents=True)
        for number in range(FILES // FOLDERS):
            text = chance.choices(lines, k=160)
            if chance.random() < 0.01:
                text[50] = NEEDLE
            size += (place / f"f{number:03}.{ENDINGS[number % 5]}").write_text("\n".join(text))
    return size


def caller(tool: AnyTool, root: Path, given: dict[str, object]) -> Callable[[], Awaitable[object]]:
    """Return what runs one call of a tool."""
    parsed = parse(tool, given)
    assert isinstance(parsed, Parsed)
    context = ToolContext(ToolUse("toolu_1", tool.name, {}), Surroundings(str(root)))
    return lambda: tool.run(parsed.args, context)


def ripgrep(query: Query, root: Path) -> Callable[[], object]:
    """Return what runs ripgrep with the same arguments, and keeps what it says.

    It gets a session of its own like our children, because kernels share processors by sessions.
    """
    command = [RIPGREP.path, *ripgrep_options(query)]
    return lambda: subprocess.run(
        command, cwd=root, capture_output=True, check=False, start_new_session=True
    )


async def compare(
    name: str, ours: Callable[[], Awaitable[object]], floor_run: Callable[[], object]
) -> bool:
    """Run ours and the floor in turns; print both medians and their ratio; return if it is met."""
    mine: list[float] = []
    floor: list[float] = []
    for _ in range(ROUNDS + 2):
        began = perf_counter()
        await ours()
        between = perf_counter()
        floor_run()
        ended = perf_counter()
        mine.append(between - began)
        floor.append(ended - between)
    ratios = _typical(mine), _typical(floor)
    ratio = ratios[0] / ratios[1]
    verdict = "" if ratio <= BAR else f"   MISSED: the bar is {BAR}"
    print(
        f"{name:44} {ratios[0] * 1e3:8.1f} ms   ripgrep {ratios[1] * 1e3:8.1f} ms"
        f"   ratio {ratio:.2f}{verdict}"
    )
    return ratio <= BAR


def _typical(times: list[float]) -> float:
    """Return the median of the faster half: the others met the machine's other work."""
    faster = sorted(times[2:])[: len(times) // 2]
    return statistics.median(faster)


async def bench_search(root: Path) -> bool:
    """Compare what is asked for most."""
    searcher = Searcher(dict(os.environ), RIPGREP)
    grep, glob = Grep(searcher), Glob(searcher)
    out = left_out([])
    rare, wide = "needle_in_haystack", "ab"
    cases: tuple[tuple[str, AnyTool, dict[str, object], Query], ...] = (
        ("Grep, files, 170 of 20,000", grep, {"pattern": rare}, Query(Mode.FILES, rare, globs=out)),
        (
            "Grep, content, 170 lines",
            grep,
            {"pattern": rare, "output_mode": "content"},
            Query(Mode.CONTENT, rare, globs=out),
        ),
        (
            "Grep, content with lines around, one type",
            grep,
            {"pattern": rare, "output_mode": "content", "-C": 3, "type": "py"},
            Query(Mode.CONTENT, rare, globs=out, file_type="py", before=3, after=3),
        ),
        (
            "Grep, content, a page of very many lines",
            grep,
            {"pattern": wide, "output_mode": "content"},
            Query(Mode.CONTENT, wide, globs=out),
        ),
        (
            "Grep, count, everywhere",
            grep,
            {"pattern": wide, "output_mode": "count"},
            Query(Mode.COUNT, wide, globs=out),
        ),
        (
            "Glob, 4,000 of 20,000 files",
            glob,
            {"pattern": "**/*.py"},
            Query(Mode.LIST, globs=("**/*.py", *out), honours_ignores=False, newest_first=True),
        ),
        (
            "Glob, all files",
            glob,
            {"pattern": "**"},
            Query(Mode.LIST, globs=("**", *out), honours_ignores=False, newest_first=True),
        ),
    )
    met = [
        await compare(name, caller(tool, root, given), ripgrep(query, root))
        for name, tool, given, query in cases
    ]
    return all(met)


def memory_of(root: Path, lines: int) -> tuple[float, float]:
    """Return the peak memory in MB, and the seconds, of a fresh process that reads some lines."""
    code = f"""
import sys, time
sys.path[:0] = {sys.path!r}
import anyio
from pathlib import Path
from bench_search import caller
from gantlet.session import KnownFiles
from gantlet.tools.reading import Read
call = caller(Read(KnownFiles(), {{}}), Path({str(root)!r}),
              {{"file_path": "huge.log", "limit": 2000, "offset": {lines}}})
began = time.perf_counter()
anyio.run(call)
seconds = time.perf_counter() - began
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024, seconds)
"""
    folder = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    memory, seconds = done.stdout.split()
    return float(memory), float(seconds)


def bench_read(root: Path) -> None:
    """Read 2,000 lines of a file of 1 GB, at its beginning and at its end."""
    block = b"".join(b"%09d words of a log\n" % n for n in range(40_000))
    with (root / "huge.log").open("wb") as opened:
        while opened.tell() < 1 << 30:
            opened.write(block)
    total = (root / "huge.log").stat().st_size // len(block) * 40_000
    (root / "small").mkdir()
    (root / "small" / "huge.log").write_bytes(block[:100_000])
    floor, _ = memory_of(root / "small", 1)
    for name, offset in (("its beginning", 1), ("its end", total - 2_000)):
        memory, seconds = memory_of(root, offset)
        print(
            f"{'Read, 2,000 lines of 1 GB at ' + name:44} {seconds * 1e3:8.1f} ms   peak"
            f" {memory:.0f} MB, of a file of 100 KB {floor:.0f} MB   ratio {memory / floor:.2f}"
        )


def main() -> int:
    """Print everything; fail if a bar is missed."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        tree = root / "tree"
        size = make_tree(tree)
        print(f"{FILES:,} files of {size / 1e6:.0f} MB; {ROUNDS} rounds in turns")
        is_met = anyio.run(bench_search, tree)
        bench_read(root)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
