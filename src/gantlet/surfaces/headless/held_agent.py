"""The agent of a run: made when it is first needed, held open, stopped, and let go."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
from anyio.abc import TaskGroup, TaskStatus

from gantlet.assembly.agent import Agent
from gantlet.messages import Event
from gantlet.permissions import Asker
from gantlet.session import Shelf, sessions_folder
from gantlet.surfaces.headless.asking import ControlAsker
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.opening import open_agent
from gantlet.surfaces.headless.prompts import Prompt
from gantlet.surfaces.headless.session_choice import kept_days
from gantlet.system import run_in_thread
from gantlet.tool.background import BackgroundTask

#: How long tasks in the background may still run when everything else is done.
LINGER_SECONDS = 5.0
_log = logging.getLogger(__name__)


class HeldAgent:
    """The agent of a run, and the turn it is in.

    Attributes:
        group: Where its tasks belong; set before anything is asked of it.
        is_to_stop: Whether the turn that is about to begin is to be stopped.
        lingers: Whether tasks in the background are waited for at the end, for a while.
    """

    group: TaskGroup

    def __init__(self, desk: Desk) -> None:
        self.agent: Agent | None = None
        self.is_to_stop = False
        self.lingers = True
        self._desk = desk
        self._opening = anyio.Lock()
        self._hold: _Hold | None = None
        self._is_running = self._is_cleared = False

    async def opened(self) -> Agent:
        """Return the agent; it is made when it is first needed."""
        async with self._opening:
            if self.agent is None:
                self.agent = await self._open()
        return self.agent

    @contextmanager
    def running(self) -> Iterator[None]:
        """Note that a turn runs."""
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False

    def send(self, prompt: Prompt) -> bool:
        """Hand words to the turn that runs; return whether that could be done."""
        if self.agent is None or not self._is_running:
            return False
        try:
            self.agent.send(prompt.blocks, prompt.priority)
        except RuntimeError:  # it has just ended
            return False
        return True

    def interrupt(self) -> None:
        """Stop the turn that runs, or the one that is about to."""
        self.is_to_stop = True
        if self.agent is not None:
            self.agent.interrupt()

    @property
    def has_urgent_news(self) -> bool:
        """Whether a task in the background has news that are worth a turn."""
        return self.agent is not None and self.agent.tasks.has_urgent_news

    def take_news(self) -> list[str]:
        """Return the news of tasks in the background, and forget them."""
        return [] if self.agent is None else self.agent.tasks.take_news()

    async def wait_for_urgent_news(self, tell: Callable[[], None]) -> None:
        """Tell when a task in the background has news; without an agent there are none."""
        if self.agent is not None:
            await self.agent.tasks.wait_for_urgent_news()
            tell()

    async def begin_again(self) -> str:
        """Forget the conversation and begin another session; return the id of the old one."""
        before = self._desk.session_id
        if self.agent is not None:
            self.agent.exit_reason = "clear"
        await self.close()
        self.agent, self._is_cleared = None, True
        self._desk.begin_another_session()
        return before

    async def close(self) -> None:
        """Let go of the agent and of its session."""
        if self.agent is not None and self.lingers:
            with anyio.move_on_after(LINGER_SECONDS):
                for task in self.agent.tasks.running():
                    await task.wait()
        hold, self._hold = self._hold, None
        if hold is not None:
            await hold.let_go()
        if self._desk.session is not None:
            self._desk.session.close()

    async def _open(self) -> Agent:
        """Make the agent, and have it held open by a task of its own."""
        desk = self._desk
        mcp_tools = await desk.servers.connect()
        agent = await open_agent(desk, self._hear, self._asker(), mcp_tools)
        agent.tasks.listeners.append(self._take_task)
        if self._is_cleared:
            agent.hooks.source = "clear"
        elif desk.flags.fork_session:
            agent.hooks.source = "fork"
        self._hold = hold = _Hold(agent)
        await self.group.start(hold.keep)
        desk.sink.remark(str(problem) for problem in agent.problems)
        if not desk.sink.is_stream:
            desk.sink.remark(desk.servers.complaints())
        if desk.session is not None:
            self.group.start_soon(self._let_old_sessions_go, agent)
        return agent

    def _hear(self, event: Event) -> None:
        """Tell an event, and log it where that is wanted."""
        _log.debug("%r", event)
        self._desk.telling.hear(event)

    def _asker(self) -> Asker | None:
        """Return the way to whoever may be asked about calls."""
        desk = self._desk
        name = desk.flags.permission_prompt_tool
        if not name:
            return None
        if name == "stdio":
            return ControlAsker(desk.control, self.interrupt, self._requires_action)
        return desk.servers.asker(name, self.interrupt)

    def _requires_action(self, is_waiting: bool) -> None:
        """Tell that somebody must decide about a call, or has."""
        self._desk.tell_state("requires_action" if is_waiting else "running")

    def _take_task(self, task: BackgroundTask) -> None:
        """Follow something that goes to the background."""
        self.group.start_soon(self._follow, task)

    async def _follow(self, task: BackgroundTask) -> None:
        """Tell when something begins and ends in the background."""
        desk = self._desk
        desk.sink.frame(desk.telling.frames.task_started(task))
        await task.wait()
        desk.sink.frame(desk.telling.frames.task_ended(task))

    async def _let_old_sessions_go(self, agent: Agent) -> None:
        """Delete sessions that nobody has touched for longer than they are kept."""
        days = kept_days(agent.configuration.settings)
        shelf = Shelf((sessions_folder(self._desk.environment),))
        await run_in_thread(lambda: shelf.purge_if_due(days, time.time()))


class _Hold:
    """Keeps an agent open, in one task, until it is told to let go."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._is_released = anyio.Event()
        self._is_gone = anyio.Event()

    async def keep(self, *, task_status: TaskStatus[None]) -> None:
        """Hold the agent."""
        try:
            async with self._agent:
                task_status.started()
                await self._is_released.wait()
        finally:
            self._is_gone.set()

    async def let_go(self) -> None:
        """Have the agent closed, and wait for that."""
        self._is_released.set()
        await self._is_gone.wait()
