"""The library's face: an agent that runs prompts with tools."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar
from uuid import uuid4

import anyio

from gantlet.agents.background import TaskBoard
from gantlet.assembly.agent_hooks import AgentHooks
from gantlet.assembly.configuration import FreshPermission, open_configuration
from gantlet.assembly.files import SessionFiles
from gantlet.assembly.hooks import HookParts
from gantlet.assembly.key_helper import KeyHelper
from gantlet.assembly.models import DEFAULT_MODEL, open_model
from gantlet.assembly.run_result import RunResult
from gantlet.assembly.shell import open_session_shell
from gantlet.assembly.toolbox import open_toolbox
from gantlet.config import SettingsRequest, read_sources
from gantlet.execution import (
    Bodies,
    ExecutionSettings,
    Mailbox,
    Services,
    SiblingFailure,
    Spill,
    concurrency_from,
)
from gantlet.hooks import HookEvent, Hooks, HookSession, OnFailure, stop_cap
from gantlet.loop import (
    CHARS_PER_TOKEN,
    Conversation,
    History,
    Limits,
    Loop,
    LoopSettings,
    Priority,
)
from gantlet.messages import (
    Behaviour,
    Block,
    Event,
    Message,
    Model,
    Notice,
    NoticeLevel,
    Text,
    ToolUse,
    UserMessage,
)
from gantlet.messages.value import replace, value
from gantlet.permissions import AddRules, Asker, Destination, Permission, SetMode
from gantlet.pool import DEFAULT_FLAGS
from gantlet.rules import Rule
from gantlet.session import Session, UndoResult, rewind, undo, unsure_calls
from gantlet.system import (
    Clock,
    Environment,
    RealClock,
    home_folder,
    in_loop_thread,
    run_in_thread,
)
from gantlet.tool import AnyTool, Mode, Ports, Surroundings, Tool, ToolDefinitionError, UserError

Prompt: TypeAlias = str | Sequence[Block]
_Function = TypeVar("_Function", bound=Callable[..., Any])

#: What a model that is handed over as an object is called in requests.
HANDED_OVER = "model"


@value
class AgentParts:
    """Parts of an agent that a program may bring itself; each has a default.

    Attributes:
        permission: Decides about calls in place of the engine.
        asker: Whom the engine asks; without one, what would be asked is denied.
        session: Where the conversation is written down; it goes on where the session stands.
        listener: Told of every event at once, before anything follows from it.
        hooks: Runs hooks in place of the runner.
        hook_parts: The hooks of settings files, and what they need.
        deferred: A call that a hook put off; the history ends with the reply that asked for it.
    """

    permission: Permission | None = None
    asker: Asker | None = None
    hooks: Hooks | None = None
    hook_parts: HookParts = field(default_factory=HookParts)
    clock: Clock = field(default_factory=RealClock)
    environment: Environment | None = None
    execution: ExecutionSettings | None = None
    history: History | None = None
    session: Session | None = None
    listener: Callable[[Event], None] | None = None
    deferred: ToolUse | None = None


class Agent:
    """A model with tools, and the conversation it has.

    Every `run` goes on with the same conversation. One prompt runs at a time. `async with agent:`
    keeps connections open from prompt to prompt; without it each prompt opens its own.

    Attributes:
        exit_reason: What hooks are told when the session ends.
        title: What hooks call the session.
    """

    exit_reason: str = "other"
    title: str = ""

    def __init__(
        self,
        model: Model | str | None = None,
        *,
        tools: Iterable[AnyTool] = (),
        system: str = "",
        permission_mode: Mode | str | None = None,
        settings: Mapping[str, object] | str | Path | None = None,
        setting_sources: str | Iterable[str] | None = (),
        trust: bool = False,
        cwd: str | Path | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        max_turns: int | None = None,
        max_budget_usd: float | None = None,
        limits: Limits | None = None,
        max_tokens: int = 0,
        fallback_models: Sequence[str] = (),
        request_fields: Mapping[str, object] | None = None,
        betas: Sequence[str] = (),
        builtin_tools: str = "default",
        mcp_tools: Iterable[AnyTool] = (),
        allowed_tools: Sequence[str] = (),
        disallowed_tools: Sequence[str] = (),
        directories: Sequence[str] = (),
        bypass_available: bool = False,
        parts: AgentParts | None = None,
    ) -> None:
        self._parts = parts or AgentParts()
        session = self._session = self._parts.session
        folder = str(Path(cwd or Path.cwd()).absolute())
        self.configuration = open_configuration(
            SettingsRequest(
                Path(folder),
                self._parts.environment or Environment.current(DEFAULT_FLAGS),
                settings,
                read_sources(setting_sources),
                trust,
            )
        )
        values, environment = self.configuration.settings, self.configuration.environment
        model = model or values.text("model") or DEFAULT_MODEL
        wanted = None if permission_mode is None else _mode(permission_mode)
        self.hooks = AgentHooks(self._emit, self._wake, self.interrupt)
        engine = self.configuration.open_engine(
            wanted,
            self._emit,
            self.hooks.asker(self._parts.asker),
            avoid_prompts=self._parts.asker is None,
            directories=tuple(directories),
            rules=_rules(allowed_tools, disallowed_tools),
            bypass_available=bypass_available,
        )
        mode = engine.holder.current.mode
        self._files = SessionFiles.below(
            home_folder(environment),
            session.id if session else "",
            session.known_files if session else None,
        )
        self._shell = open_session_shell(folder, self.configuration, engine.holder)
        toolbox = open_toolbox(
            [_checked(tool) for tool in tools],
            [_checked(tool) for tool in mcp_tools],
            environment=environment,
            denied=[*values.denied, *disallowed_tools],
            selected=builtin_tools,
            ports=Ports({**self._files.ports, **self._shell.ports}),
        )
        self._conversation = Conversation(
            model=open_model(
                model, environment, base_url, api_key, KeyHelper.of(values, environment)
            ),
            toolbox=toolbox,
            surroundings=Surroundings(folder, mode=mode),
            settings=LoopSettings(
                model=model if isinstance(model, str) else HANDED_OVER,
                fallback_models=tuple(fallback_models) or values.texts("fallbackModel") or (),
                max_tokens=max_tokens,
                limits=limits or Limits(max_turns=max_turns, max_budget_usd=max_budget_usd),
                extra=dict(request_fields or {}),
                betas=tuple(betas),
                stop_hook_cap=stop_cap(environment.variables),
            ),
            emit=self._emit,
            system=system,
            history=session.history if session else self._parts.history or History(),
            record=session,
            deferred=self._parts.deferred or (session.deferred if session else None),
            news=self._shell.board.take_news,
        )
        if session is not None:
            self._conversation.reminders += unsure_calls(session)
            session.recorder.tell_to(self._warn)
        self._engine = engine
        self.problems = (*toolbox.problems, *self.configuration.problems)
        spill = Spill(
            session.results_folder if session else home_folder(environment) / "tool-results"
        )
        self.hooks.open(
            HookSession(
                session.id if session else str(uuid4()),
                str(session.path) if session else "",
                project_dir=folder,
            ),
            self._parts.hook_parts,
            configuration=self.configuration,
            conversation=self._conversation,
            engine=engine,
            spill=spill,
            instead=self._parts.hooks,
        )
        self._services = Services(
            pool=toolbox.pool,
            permission=self._parts.permission or FreshPermission(engine, self.configuration),
            hooks=self.hooks.hooks,
            spill=spill,
            emit=self._emit,
            reveal=toolbox.catalog.reveal,
        )
        self._execution = self._parts.execution or ExecutionSettings(
            max_concurrency=concurrency_from(environment),
            sibling_failure=SiblingFailure(values.text("siblingFailure") or "dependent"),
        )
        self._first_model = self._conversation.settings.model
        self._mailbox: Mailbox | None = None
        self._loop: Loop | None = None
        self._owns_model = isinstance(model, str)
        self._is_entered = self._is_busy = False
        self._thread = 0
        self._hand_over: Callable[[object], None] | None = None

    async def __aenter__(self) -> Self:
        self._is_entered = True
        await self.hooks.enter()
        await self._shell.enter(self._emit)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_entered = False
        try:
            await self.hooks.end_session(self.exit_reason)
            await self._shell.close()
            await self.hooks.leave()
        finally:
            await self._let_go()

    def hook(
        self,
        event: HookEvent | str,
        matcher: str = "",
        *,
        timeout: float | None = None,
        on_failure: OnFailure | str = OnFailure.CONTINUE,
    ) -> Callable[[_Function], _Function]:
        """Make a function a hook: `@agent.hook("PreToolUse", matcher="Bash")`.

        It gets the event's input and returns an answer in the form hooks answer, or None.

        Raises:
            UserError: There is no such event, or the matcher is no pattern.
        """
        return self.hooks.add(event, matcher, timeout=timeout, on_failure=on_failure)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return self._conversation.history.messages

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The tools the model may ask for."""
        return tuple(tool.name for tool in self._services.pool if not tool.hidden)

    @property
    def mode(self) -> Mode:
        """How far the session goes without asking."""
        return self._engine.holder.current.mode

    @property
    def model_name(self) -> str:
        """The model that is asked next."""
        return self._conversation.settings.model

    async def set_mode(self, mode: Mode | str) -> None:
        """Go on in another permission mode, from the next call on.

        Raises:
            UserError: There is none of that name, or it may not be had.
        """
        wanted = _mode(mode)
        await self._engine.change(SetMode(wanted))
        if self.mode is not wanted:
            raise UserError(f"The mode {wanted} was not made available when the session began.")
        talk = self._conversation
        talk.surroundings = replace(talk.surroundings, mode=wanted)

    def set_model(self, name: str | None = None) -> None:
        """Ask another model from the next request on; without a name, the one it began with."""
        talk = self._conversation
        talk.settings = replace(talk.settings, model=name or self._first_model)
        talk.model_name = talk.settings.model

    def context_usage(self) -> tuple[int, int]:
        """Return about how many tokens the next request takes, and how many there may be."""
        talk = self._conversation
        used = int((talk.history.chars + len(talk.system)) / CHARS_PER_TOKEN)
        return used, talk.capabilities.context_tokens

    async def run(self, prompt: Prompt | None = None) -> RunResult:
        """Run a prompt to its end, and what was said for after it.

        Without a prompt, go on with a call that a hook had put off.
        """
        message = self._message(prompt)
        with _unwrapped():
            async with self._running() as loop:
                return await self._run_all(loop, message)

    def stream(self, prompt: Prompt | None = None) -> "AgentStream":
        """Run a prompt and read what happens: `async with agent.stream(…) as events`."""
        return AgentStream(self, self._message(prompt))

    def run_sync(self, prompt: Prompt | None = None) -> RunResult:
        """Run a prompt from a program that is not async."""
        return anyio.run(self.run, prompt)

    def interrupt(self) -> None:
        """Stop the prompt that runs, from any thread: what is being said, and every call."""
        loop, hand_over = self._loop, self._hand_over
        if loop is None:
            return
        if threading.get_ident() == self._thread or hand_over is None:
            loop.interrupt()
        else:
            hand_over(None)

    def send(self, prompt: Prompt, priority: Priority | str = Priority.NEXT) -> None:
        """Say something while a prompt runs: for the next step, after the turn, or right now.

        Raises:
            RuntimeError: Nothing is running.
        """
        if self._loop is None:
            raise RuntimeError("Nothing is running: use run() or stream().")
        self._loop.send(_message(prompt), Priority(priority))

    @property
    def tasks(self) -> TaskBoard:
        """The tasks in the background, and the news of them."""
        return self._shell.board

    def move_to_background(self, call_id: str) -> bool:
        """Let a running call go on in the background; return whether its tool can do that."""
        return any(tool.move_to_background(call_id) for tool in self._services.pool)

    async def compact(self, instructions: str = "") -> bool:
        """Sum the conversation up; return whether that worked."""
        with _unwrapped():
            async with self._running() as loop:
                return await loop.compact(instructions)

    async def undo(self, target: str = "", *, is_forced: bool = False) -> UndoResult:
        """Take back what a call or a turn changed in files; the last turn if nothing is named.

        Nothing is touched where somebody else has changed a file since, unless it is forced.

        Raises:
            UserError: There is no such change, or a file could not be written.
            RuntimeError: A prompt is running.
        """
        if self._is_busy:
            raise RuntimeError("A prompt is running: undo when it has ended.")
        changes = self._files.changes
        return await run_in_thread(lambda: undo(changes, target, is_forced=is_forced))

    async def rewind(self, call_ids: Collection[str], *, is_trial: bool = False) -> UndoResult:
        """Take back what several calls changed in files, as one undo.

        Raises:
            UserError: A file could not be written.
        """
        changes = self._files.changes
        return await run_in_thread(lambda: rewind(changes, call_ids, is_trial=is_trial))

    def rules(self) -> list[Rule]:
        """Return the permission rules that count now."""
        current = self._engine.holder.current
        return [rule for behaviour in Behaviour for rule in current.rules(behaviour)]

    def _running(self, mailbox: Mailbox | None = None) -> "_Running":
        """Hold the agent for one prompt."""
        return _Running(self, mailbox)

    def _begin(self, bodies: Bodies, mailbox: Mailbox | None) -> Loop:
        """Take the agent for one prompt."""
        loop = Loop(self._conversation, self._services, bodies, self._execution)
        self._mailbox, self._loop = mailbox, loop
        self._thread = threading.get_ident()
        self._hand_over = in_loop_thread(lambda _: loop.interrupt())
        return loop

    async def _end(self) -> None:
        """Give the agent back."""
        self._is_busy = False
        self._mailbox = self._loop = self._hand_over = None
        await self._let_go()

    def _message(self, prompt: Prompt | None) -> UserMessage | None:
        """Return a prompt as a message; none is needed where a call waits to be asked again."""
        if prompt is None and self._conversation.deferred is not None:
            return None
        return _message("" if prompt is None else prompt)

    def _wake(self, text: str) -> None:
        """Have the model read what a hook in the background found, at once or with what follows."""
        if self._loop is not None:
            self._loop.wake(text)
        else:
            self._conversation.reminders.append(text)

    async def _run_all(self, loop: Loop, prompt: UserMessage | None) -> RunResult:
        """Run a prompt, then what was said for after it."""
        await self.configuration.refresh()
        title = await self.hooks.begin_session(loop)
        if title:
            self.title = title
            if self._session is not None:
                self._session.rename(title)
        result = RunResult.of(await loop.run_turn(prompt))
        while not result.is_error and (waiting := loop.next_waiting()) is not None:
            result = RunResult.of(await loop.run_turn(waiting), result)
        return result

    async def _let_go(self) -> None:
        """Close the connections of a model that is ours, unless the agent is kept open."""
        if self._owns_model and not self._is_entered:
            with anyio.CancelScope(shield=True):
                await self._conversation.model.aclose()

    def _emit(self, event: Event) -> None:
        """Write an event down where that is wanted; hand it to whoever reads the stream."""
        if self._session is not None:
            self._session.heard(event)
        self._files.hear(event)
        if self._parts.listener is not None:
            self._parts.listener(event)
        if self._mailbox is not None:
            self._mailbox.put(event)

    def _warn(self, text: str) -> None:
        """Tell the user that something is wrong beside the conversation."""
        self._emit(Notice(NoticeLevel.WARNING, text))


