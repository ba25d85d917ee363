"""The program without a screen, at work: prompts in, one turn after the other, results out."""

import logging
import signal
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import TaskGroup, TaskStatus

from gantlet.assembly.agent import Agent
from gantlet.assembly.run_result import RunResult
from gantlet.messages import (
    Event,
    JsonValue,
    Notice,
    NoticeLevel,
    Text,
    TurnEnd,
    TurnFinished,
    Usage,
)
from gantlet.messages.value import replace
from gantlet.permissions import Asker
from gantlet.session import Session, Shelf, sessions_folder
from gantlet.surfaces.headless.asking import ControlAsker
from gantlet.surfaces.headless.callbacks import ControlCallbacks
from gantlet.surfaces.headless.control import Control
from gantlet.surfaces.headless.flags import NOTHING_TO_DO, FlagError, Flags
from gantlet.surfaces.headless.frames import Frame, Summary, assistant_error, is_failure
from gantlet.surfaces.headless.inlet import read_lines, read_message
from gantlet.surfaces.headless.opening import kept_days, open_agent, open_session
from gantlet.surfaces.headless.prompts import GO_ON, Prompt, read_prompt
from gantlet.surfaces.headless.reports import Sink
from gantlet.surfaces.headless.requests import Requests
from gantlet.surfaces.headless.servers import Servers
from gantlet.surfaces.headless.slash import Commands
from gantlet.surfaces.headless.structured import (
    INSTRUCTION,
    MAX_RETRIES,
    REMINDER,
    StructuredOutput,
    open_structured,
)
from gantlet.surfaces.headless.telling import Telling
from gantlet.system import Environment, new_id, run_in_thread
from gantlet.tool import UserError
from gantlet.tool.background import BackgroundTask

#: How long tasks in the background may still run when everything else is done.
LINGER_SECONDS = 5.0
_log = logging.getLogger(__name__)
_RETRIES = "MAX_STRUCTURED_OUTPUT_RETRIES"
_READS_STATE = "CLAUDE_CODE_SDK_READS_SESSION_STATE"


