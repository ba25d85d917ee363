"""The library's face: an agent that runs prompts with tools."""

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import anyio

from gantlet.assembly.models import DEFAULT_MODEL, open_model
from gantlet.assembly.toolbox import open_toolbox
from gantlet.execution import (
    Bodies,
    Denied,
    ExecutionSettings,
    Mailbox,
    Services,
    Spill,
    concurrency_from,
)
from gantlet.hooks import Hooks, NoHooks
from gantlet.loop import Conversation, History, Limits, Loop, LoopSettings, Priority, TurnResult
from gantlet.messages import (
    Block,
    Event,
    Message,
    Model,
    Text,
    ToolUse,
    TurnEnd,
    Usage,
    UserMessage,
)
from gantlet.permissions import Permission, ReadOnlyPermission
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Clock, Environment, RealClock, home_folder
from gantlet.tool import AnyTool, Mode, Surroundings

Prompt: TypeAlias = str | Sequence[Block]

#: What a model that is handed over as an object is called in requests.
SCRIPTED = "model"


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a prompt.

    Attributes:
        text: The model's last words.
        turns: How many requests were made.
        cost_usd: What it cost; None where a price is not known.
        denials: The calls that were not allowed to run.
        reason: Why it ended.
        errors: What went wrong, in words for a person.
    """

    text: str
    turns: int
    usage: Usage
    cost_usd: float | None
    denials: tuple[ToolUse, ...]
    reason: TurnEnd
    stop_reason: str | None = None
    errors: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it ended in any other way than by itself."""
        return self.reason is not TurnEnd.COMPLETED

    @classmethod
    def of(cls, turn: TurnResult) -> "RunResult":
        """Return the result of a turn."""
        finished = turn.finished
        denied = (answer for answer in turn.answers if isinstance(answer.outcome, Denied))
        return cls(
            text=turn.text,
            turns=finished.steps,
            usage=finished.usage,
            cost_usd=finished.cost_usd,
            denials=tuple(answer.call for answer in denied),
            reason=turn.reason,
            stop_reason=turn.stop_reason,
            errors=finished.errors,
        )


@dataclass(frozen=True, slots=True)
class AgentParts:
    """Parts of an agent that a program may bring itself; each has a default."""

    permission: Permission = field(default_factory=ReadOnlyPermission)
    hooks: Hooks = field(default_factory=NoHooks)
    clock: Clock = field(default_factory=RealClock)
    environment: Environment | None = None
    execution: ExecutionSettings | None = None
    history: History | None = None


