"""The library's face: an agent that runs prompts with tools."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio

from gantlet.agents.background import TaskBoard
from gantlet.assembly.agent_parts import (
    AgentOptions,
    AgentParts,
    SystemPrompt,
    folder_named,
    mode_named,
    names_in,
    source_names,
)
from gantlet.assembly.agent_stream import AgentStream, unwrapped
from gantlet.assembly.agent_voice import AgentVoice
from gantlet.assembly.context_usage import ContextUsage, usage_of
from gantlet.assembly.current_run import CurrentRun
from gantlet.assembly.prompt import Prompt, message_of
from gantlet.assembly.run_result import RunResult
from gantlet.assembly.wiring import wire
from gantlet.execution import Bodies, Mailbox
from gantlet.hooks import HookEvent, OnFailure
from gantlet.loop import Limits, Loop, Priority
from gantlet.messages import (
    Behaviour,
    Message,
    Model,
    UserMessage,
)
from gantlet.messages.value import replace
from gantlet.permissions import SetMode
from gantlet.rules import Rule
from gantlet.session import UndoResult, rewind, undo
from gantlet.system import run_in_thread
from gantlet.tool import AnyTool, Mode, UserError

_Function = TypeVar("_Function", bound=Callable[..., Any])


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
        system: SystemPrompt | None = None,
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
        self._current = CurrentRun()
        self._voice = AgentVoice(self._parts, self._current)
        self._is_entered = self._is_busy = False
        options = AgentOptions(
            model=model,
            tools=tuple(tools),
            mcp_tools=tuple(mcp_tools),
            builtin_tools=builtin_tools,
            system=system or "",
            mode=None if permission_mode is None else mode_named(permission_mode),
            settings=settings,
            setting_sources=source_names(setting_sources),
            trust=trust,
            cwd=folder_named(cwd),
            base_url=base_url,
            api_key=api_key,
            limits=(limits or Limits()).within(Limits(max_turns, max_budget_usd)),
            max_tokens=max_tokens,
            fallback_models=names_in("fallback_models", fallback_models),
            request_fields=dict(request_fields or {}),
            betas=names_in("betas", betas),
            allowed_tools=names_in("allowed_tools", allowed_tools),
            disallowed_tools=names_in("disallowed_tools", disallowed_tools),
            directories=names_in("directories", directories),
            bypass_available=bypass_available,
        )
        self._wired = wired = wire(options, self._parts, self._voice)
        self._voice.join(wired.files, wired.conversation)
        self.configuration, self.hooks = wired.configuration, wired.hooks
        self.problems = wired.problems
        self._conversation, self._engine = wired.conversation, wired.engine
        self._first_model = wired.conversation.settings.model
        self._owns_model = model is None or isinstance(model, str)
        if self._parts.session is not None:
            self._parts.session.recorder.tell_to(self._voice.warn)

    async def __aenter__(self) -> Self:
        self._is_entered = True
        await self.hooks.enter()
        await self._wired.shell.enter(self._voice.emit)
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
            await self._wired.shell.close()
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
        return tuple(tool.name for tool in self._wired.services.pool if not tool.hidden)

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
        wanted = mode_named(mode)
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

    @property
    def limits(self) -> Limits:
        """How far each prompt may go."""
        return self._conversation.settings.limits

    def set_limits(self, limits: Limits) -> None:
        """Let each prompt go so far, from the next one on."""
        talk = self._conversation
        talk.settings = replace(talk.settings, limits=limits)

    def set_max_budget(self, usd: float | None) -> None:
        """Let each prompt cost at most so much, from the next one on; None is no limit.

        Raises:
            UserError: It is no amount.
        """
        self.set_limits(replace(self.limits, max_budget_usd=usd))

    def set_request_field(self, name: str, content: object) -> None:
        """Send a field with every request from the next one on; None leaves it out."""
        talk = self._conversation
        kept = {key: item for key, item in talk.settings.extra.items() if key != name}
        more = {} if content is None else {name: content}
        talk.settings = replace(talk.settings, extra={**kept, **more})

    def note(self, prompt: Prompt) -> None:
        """Say something that the model reads with what is said next, and need not answer now.

        Raises:
            RuntimeError: A prompt is running, or a call waits to be asked again.
        """
        if self._is_busy or self._conversation.deferred is not None:
            raise RuntimeError("The conversation is waiting for something else.")
        self._conversation.begin(message_of(prompt))

    def context_usage(self) -> ContextUsage:
        """Return about how many tokens each part of the next request takes."""
        return usage_of(self._conversation)

    async def run(self, prompt: Prompt | None = None) -> RunResult:
        """Run a prompt to its end, and what was said for after it.

        Without a prompt, go on with a call that a hook had put off.
        """
        message = self._message(prompt)
        with unwrapped():
            async with self._running() as loop:
                return await self._run_all(loop, message)

    def stream(self, prompt: Prompt | None = None) -> AgentStream:
        """Run a prompt and read what happens: `async with agent.stream(…) as events`."""
        message = self._message(prompt)
        return AgentStream(self._running, lambda loop: self._run_all(loop, message))

    def run_sync(self, prompt: Prompt | None = None) -> RunResult:
        """Run a prompt from a program that is not async; inside of one, await `run`."""
        return anyio.run(self.run, prompt)

    def interrupt(self) -> None:
        """Stop the prompt that runs, from any thread: what is being said, and every call.

        When nothing runs, nothing happens.
        """
        self._current.interrupt()

    def send(self, prompt: Prompt, priority: Priority | str = Priority.NEXT) -> None:
        """Say something while a prompt runs: for the next step, after the turn, or right now.

        This can be done from any thread.

        Raises:
            RuntimeError: Nothing is running.
        """
        self._current.send(message_of(prompt), Priority(priority))

    @property
    def tasks(self) -> TaskBoard:
        """The tasks in the background, and the news of them."""
        return self._wired.shell.board

    def move_to_background(self, call_id: str) -> bool:
        """Let a running call go on in the background; return whether its tool can do that."""
        return any(tool.move_to_background(call_id) for tool in self._wired.services.pool)

    async def compact(self, instructions: str = "") -> bool:
        """Sum the conversation up; return whether that worked."""
        with unwrapped():
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
        changes = self._wired.files.changes
        return await run_in_thread(lambda: undo(changes, target, is_forced=is_forced))

    async def rewind(self, call_ids: Collection[str], *, is_trial: bool = False) -> UndoResult:
        """Take back what several calls changed in files, as one undo.

        Raises:
            UserError: A file could not be written.
        """
        changes = self._wired.files.changes
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
        wired = self._wired
        loop = Loop(wired.conversation, wired.services, bodies, wired.execution)
        self._voice.mailbox = mailbox
        self._current.begin(loop)
        return loop

    async def _end(self) -> None:
        """Give the agent back."""
        self._is_busy = False
        self._voice.mailbox = None
        self._current.end()
        await self._let_go()

    def _message(self, prompt: Prompt | None) -> UserMessage | None:
        """Return a prompt as a message; none is needed where a call waits to be asked again."""
        if prompt is None and self._conversation.deferred is not None:
            return None
        return message_of("" if prompt is None else prompt)

    def wake(self, text: str) -> None:
        """Have the model read something at once, or with what is said next if nothing runs."""
        self._voice.wake(text)

    async def _run_all(self, loop: Loop, prompt: UserMessage | None) -> RunResult:
        """Run a prompt, then what was said for after it."""
        await self.configuration.refresh()
        await self.hooks.begin_session(loop)
        result = RunResult.of(await loop.run_turn(prompt))
        while not result.is_error and (waiting := loop.next_waiting()) is not None:
            result = RunResult.of(await loop.run_turn(waiting), result)
        self._take_title(loop.title)
        return result

    def _take_title(self, title: str) -> None:
        """Call the session what hooks call it."""
        if title and title != self.title:
            self.title = title
            if self._parts.session is not None:
                self._parts.session.rename(title)

    async def _let_go(self) -> None:
        """Close the connections of a model that is ours, unless the agent is kept open."""
        if self._owns_model and not self._is_entered:
            with anyio.CancelScope(shield=True):
                await self._conversation.model.aclose()


class _Running:
    """An agent at work on one prompt. Nobody else can have it meanwhile."""

    def __init__(self, agent: Agent, mailbox: Mailbox | None) -> None:
        self._agent = agent
        self._mailbox = mailbox
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Loop:
        agent = self._agent
        if agent._is_busy:
            raise RuntimeError("A prompt is running already: use send() to add to it.")
        agent._is_busy = True
        agent._current.open()
        async with AsyncExitStack() as opened:
            opened.push_async_callback(agent._end)
            if await agent.hooks.enter():
                opened.push_async_callback(agent.hooks.leave)
            if await agent._wired.shell.enter(agent._voice.emit):
                opened.push_async_callback(agent._wired.shell.leave)
            bodies = await opened.enter_async_context(Bodies(agent._parts.clock))
            self._opened = opened.pop_all()
        return agent._begin(bodies, self._mailbox)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._opened.__aexit__(kind, error, trace)
