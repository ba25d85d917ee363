"""An agent reads, searches and edits at once while the model speaks. `make demo` runs this.

The model plays a script and the tools only wait, so no key, no network and no permission is needed.
Which call waits for which is decided as always: by what each of them says it touches.
"""

import time
from pathlib import Path

import anyio

from gantlet import Access, Agent, File, ScriptedModel, Tree, load_script, tool
from gantlet.messages import CallFinished, CallQueued, CallStarted, TextSpoken

SCRIPT = load_script(Path(__file__).parent / "scripts" / "agent_stream.yaml")
VIEW = tool(name="View", read_only=True, access=lambda args: Access(reads={File(args["path"])}))
SEARCH = tool(name="Search", read_only=True, access=lambda args: Access(reads={Tree(args["path"])}))
MEND = tool(name="Mend", read_only=True, access=lambda args: Access(writes={File(args["path"])}))


def work(path: str, seconds: float) -> str:
    """Pretend to work on a file or a folder."""
    time.sleep(seconds)
    return f"{path} is done."


async def main() -> None:
    """Show words and calls as they come; then draw who was at work when."""
    agent = Agent(ScriptedModel(SCRIPT), tools=[VIEW(work), SEARCH(work), MEND(work)])
    names: dict[str, str] = {}
    marks: dict[str, list[float]] = {"model": []}
    began = time.monotonic()
    print("  time   the model says                 calls")
    async with agent.stream("Make the greeting kinder.") as events:
        async for event in events:
            now = time.monotonic() - began
            match event:
                case TextSpoken(text):
                    marks["model"].append(now)
                    print(f"{now:4.1f} s   {text}")
                case CallQueued(call):
                    names[call.id] = f"{call.name} {call.input['path']}"
                case CallStarted(call_id):
                    marks[names[call_id]] = [now]
                    print(f"{now:4.1f} s   {'':30} ▸ {names[call_id]}")
                case CallFinished(call_id):
                    marks[names[call_id]].append(now)
                    print(f"{now:4.1f} s   {'':30} ✓ {names[call_id]}")
    print()
    for name, at in marks.items():
        cells = {int(moment * 40) + n for moment in at for n in range(4)}
        if name != "model":
            cells = set(range(int(at[0] * 40), int(at[-1] * 40)))
        print(f"{name:>16}  {''.join('█' if n in cells else '·' for n in range(54))}")


if __name__ == "__main__":
    anyio.run(main)