class _Running:
    """An agent at work on one prompt. Nobody else can have it meanwhile."""

    def __init__(self, agent: Agent, mailbox: Mailbox | None) -> None:
        self._agent = agent
        self._mailbox = mailbox
        self._bodies = Bodies(agent._parts.clock)
        self._opened_hooks = self._opened_shell = False

    async def __aenter__(self) -> Loop:
        if self._agent._is_busy:
            raise RuntimeError("A prompt is running already: use send() to add to it.")
        self._agent._is_busy = True
        self._opened_hooks = await self._agent.hooks.enter()
        self._opened_shell = await self._agent._shell.enter(self._agent._emit)
        return self._agent._begin(await self._bodies.__aenter__(), self._mailbox)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            return await self._bodies.__aexit__(kind, error, trace)
        finally:
            if self._opened_shell:
                await self._agent._shell.leave()
            if self._opened_hooks:
                await self._agent.hooks.leave()
            await self._agent._end()


class AgentStream:
    """The events of one prompt. Leaving early stops the prompt; every call still has its result."""

    def __init__(self, agent: Agent, prompt: UserMessage | None) -> None:
        self._agent = agent
        self._prompt = prompt
        self._mailbox = Mailbox()
        self._stack = AsyncExitStack()
        self._loop: Loop | None = None
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult:
        """What came of the prompt, once it has ended."""
        if self._result is None:
            raise RuntimeError("The prompt has not ended yet: read the events to their end.")
        return self._result

    async def __aenter__(self) -> Self:
        running = self._agent._running(self._mailbox)
        self._loop = await self._stack.enter_async_context(running)
        group = await self._stack.enter_async_context(anyio.create_task_group())
        group.start_soon(self._run, self._loop)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._result is None and self._loop is not None:
            self._loop.interrupt()
        with _unwrapped():
            return await self._stack.__aexit__(kind, error, trace)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if self._loop is None:
            raise RuntimeError("Open the stream first: async with agent.stream(…) as events.")
        event = await self._mailbox.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def _run(self, loop: Loop) -> None:
        """Run the prompt; close the mailbox whatever happens."""
        try:
            self._result = await self._agent._run_all(loop, self._prompt)
        finally:
            self._mailbox.close()