class Host:
    """One run of the program: a session, an agent, and whoever drives them."""

    def __init__(self, flags: Flags, cwd: Path, environment: Environment, sink: Sink) -> None:
        self.flags = flags
        self.cwd = str(cwd)
        self.environment = environment
        self.sink = sink
        self.control = Control(sink.raw)
        self.servers = Servers(flags, self.control)
        self.told: Mapping[str, JsonValue] = {}
        self.agent: Agent | None = None
        self.exit_code = 0
        self.spent_usd = 0.0
        self.waiting: deque[Prompt] = deque()
        self._schema = _schema_tool(flags)
        self._opening = anyio.Lock()
        self._keeper: _Keeper | None = None
        self._group: TaskGroup
        self._more = anyio.Event()
        self._has_ended = False
        self._is_running = self._has_worked = self._is_to_stop = False
        self._is_cleared = False
        self._heard: set[str] = set()
        self._signal = 0
        self.session: Session | None = None
        self.session_id = ""
        self.telling: Telling
        self._begin_session(open_session(flags, self.cwd, environment))
        self.commands = Commands(self)
        self._requests = Requests(self, self.commands)

    async def run(self, prompt: str | None) -> int:
        """Do what is asked for, until there is nothing more; return the exit code."""
        if prompt is not None:
            self.waiting.append(self._first(prompt))
            self._has_ended = True
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._heed_signals)
            if prompt is None:
                read_lines(0, lambda line: self._take_line(line, group))
            self._tell_mended()
            try:
                await self._work()
            finally:
                self.control.close()
                with anyio.CancelScope(shield=True):
                    await self._close()
            group.cancel_scope.cancel()
        return 128 + self._signal if self._signal else self.exit_code

    def _first(self, text: str) -> Prompt:
        """Return the only prompt; it may be empty where a call waits to be asked again.

        Raises:
            FlagError: There is nothing to do.
        """
        if text:
            return Prompt((Text(text),), content=text)
        if self.session is None or self.session.deferred is None:
            if self.session is not None:
                self.session.close()
            raise FlagError(f"{NOTHING_TO_DO} No call waits in this session.")
        return Prompt(())

    def interrupt(self) -> None:
        """Stop the turn that runs, or the one that is about to."""
        self._is_to_stop = True
        if self.agent is not None:
            self.agent.interrupt()

    def _tell_mended(self) -> None:
        """Tell what had to be mended in the session that is resumed."""
        for note in dict.fromkeys(self.session.notes) if self.session is not None else ():
            notice = Notice(NoticeLevel.WARNING, f"The session was mended: {note}.")
            self.sink.frame(self.telling.frames.notice(notice))

    def give_up(self) -> None:
        """Stop for good: nobody reads what is said."""
        self.waiting.clear()
        self._has_ended = True
        self.control.close()
        self._more.set()
        self.interrupt()

    async def opened(self) -> Agent:
        """Return the agent; it is made when it is first needed."""
        async with self._opening:
            if self.agent is None:
                self.agent = await self._open()
        return self.agent

    async def _open(self) -> Agent:
        """Make the agent, and have it kept open by a task of its own."""
        mcp_tools = await self.servers.connect()
        asker = self._asker()
        tools = [self._schema] if self._schema is not None else []
        told = dict(self.told)
        if self._schema is not None:
            more = told.get("appendSystemPrompt")
            told["appendSystemPrompt"] = f"{more}\n\n{INSTRUCTION}" if more else INSTRUCTION
        agent = await open_agent(
            self.flags,
            self.cwd,
            self.environment,
            session=self.session,
            listener=self._hear,
            asker=asker,
            callbacks=ControlCallbacks(self.control),
            told=told,
            tools=tools,
            mcp_tools=mcp_tools,
            model=self.sink.model,
        )
        agent.tasks.listeners.append(self._take_task)
        if self._is_cleared:
            agent.hooks.source = "clear"
        elif self.flags.fork_session:
            agent.hooks.source = "fork"
        self._keeper = keeper = _Keeper(agent)
        await self._group.start(keeper.keep)
        self.sink.remark(str(problem) for problem in agent.problems)
        if not self.sink.is_stream:
            self.sink.remark(self.servers.complaints())
        if self.session is not None:
            self._group.start_soon(self._let_old_sessions_go, agent)
        return agent

    def _hear(self, event: Event) -> None:
        """Tell an event, and log it where that is wanted."""
        _log.debug("%r", event)
        self.telling.hear(event)

    async def _let_old_sessions_go(self, agent: Agent) -> None:
        """Delete sessions that nobody has touched for longer than they are kept."""
        days = kept_days(agent.configuration.settings)
        shelf = Shelf((sessions_folder(self.environment),))
        await run_in_thread(lambda: shelf.purge_if_due(days, time.time()))

    def _take_task(self, task: BackgroundTask) -> None:
        """Follow something that goes to the background."""
        self._group.start_soon(self._follow, task)

    async def _follow(self, task: BackgroundTask) -> None:
        """Tell when something begins and ends in the background."""
        self.sink.frame(self.telling.frames.task_started(task))
        await task.wait()
        self.sink.frame(self.telling.frames.task_ended(task))

    async def begin_again(self) -> str:
        """Forget the conversation and begin another session; return the id of the old one."""
        before = self.session_id
        if self.agent is not None:
            self.agent.exit_reason = "clear"
        await self._close()
        self.agent, self._is_cleared = None, True
        again = replace(
            self.flags, resume=None, is_continued=False, fork_session=False, session_id=None
        )
        fresh = open_session(again, self.cwd, self.environment)
        self._begin_session(fresh)
        return before

    def _begin_session(self, session: Session | None) -> None:
        """Take a session, or do without one."""
        self.session = session
        self._heard = set(session.restored.prompts) if session is not None else set()
        self.session_id = session.id if session is not None else new_id()
        self.telling = Telling(self.flags, self.sink.frame, self.session_id, session)
        if session is not None and self.flags.name:
            session.rename(self.flags.name)

    def _asker(self) -> Asker | None:
        """Return the way to whoever may be asked about calls."""
        name = self.flags.permission_prompt_tool
        if not name:
            return None
        if name == "stdio":
            return ControlAsker(self.control, self.interrupt, self._requires_action)
        return self.servers.asker(name, self.interrupt)

    def _take_line(self, line: bytes | None, group: TaskGroup) -> None:
        """Take one line of the program that drives us; None is the end."""
        if line is None:
            self._has_ended = True
            self.control.close()
            self._more.set()
            return
        try:
            message = read_message(line)
            if message is not None:
                self._take_message(message, group)
        except ValueError as error:
            self.sink.frame(
                self.telling.frames.system(
                    "informational", content=f"A line was not understood: {error}", level="warning"
                )
            )

    def _take_message(self, message: Mapping[str, JsonValue], group: TaskGroup) -> None:
        """Do what a message says, or put it in the queue."""
        match message.get("type"):
            case "user":
                self._take_prompt(read_prompt(message))
            case "control_request":
                self._requests.take(message, group)
            case "control_response":
                self.control.answered(message)
            case "control_cancel_request":
                self._requests.cancel(str(message.get("request_id")))
            case "keep_alive":
                return
            case other:
                raise ValueError(f"there is no message of type {other!r}")

    def take_told(self, told: Mapping[str, JsonValue]) -> None:
        """Take what the driving program brings.

        Raises:
            UserError: It cannot be used.
        """
        schema, title = told.get("jsonSchema"), told.get("title")
        if isinstance(schema, dict):
            self._schema = open_structured(schema)
        if isinstance(title, str) and title and self.session is not None:
            self.session.rename(title)
        if told.get("excludeDynamicSections") is True:
            self.flags = replace(self.flags, exclude_dynamic=True)
        self.told = dict(told)

    def look_again(self) -> None:
        """Look whether there is something to do, or nothing any more."""
        self._more.set()

    def _take_prompt(self, prompt: Prompt) -> None:
        """Queue what the user says, or hand it to the turn that runs.

        Raises:
            ValueError: It was said already: a second line of that id would break the transcript.
        """
        if prompt.uuid in self._heard:
            raise ValueError(f"the message {prompt.uuid} was taken already")
        if prompt.uuid is not None:
            self._heard.add(prompt.uuid)
        if not self._sent(prompt):
            self.waiting.append(prompt)
            self._more.set()

    def _sent(self, prompt: Prompt) -> bool:
        """Hand what is urgent to the turn that runs; return whether that could be done."""
        is_urgent = prompt.priority in ("now", "next") and prompt.is_asked
        if not (self._is_running and is_urgent and self.agent is not None):
            return False
        try:
            self.agent.send(prompt.blocks, prompt.priority)
        except RuntimeError:  # it has just ended
            return False
        self._replay(prompt)
        return True

    def _replay(self, prompt: Prompt) -> None:
        """Tell that words of the user's were taken, if somebody wants to know."""
        if self.flags.replay_user_messages and prompt.blocks:
            frames = self.telling.frames
            self.sink.frame(frames.user(prompt.content, prompt.uuid, isReplay=True))

    async def _work(self) -> None:
        """Take turns until the input has ended and everything is done."""
        while not self._signal:
            if self.waiting:
                self._has_worked = True
                self._state("running")
                await self._one(self.waiting.popleft())
                if not self.waiting:
                    self._state("idle")
            elif self._has_ended and not self._requests.is_busy:
                if self._has_worked or self.session is None or self.session.deferred is None:
                    return
                self.waiting.append(GO_ON)
            else:
                self._more = anyio.Event()
                await self._more.wait()

    async def _one(self, prompt: Prompt) -> None:
        """Do one thing that was asked for; what goes wrong is a result too."""
        try:
            self._is_to_stop = False
            self._replay(prompt)
            meant = await self.commands.take(prompt)
            if meant is not None:
                await self._turn(meant)
        except UserError as error:
            self._fail(str(error), prompt)
        except Exception as error:  # noqa: BLE001 - a bug costs one turn, and is told like a failure
            _log.exception("A turn broke; this is a bug.")
            self._fail(f"This is a bug in gantlet: {type(error).__name__}: {error}", prompt)

    async def _turn(self, prompt: Prompt) -> None:
        """Take one turn with the model."""
        agent = await self.opened()
        self.telling.turn = None
        if self.session is not None:
            self.session.recorder.next_prompt_id = prompt.uuid
        if not prompt.is_asked:
            agent.note(prompt.blocks)
            return
        self.sink.frame(self.commands.init_frame(agent))
        if self._is_to_stop:
            self._fail("It was stopped before it began.", prompt, TurnEnd.ABORTED_STREAMING)
            return
        async with self._running(agent):
            run = await agent.run(prompt.blocks or None)
            run, extra = await self._structured(agent, run)
        if prompt.origin is not None:
            extra["origin"] = prompt.origin
        took = self.telling.turn
        if run.reason is TurnEnd.API_ERROR and run.errors:
            kind = assistant_error(took.error_kind if took is not None else "")
            self.sink.frame(self.telling.frames.failure(run.errors[0], kind, agent.model_name))
        if took is not None and took.error_status is not None:
            extra["api_error_status"] = took.error_status
        self.report(run, extra)

    @asynccontextmanager
    async def _running(self, agent: Agent) -> AsyncIterator[None]:
        """Note that a turn runs."""
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False

    async def _structured(self, agent: Agent, run: RunResult) -> tuple[RunResult, Frame]:
        """Have the answer given in the form that was asked for, if one was."""
        if self._schema is None:
            return run, {}
        given = self.environment.variables.get(_RETRIES, "")
        retries = int(given) if given.isdigit() else MAX_RETRIES
        while self._schema.answer is None and not run.is_error and retries > 0:
            retries -= 1
            run = (await agent.run(REMINDER)).after(run)
        answer, self._schema.answer = self._schema.answer, None
        if answer is not None:
            return run, {"structured_output": dict(answer)}
        if not run.is_error:
            text = "The model did not give its answer in the form that was asked for."
            ended = TurnEnd.STRUCTURED_OUTPUT_RETRY_EXHAUSTED
            run = replace(run, reason=ended, errors=(text,))
        return run, {}

    def report(self, run: RunResult, extra: Mapping[str, JsonValue] | None = None) -> None:
        """Write how a run ended."""
        turn = self.telling.turn or TurnFinished(run.reason, run.usage)
        frame = self.telling.frames.result(Summary(run, turn, dict(extra or {})))
        was_stopped = run.reason in (TurnEnd.ABORTED_STREAMING, TurnEnd.ABORTED_TOOLS)
        self.exit_code = 1 if is_failure(run) and not was_stopped else 0
        self.spent_usd += run.cost_usd or 0.0
        self.sink.result(frame)

    def say(self, text: str) -> None:
        """Write a result that no model had a part in."""
        self.telling.turn = None
        self.report(RunResult(text, 0, Usage(), 0.0, (), TurnEnd.COMPLETED))

    def _fail(self, text: str, prompt: Prompt, ended: TurnEnd = TurnEnd.TURN_SETUP_FAILED) -> None:
        """Write that something could not even begin."""
        self.telling.turn = None
        extra: Frame = {} if prompt.origin is None else {"origin": prompt.origin}
        self.report(RunResult("", 0, Usage(), 0.0, (), ended, errors=(text,)), extra)
        if not self.sink.is_stream:
            self.sink.complain(text)

    def _state(self, state: str) -> None:
        """Tell programs that want to know what we are doing."""
        if self.flags.speaks_control and self.environment.is_set(_READS_STATE):
            frame = self.telling.frames.system(
                "session_state_changed", state=state, sdk_host_only=True
            )
            self.sink.frame(frame)

    def _requires_action(self, is_waiting: bool) -> None:
        """Tell that somebody must decide about a call, or has."""
        self._state("requires_action" if is_waiting else "running")

    async def _heed_signals(self) -> None:
        """Stop at the first signal so that all is written down; at the second, at once."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                if self._signal:
                    raise KeyboardInterrupt
                self._signal = number
                self.give_up()

    async def _close(self) -> None:
        """Let go of everything."""
        if self.agent is not None and not self._signal:
            with anyio.move_on_after(LINGER_SECONDS):
                for task in self.agent.tasks.running():
                    await task.wait()
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            await keeper.let_go()
        if self.session is not None:
            self.session.close()


class _Keeper:
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


def _schema_tool(flags: Flags) -> StructuredOutput | None:
    """Return the tool for the form that was asked for, if one was."""
    return open_structured(flags.json_schema) if flags.json_schema is not None else None
