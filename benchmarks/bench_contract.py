"""What the contract costs: parsing, asking for traits, and resolving access, beside a bare floor.

Run it with `python benchmarks/bench_contract.py`. Times are medians; a missed bar is printed as
such.
"""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import jsonschema_rs
from pydantic import Field

from gantlet import Access, File, Tool, ToolInput, Traits, tool
from gantlet.messages import FrozenDict, thaw
from gantlet.tool import AnyTool, Parsed, ask_traits, footprint, parse

BAR_MICROSECONDS = 40.0
GIVEN = FrozenDict(path="src/gantlet/tool/contract.py", offset=10, limit=200)


class ReadInput(ToolInput):
    """A small input, such as most calls have."""

    path: str = Field(description="Which file.")
    offset: int = Field(1, ge=1, description="The first line.")
    limit: int = Field(2000, ge=1, le=10_000, description="How many lines.")
    pages: str | None = Field(None, description="Which pages of a document.")


class Read(Tool[ReadInput]):
    """Declares what a reading tool declares."""

    name = "Read"
    description = "Read a file."
    input_type = ReadInput

    def traits(self, args: ReadInput) -> Traits:
        """Read one file."""
        return Traits(read_only=True, access=Access(reads={File(args.path)}), open_world=False)


class Served(Tool[FrozenDict]):
    """The same input, as a server would describe it."""

    name = "mcp__files__read"
    description = "Read a file."
    input_schema = Read().input_format.json_schema


@tool(read_only=True)
def read(path: str, offset: int = 1, limit: int = 2000, pages: str | None = None) -> str:
    """Read a file."""
    return f"{path} {offset} {limit} {pages}"


def measure(ours: Callable[[], object], floor: Callable[[], object]) -> tuple[float, float]:
    """Return the medians of both in microseconds, taken in turns so that noise hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(300):
        for work, kept in zip((ours, floor), times, strict=True):
            started = perf_counter()
            for _ in range(20):
                work()
            kept.append((perf_counter() - started) / 20 * 1_000_000)
    return statistics.median(times[0]), statistics.median(times[1])


def report(
    what: str, ours: Callable[[], object], floor: Callable[[], object], bar: float | None = None
) -> None:
    """Print one line: our time, the floor's, what we add, their ratio, and the bar if any."""
    mine, bare = measure(ours, floor)
    over = mine - bare
    met = "" if bar is None else f"bar {bar:.0f} µs over: {'met' if over <= bar else 'MISSED'}"
    line = (
        f"{what:<28} {mine:6.1f} µs  floor {bare:5.1f} µs  over {over:5.1f} µs {mine / bare:5.1f} x"
    )
    print(f"{line}  {met}".rstrip())


def parse_and_ask(tool: AnyTool) -> Traits:
    """Do what the pipeline does before it asks anybody."""
    parsed = parse(tool, GIVEN)
    assert isinstance(parsed, Parsed)
    return ask_traits(tool, parsed.args)


def main() -> None:
    """Compare each part with the least that could do it."""
    reading, served = Read(), Served()
    ReadInput.model_rebuild()
    validate = ReadInput.__pydantic_validator__.validate_python
    bare = jsonschema_rs.validator_for(thaw(served.input_schema), offline=True)

    report(
        "model: parse and traits",
        lambda: parse_and_ask(reading),
        lambda: validate(GIVEN),
        BAR_MICROSECONDS,
    )
    report(
        "function: parse and traits",
        lambda: parse_and_ask(read),
        lambda: validate(GIVEN),
        BAR_MICROSECONDS,
    )
    report("JSON Schema: parse", lambda: parse(served, GIVEN), lambda: bare.is_valid(GIVEN))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_text("")
        access = Access(writes={File("a.txt")})
        report("access: footprint of a file", lambda: footprint(access, folder), file.stat)


if __name__ == "__main__":
    main()
