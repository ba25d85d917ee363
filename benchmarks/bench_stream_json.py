"""What the lines of the stream-json protocol cost: 10,000 of them, from event to descriptor.

Events come 16 in one moment of the event loop, as one read of a model's stream brings them.
The floor dumps the same objects with `json` and writes each line with a newline to the same kind of
file. Both are taken by turns in one run; the ratio is that of their medians.
"""

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import anyio
import anyio.lowlevel

from gantlet.messages import BlockDelta, StreamAdvanced, TextDelta
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.outlet import Outlet
from gantlet.surfaces.headless.telling import Telling

LINES = 10_000
ROUNDS = 7
AT_ONCE = 16


async def tell(path: Path) -> float:
    """Tell events."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    outlet = Outlet(descriptor)
    flags = Flags(include_partial_messages=True)
    telling = Telling(flags, outlet.put, "0b1c2d3e-0000-4000-8000-000000000000", None)
    events = [
        StreamAdvanced(BlockDelta(0, TextDelta(f"word {number} "))) for number in range(LINES)
    ]
    began = time.perf_counter()
    for number, event in enumerate(events):
        telling.hear(event)
        if number % AT_ONCE == 0:
            await anyio.lowlevel.checkpoint()
    outlet.close()
    taken = time.perf_counter() - began
    os.close(descriptor)
    return taken


def ours(path: Path) -> float:
    """Tell events in an event loop."""
    return anyio.run(tell, path)


def floor(objects: list[object], path: Path) -> float:
    """Dump and write the same objects."""
    with path.open("w") as file:
        began = time.perf_counter()
        for one in objects:
            file.write(json.dumps(one))
            file.write("\n")
        file.flush()
        return time.perf_counter() - began


def main() -> None:
    """Print the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines"
        ours(path)
        objects: list[object] = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(objects) == LINES
        taken = [(ours(path), floor(objects, path)) for _ in range(ROUNDS)]
    mine, least = (statistics.median(column) for column in zip(*taken, strict=True))
    print(
        f"{LINES:,} stream-json lines: {mine * 1e6 / LINES:.1f} us a line,"
        f" {mine / least:.2f} x dumping and writing the same objects (bar 2)"
    )


if __name__ == "__main__":
    main()