@contextmanager
def _unwrapped() -> Iterator[None]:
    """Raise the one error that a task group has wrapped, as it was."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if error is group:
            raise
        raise error from error.__cause__


def _checked(tool: AnyTool) -> AnyTool:
    """Return a tool, or say what is handed over in place of one.

    Raises:
        ToolDefinitionError: It is no tool.
    """
    if isinstance(tool, Tool):
        return tool
    raise ToolDefinitionError(
        f"{tool!r} is not a tool. Put @tool on the function, or hand over an instance of a Tool."
    )


def _rules(allowed: Sequence[str], disallowed: Sequence[str]) -> tuple[AddRules, ...]:
    """Return rules that are given in code."""
    where = Destination.COMMAND_LINE
    given = ((allowed, Behaviour.ALLOW), (disallowed, Behaviour.DENY))
    return tuple(AddRules(tuple(rules), kind, where) for rules, kind in given if rules)


def _mode(given: Mode | str) -> Mode:
    """Return a mode by its name.

    Raises:
        UserError: There is none of that name.
    """
    try:
        return Mode(given)
    except ValueError:
        names = ", ".join(Mode)
        raise UserError(f"{given!r} is not a permission mode. There are: {names}.") from None


def _message(prompt: Prompt) -> UserMessage:
    """Return a prompt as a message.

    Raises:
        ValueError: There is nothing in it.
    """
    blocks = (Text(prompt),) if isinstance(prompt, str) else tuple(prompt)
    if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
        raise ValueError("The prompt is empty.")
    return UserMessage(blocks)