class Agent:
    """A model with tools, and the conversation it has.

    Every `run` goes on with the same conversation. One prompt runs at a time. `async with agent:`
    keeps connections open from prompt to prompt; without it each prompt opens its own.
    """

    def __init__(
        self,
        model: Model | str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        fallback_models: Sequence[str] = (),
        tools: Iterable[AnyTool] = (),
        mcp_tools: Iterable[AnyTool] = (),
        builtin_tools: str = "default",
        denied: Sequence[str] = (),
        system: str = "",
        permission_mode: Mode | str = Mode.DEFAULT,
        cwd: str | Path | None = None,
        max_turns: int | None = None,
        max_budget_usd: float | None = None,
        max_tokens: int = 0,
        parts: AgentParts | None = None,
    ) -> None:
        self._parts = parts or AgentParts()
        environment = self._parts.environment or Environment.current(DEFAULT_FLAGS)
        self._environment = environment
        toolbox = open_toolbox(
            tools, mcp_tools, environment=environment, denied=denied, selected=builtin_tools
        )
        self.problems = toolbox.problems
        name = model if isinstance(model, str) else SCRIPTED
        self._conversation = Conversation(
            model=open_model(model, environment, base_url, api_key),
            toolbox=toolbox,
            surroundings=Surroundings(str(cwd or Path.cwd()), mode=Mode(permission_mode)),
            settings=LoopSettings(
                name,
                tuple(fallback_models),
                max_tokens,
                Limits(max_turns=max_turns, max_budget_usd=max_budget_usd),
            ),
            emit=self._emit,
            system=system,
            history=self._parts.history or History(),
        )
        spill = Spill(home_folder(environment) / "tool-results")
        self._services = Services(
            pool=toolbox.pool,
            permission=self._parts.permission,
            hooks=self._parts.hooks,
            spill=spill,
            emit=self._emit,
            reveal=toolbox.catalog.reveal,
        )
        self._mailbox: Mailbox | None = None
        self._loop: Loop | None = None
        self._owns_model = isinstance(model, str)
        self._is_entered = False

    async def __aenter__(self) -> Self:
        self._is_entered = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_entered = False
        await self._let_go()

    async def _let_go(self) -> None:
        """Close the connections of a model that is ours, unless the agent is kept open."""
        if self._owns_model and not self._is_entered:
            with anyio.CancelScope(shield=True):
                await self._conversation.model.aclose()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return self._conversation.history.messages

    async def run(self, prompt: Prompt) -> RunResult:
        """Run a prompt to its end."""
        self._check_idle()
        try:
            async with Bodies(self._parts.clock) as bodies:
                return RunResult.of(await self._begin(bodies).run_turn(_message(prompt)))
        finally:
            await self._let_go()

    def stream(self, prompt: Prompt) -> "AgentStream":
        """Run a prompt and read what happens: `async with agent.stream(…) as events`."""
        return AgentStream(self, _message(prompt))

    def run_sync(self, prompt: Prompt) -> RunResult:
        """Run a prompt from a program that is not async."""
        return anyio.run(self.run, prompt)

    def interrupt(self) -> None:
        """Stop the prompt that runs: what is being said, and every call. Does nothing otherwise."""
        if self._loop is not None:
            self._loop.interrupt()

    def send(self, prompt: Prompt, priority: Priority | str = Priority.NEXT) -> None:
        """Say something while a prompt runs: for the next step, after it, or right now."""
        if self._loop is None:
            raise RuntimeError("Nothing is running: use run() or stream().")
        self._loop.send(_message(prompt), Priority(priority))

    async def compact(self, instructions: str = "") -> bool:
        """Sum the conversation up; return whether that worked."""
        self._check_idle()
        async with Bodies(self._parts.clock) as bodies:
            loop = self._begin(bodies)
            try:
                return await loop.compact(instructions)
            finally:
                self._loop = None
                await self._let_go()

    def _check_idle(self) -> None:
        """Refuse a second prompt while one runs."""
        if self._loop is not None and self._loop.is_running:
            raise RuntimeError("A prompt is running already: use send() to add to it.")

    def _begin(self, bodies: Bodies, mailbox: Mailbox | None = None) -> Loop:
        """Return a loop for one prompt."""
        self._mailbox = mailbox
        execution = self._parts.execution or ExecutionSettings(
            max_concurrency=concurrency_from(self._environment)
        )
        self._loop = Loop(self._conversation, self._services, bodies, execution)
        return self._loop

    def _emit(self, event: Event) -> None:
        """Hand an event to whoever reads the stream."""
        if self._mailbox is not None:
            self._mailbox.put(event)


class AgentStream:
    """The events of one prompt. Leaving early stops the prompt; every call still has its result."""

    def __init__(self, agent: Agent, prompt: UserMessage) -> None:
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
        self._agent._check_idle()
        bodies = await self._stack.enter_async_context(Bodies(self._agent._parts.clock))
        group = await self._stack.enter_async_context(anyio.create_task_group())
        self._loop = self._agent._begin(bodies, self._mailbox)
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
        try:
            return await self._stack.__aexit__(kind, error, trace)
        finally:
            await self._agent._let_go()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        event = await self._mailbox.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def _run(self, loop: Loop) -> None:
        """Run the prompt; close the mailbox whatever happens."""
        try:
            self._result = RunResult.of(await loop.run_turn(self._prompt))
        finally:
            self._mailbox.close()


def _message(prompt: Prompt) -> UserMessage:
    """Return a prompt as a message."""
    if isinstance(prompt, str):
        return UserMessage((Text(prompt),))
    return UserMessage(tuple(prompt))
