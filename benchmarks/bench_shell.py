"""What it costs to run a command: `true` under our supervisor, against the least there is.

The floor is `anyio.run_process` of the same bash with the same pipes. Both run the same number of
times in turn, in one process, after a few that are not counted; the middle one counts. Ours is
measured at three doors: the supervisor alone, the whole Bash tool without sandbox and without the
search for changed files, and the tool with that search in an empty project. The start of a command
in the sandbox is reported where there is one.
"""

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from gantlet.assembly.configuration import open_configuration
from gantlet.assembly.shell import SessionShell, open_session_shell, open_shell
from gantlet.assembly.toolbox import open_toolbox
from gantlet.config import SettingsRequest
from gantlet.messages import Event, ToolUse
from gantlet.system import Environment
from gantlet.system.supervisor import Launch
from gantlet.tool import Parsed, Ports, Surroundings, ToolContext, parse

ROUNDS = 100
WARM_UP = 5
BASH = shutil.which("bash") or "/bin/bash"
WORDS = (BASH, "--noprofile", "--norc", "-c", "true")


async def floor() -> None:
    """Run the same bash with the least that Python can do."""
    await anyio.run_process(WORDS, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)


def by_supervisor(shell: SessionShell) -> Callable[[], Awaitable[object]]:
    """Return a run of bash by the supervisor alone."""
    launch = Launch(WORDS, "/", dict(os.environ))

    async def run() -> object:
        return await shell.session.supervisor.start(launch, lambda data: None).wait()

    return run


def by_tool(
    shell: SessionShell, folder: Path, command: str = "true"
) -> Callable[[], Awaitable[object]]:
    """Return a run of a command by the whole tool."""
    tool = open_toolbox(ports=Ports(shell.ports)).pool.find("Bash")
    assert tool is not None
    parsed = parse(tool, {"command": command})
    assert isinstance(parsed, Parsed)
    context = ToolContext(ToolUse("toolu_bench", "Bash", {}), Surroundings(str(folder)))

    async def run() -> object:
        return await tool.run(parsed.args, context)

    return run


async def middle_of(runs: dict[str, Callable[[], Awaitable[object]]]) -> dict[str, float]:
    """Return how many milliseconds each takes, run in turn."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(ROUNDS + WARM_UP):
        for name, run in runs.items():
            began = time.perf_counter()
            await run()
            if number >= WARM_UP:
                taken[name].append((time.perf_counter() - began) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def project_below(name: str) -> Path:
    """Make a project in a folder, and return the folder by its real path."""
    folder = Path(name).resolve()
    (folder / "project").mkdir()
    return folder


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = project_below(name)
        project = folder / "project"
        environment = Environment(
            variables={**os.environ, "GANTLET_HOME": str(folder / "home"), "HOME": str(folder)}
        )
        plain = open_shell(str(project), environment, {"shell.trackChanges": False})
        tracked = open_shell(str(project), environment)
        request = SettingsRequest(project, environment, {"sandbox": {"enabled": True}})
        configuration = open_configuration(request)
        holder = configuration.open_engine(None, lambda event: None, None).holder
        walled = open_session_shell(str(project), configuration, holder)
        told: list[Event] = []
        await walled.enter(told.append)
        runs: dict[str, Callable[[], Awaitable[object]]] = {
            "floor": floor,
            "supervisor": by_supervisor(plain),
            "Bash": by_tool(plain, project),
            "Bash, changes looked for": by_tool(tracked, project, "true; : > x"),
        }
        if not told:  # nothing is wrong with the sandbox
            runs["Bash in the sandbox"] = by_tool(walled, project)
        times = await middle_of(runs)
        for shell in (plain, tracked, walled):
            await shell.close()
    print(f"{'what':<26} {'ms':>8} {'x floor':>8}")
    for what, milliseconds in times.items():
        print(f"{what:<26} {milliseconds:>8.2f} {milliseconds / times['floor']:>8.2f}")
    print(f"bar: Bash at most 2 x floor; middle of {ROUNDS} rounds, each run in turn")


if __name__ == "__main__":
    anyio.run(main)
