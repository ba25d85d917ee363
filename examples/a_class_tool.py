"""Two tools as classes, with progress and access: which calls may run side by side, and which wait.

Run it with `python examples/a_class_tool.py`. No model and no network are needed.
"""

import tempfile
from functools import partial
from pathlib import Path

import anyio
from pydantic import Field

from gantlet import Access, File, Tool, ToolContext, ToolError, ToolInput, Traits
from gantlet.messages import ToolUse
from gantlet.tool import AnyTool, Footprint, Parsed, Surroundings, ask_traits, footprint, parse


class CountInput(ToolInput):
    """Which file to count."""

    path: str = Field(description="File to count, relative to the working directory.")


class CountWords(Tool[CountInput]):
    """Answers "how long is this text?" without reading it into the conversation."""

    name = "CountWords"
    description = "Count the words of a text file. Cheaper than reading it."
    input_type = CountInput

    def traits(self, args: CountInput) -> Traits:
        """Reads one file, and disturbs nobody who reads it too."""
        access = Access(reads={File(args.path)})
        return Traits(read_only=True, access=access, open_world=False)

    async def run(self, args: CountInput, context: ToolContext) -> str:
        """Return the count as a sentence; tell of every line on the way."""
        file = context.resolve(args.path).real
        if not await file.is_file():
            raise ToolError(f"No file at {args.path!r}. List the directory to see its files.")
        lines = (await file.read_text(encoding="utf-8")).splitlines()
        for number in range(1, len(lines) + 1):
            context.progress(f"{number} of {len(lines)} lines")
        return f"{args.path} has {sum(len(line.split()) for line in lines)} words."


class AddInput(CountInput):
    """What to write, and where."""

    line: str = Field(description="The line to add, without its end.")


class AddLine(Tool[AddInput]):
    """Adds to a text without reading it."""

    name = "AddLine"
    description = "Add one line to the end of a text file."
    input_type = AddInput

    def traits(self, args: AddInput) -> Traits:
        """Writes one file; whoever touches it at the same time must wait."""
        return Traits(access=Access(writes={File(args.path)}), open_world=False)

    async def run(self, args: AddInput, context: ToolContext) -> str:
        """Write, and say where."""
        async with await context.resolve(args.path).real.open("a", encoding="utf-8") as file:
            await file.write(f"{args.line}\n")
        return f"Added a line to {args.path}."


COUNT, ADD = CountWords(), AddLine()
CALLS: list[tuple[AnyTool, dict[str, object]]] = [
    (COUNT, {"path": "poem.txt"}),
    (COUNT, {"path": "notes.txt"}),
    (ADD, {"path": "poem.txt", "line": "and nothing collides"}),
    (COUNT, {"path": "poem.txt"}),
    (COUNT, {"path": "nope.txt"}),
]


async def answer(number: int, folder: str) -> None:
    """Run one call, and print its progress and its answer."""
    tool, given = CALLS[number - 1]
    parsed = parse(tool, given)
    assert isinstance(parsed, Parsed)
    call = ToolUse(f"toolu_{number}", tool.name, parsed.args.model_dump())
    report = partial(print, f"  {number}.", "…")
    context = ToolContext(call, Surroundings(folder), report=report)
    try:
        print(f"  {number}.", await tool.run(parsed.args, context))
    except ToolError as error:
        print(f"  {number}. Error:", error)


def compare(folder: str) -> None:
    """Print each call, and for which earlier ones it has to wait."""
    footprints: list[Footprint] = []
    for number, (tool, given) in enumerate(CALLS, 1):
        parsed = parse(tool, given)
        assert isinstance(parsed, Parsed)
        mine = footprint(ask_traits(tool, parsed.args).reach, folder)
        waits_for = [str(i) for i, other in enumerate(footprints, 1) if mine.conflicts(other)]
        footprints.append(mine)
        when = f"after {', '.join(waits_for)}" if waits_for else "at once"
        print(f"  {number}. {tool.summary(parsed.args):<58} {when}")


def write_texts(folder: str) -> None:
    """Write what the calls are about."""
    Path(folder, "poem.txt").write_text("several lines share\none narrow passage\n")
    Path(folder, "notes.txt").write_text("remember the milk\n")


async def main() -> None:
    """Show what the calls declare, then run them: two together, and the others in their order."""
    with tempfile.TemporaryDirectory() as folder:
        write_texts(folder)
        print("Each call says what it touches, and so when it may start:\n")
        compare(folder)

        print("\nThe first two run side by side:\n")
        async with anyio.create_task_group() as group:
            group.start_soon(answer, 1, folder)
            group.start_soon(answer, 2, folder)

        print("\nThen the one that writes, and those that wait for it or came later:\n")
        for number in range(3, len(CALLS) + 1):
            await answer(number, folder)


if __name__ == "__main__":
    anyio.run(main)
