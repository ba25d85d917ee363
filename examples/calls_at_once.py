"""One reply asks for eight calls: which of them run side by side, which wait, and for whom.

Run it with `python examples/calls_at_once.py`. No model and no network are needed; the files are in
a folder that is gone afterwards. Somebody has to say that calls may run: here it is a small class
that allows everything and says so in its proof. A real program asks rules and a person.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import anyio

from gantlet import Access, File, Pool, ToolContext, ToolError, assemble, tool
from gantlet.execution import Answer, Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.messages import Behaviour, CallStarted, Event, ToolUse
from gantlet.permissions import Decision, Request
from gantlet.tool import Covered, Proof, Surroundings

COLUMNS_PER_SECOND = 60


class AllowsEverything:
    """Says yes to each call. Right for an example in a folder of its own, and nowhere else."""

    async def decide(self, request: Request) -> Decision:
        """Allow the call, and show on what grounds."""
        proof = Proof((Covered(request.call.name, "this example trusts its own script"),))
        return Decision(Behaviour.ALLOW, "It is only an example.", "example", proof=proof)


@tool(read_only=True, access=lambda args: Access(reads={File(args["path"])}))
async def read(path: str, context: ToolContext) -> str:
    """Read a file, slowly."""
    await anyio.sleep(0.15)
    file = context.resolve(path).real
    if not await file.is_file():
        raise ToolError(f"No file at {path!r}. List the directory to see its files.")
    return await file.read_text(encoding="utf-8")


@tool(access=lambda args: Access(writes={File(args["path"])}))
async def edit(path: str, text: str, context: ToolContext) -> str:
    """Write a file, even more slowly."""
    await anyio.sleep(0.2)
    await context.resolve(path).real.write_text(text, encoding="utf-8")
    return f"{path} has {len(text)} characters now."


@tool
async def check(context: ToolContext) -> str:
    """Look at everything there is; it says nothing of what it touches, so it runs alone."""
    await anyio.sleep(0.1)
    names = sorted([file.name async for file in context.resolve(".").real.iterdir()])
    return f"All is well with {', '.join(names)}."


REPLY = (
    ToolUse("1", "read", {"path": "a.py"}),
    ToolUse("2", "read", {"path": "b.py"}),
    ToolUse("3", "edit", {"path": "a.py", "text": "a = 10"}),
    ToolUse("4", "edit", {"path": "c.py", "text": "c = 3"}),
    ToolUse("5", "read", {"path": "nope.py"}),
    ToolUse("6", "check", {}),
    ToolUse("7", "read", {"path": "a.py"}),
    ToolUse("8", "edit", {"path": "b.py", "text": "b = 20"}),
)


async def main() -> None:
    """Run the reply, then show who ran when."""
    started: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, CallStarted):
            started.append(event.call_id)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.py").write_text("a = 1", encoding="utf-8")
        (folder / "b.py").write_text("b = 2", encoding="utf-8")
        answers = await answered(assemble([read, edit, check]), folder, listen)
    print_timeline(answers)
    print(
        f"\nThey started in the order {' '.join(started)}. The results, as they were asked for:\n"
    )
    for answer in answers:
        mark = "failed" if answer.block.is_error else "ok"
        print(f"  {answer.call.id}  {mark:6}  {answer.block.content}")


async def answered(pool: Pool, folder: Path, listen: Callable[[Event], None]) -> list[Answer]:
    """Hand the calls over one by one, as a model speaks, and return what they were answered."""
    services = Services(pool, AllowsEverything(), NoHooks(), Spill(folder / "spilled"), listen)
    where = Surroundings(cwd=str(folder))
    async with Bodies() as bodies, Executor(services, bodies, where) as executor:
        for call in REPLY:
            executor.submit(call)
            await anyio.sleep(0.02)  # the model is still writing the next one
        return await executor.drain()


def print_timeline(answers: list[Answer]) -> None:
    """Draw each call as it waited (.) and ran (#)."""
    begin = answers[0].record.queued_at
    end = max(answer.record.ended_at or begin for answer in answers)
    print(f"Eight calls, {end - begin:.1f} seconds.   . waits   # runs\n")
    for answer in answers:
        record = answer.record
        ran = record.started_at or record.queued_at
        moments = (record.queued_at, ran, record.ended_at or ran)
        queued, start, stop = (round((at - begin) * COLUMNS_PER_SECOND) for at in moments)
        line = " " * queued + "." * (start - queued) + "#" * (stop - start)
        waited = f"  waited for {', '.join(sorted(record.waited_for))}" if record.waited_for else ""
        print(f"  {label(answer.call):15}|{line}{waited}")


def label(call: ToolUse) -> str:
    """Return a call in a few characters."""
    return f"{call.id} {call.name} {call.input.get('path', '')}"


if __name__ == "__main__":
    anyio.run(main)
