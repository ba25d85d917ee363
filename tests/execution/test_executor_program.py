"""A whole program with a tool that will never end: the program does."""

import sys

import anyio

PROGRAM = """
import anyio
import gc
import sys
from pathlib import Path
from gantlet.execution import Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.messages import ToolUse
from gantlet.permissions import ReadOnlyPermission
from gantlet.pool import assemble
from gantlet.tool import READS_ONLY, Surroundings, Tool, ToolInput


class Stubborn(Tool[ToolInput]):
    name = "Stubborn"
    description = "Never ends."
    input_type = ToolInput

    def traits(self, args):
        return READS_ONLY

    async def run(self, args, context):
        while True:
            try:
                with anyio.move_on_after(1000):
                    await anyio.sleep_forever()
            except BaseException:
                continue


async def main():
    pool = assemble([Stubborn()])
    spill = Spill(Path("/nowhere"))
    services = Services(pool, ReadOnlyPermission(), NoHooks(), spill, lambda event: None)
    async with Bodies() as bodies, Executor(services, bodies, Surroundings("/")) as executor:
        executor.submit(ToolUse("a", "Stubborn", {}))
        await anyio.lowlevel.checkpoint()
        executor.abort()
        for answer in await executor.drain():
            print(answer.record.outcome)


anyio.run(main)
for name, module in list(sys.modules.items()):
    if name.startswith("gantlet"):
        vars(module).clear()  # what the end of a program does, but in no certain order
gc.collect()
"""


async def test_a_program_ends_past_a_tool_that_swallows_everything() -> None:
    with anyio.fail_after(60):
        ended = await anyio.run_process([sys.executable, "-c", PROGRAM], check=False)

    assert (ended.stdout, ended.stderr, ended.returncode) == (b"unknown\n", b"", 0)
