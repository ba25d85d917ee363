"""What tests of the shell tools share: a session in a folder, and calls through the executor."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import anyio

from builders import args_of
from execution_kit import AllowEverything
from gantlet.agents.background import TaskBoard
from gantlet.assembly import Toolbox, open_toolbox
from gantlet.assembly.files import SessionFiles
from gantlet.assembly.shell import open_shell
from gantlet.execution import Answer, Bodies, Executor, Services, Spill
from gantlet.hooks import NoHooks
from gantlet.messages import Event, JsonValue, ToolUse
from gantlet.permissions import Permission
from gantlet.pool import DEFAULT_FLAGS
from gantlet.session import ChangeLog, KnownFiles
from gantlet.system import Environment
from gantlet.tool import AgentIdentity, AnyTool, Ports, Surroundings, ToolContext
from gantlet.tools.shell import ShellSession
from patience import PATIENCE_SECONDS

_numbers = count(1)


@dataclass
class Bench:
    """A session with shell tools in a folder of its own."""

    folder: Path
    home: Path
    shell: ShellSession
    board: TaskBoard
    toolbox: Toolbox
    bodies: Bodies
    surroundings: Surroundings
    files: SessionFiles
    permission: Permission = field(default_factory=AllowEverything)
    agent: AgentIdentity = field(default_factory=AgentIdentity)
    events: list[Event] = field(default_factory=list)
    closing: list[Callable[[], Awaitable[None]]] = field(default_factory=list)

    def tool(self, name: str) -> AnyTool:
        """Return a tool that must be there."""
        found = self.toolbox.pool.find(name)
        assert found is not None
        return found

    def asked(self, name: str, /, **given: JsonValue) -> tuple[Any, ToolContext]:
        """Return the args and the context of a call, for asking its tool."""
        args = args_of(self.tool(name), **given)
        return args, ToolContext(call_of(name, **given), self.surroundings)

    def executor(self) -> Executor:
        """Return the executor for one reply."""
        services = Services(
            pool=self.toolbox.pool,
            permission=self.permission,
            hooks=NoHooks(),
            spill=Spill(self.home / "tool-results"),
            emit=self.events.append,
            agent=self.agent,
        )
        return Executor(services, self.bodies, self.surroundings)

    async def answers(self, *calls: ToolUse) -> list[Answer]:
        """Run calls of one reply, and go on where they leave the session."""
        executor = self.executor()
        async with executor:
            for call in calls:
                executor.submit(call)
            answers = await executor.drain()
        self.surroundings = executor.surroundings
        return answers

    async def call(self, tool_name: str, /, **given: JsonValue) -> Answer:
        """Run one call."""
        with anyio.fail_after(PATIENCE_SECONDS):
            [answer] = await self.answers(call_of(tool_name, **given))
        return answer

    async def bash(self, command: str, **given: JsonValue) -> Answer:
        """Run one command."""
        return await self.call("Bash", command=command, **given)


def call_of(tool_name: str, /, **given: JsonValue) -> ToolUse:
    """Return a call with an id of its own."""
    return ToolUse(f"toolu_shell_{next(_numbers)}", tool_name, given)


def said(answer: Answer) -> str:
    """Return what the model reads of an answer that is text."""
    content = answer.block.content
    assert isinstance(content, str)
    return content


def facts(answer: Answer) -> Mapping[str, Any]:
    """Return the result for programs."""
    assert isinstance(answer.structured, Mapping)
    return answer.structured


@asynccontextmanager
async def bench(
    folder: Path, settings: Mapping[str, object] | None = None, **variables: str
) -> AsyncIterator[Bench]:
    """Open a session with shell tools, and end everything it started."""
    project, home, user = folder / "project", folder / "home", folder / "user"
    for one in (project, user):
        one.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    own = {"HOME": str(user), "GANTLET_HOME": str(home)}
    environment = Environment(variables={**kept, **own, **variables}, flags=DEFAULT_FLAGS)
    opened = open_shell(str(project), environment, settings)
    shell, board = opened.session, opened.board
    files = SessionFiles(ChangeLog(home, "session"), KnownFiles())
    ports = Ports({**files.ports, **opened.ports})
    toolbox = open_toolbox(environment=environment, ports=ports)
    async with Bodies() as bodies:
        try:
            where = Surroundings(str(project))
            here = Bench(project, home, shell, board, toolbox, bodies, where, files)
            yield here
        finally:
            shell.close()
            for close in reversed(here.closing):
                await close()


def living(pids: list[int]) -> list[int]:
    """Return which processes still run; one that only waits to be looked at does not."""
    return [pid for pid in pids if _state(pid) not in ("", "Z", "X")]


def _state(pid: int) -> str:
    """Return the letter for how a process stands, or nothing if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[0]


async def until(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for something that other processes do and nobody here is told of."""
    with anyio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - there is no event for it
            await anyio.sleep(0.01)


async def gone(pids: list[int]) -> None:
    """Wait until none of some processes runs."""
    await until(lambda: not living(pids))


def lines_of(path: Path) -> list[str]:
    """Return the whole lines that a file holds; none where there is no file yet."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return []
    return text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]


async def numbers_in(path: Path, count: int = 1) -> list[int]:
    """Wait until a file holds so many lines, and return them as numbers."""
    await until(lambda: len(lines_of(path)) >= count)
    return [int(line) for line in lines_of(path)]
