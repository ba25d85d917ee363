"""What tests of calls share: a stage on a virtual clock, and fakes for those whom calls ask."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.lowlevel import checkpoint
from hypothesis import HealthCheck, settings

from gantlet.execution import (
    Answer,
    Bodies,
    Effects,
    ExecutionSettings,
    Executor,
    Services,
    Spill,
)
from gantlet.execution.abort import AbortScope
from gantlet.hooks import NOTHING_AFTER, AfterCall, BeforeCall, HookEvent, Hooks, Moment, NoHooks
from gantlet.messages import (
    Behaviour,
    CallFinished,
    CallProgressed,
    CallQueued,
    CallStarted,
    ContextChangeDropped,
    Event,
    JsonValue,
    Notice,
    PermissionDecided,
    ToolUse,
)
from gantlet.permissions import Decision, Permission, Request
from gantlet.pool import assemble
from gantlet.testing import Journal, ScriptedTool, Step, VirtualClock
from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    Access,
    AnyTool,
    Covered,
    Proof,
    Surroundings,
    Tool,
    ToolContext,
    ToolInput,
    ToolResult,
    Traits,
)
from patience import PATIENCE_SECONDS

#: Changes nothing, and runs beside others of its kind.
SAFE = Traits(read_only=True, access=READS_ANYTHING)
#: Changes nothing, and runs alone.
ALONE = Traits(read_only=True, access=EXCLUSIVE)


def use(name: str, call_id: str, **given: JsonValue) -> ToolUse:
    """Return a call."""
    return ToolUse(call_id, name, given)


def writes(*resources: Any, **traits: Any) -> Traits:
    """Return the traits of a call that changes these things."""
    return Traits(access=Access(writes=resources), **traits)


def reads(*resources: Any, **traits: Any) -> Traits:
    """Return the traits of a call that looks at these things."""
    return Traits(read_only=True, access=Access(reads=resources), **traits)


def allow(updated_input: Mapping[str, JsonValue] | None = None) -> Decision:
    """Return a yes, with the input changed on the way if one is given."""
    proof = Proof((Covered("the call", "the test"),))
    return Decision(
        Behaviour.ALLOW, "the test says so", "test", proof=proof, updated_input=updated_input
    )


class AllowEverything:
    """A permission that never says no."""

    async def decide(self, request: Request) -> Decision:
        """Say yes."""
        return allow()


@dataclass
class Person:
    """A permission that waits for the test's answer, call by call; others are allowed at once."""

    asked_about: set[str] = field(default_factory=set)
    _asked: dict[str, anyio.Event] = field(default_factory=dict)
    _answers: dict[str, Decision] = field(default_factory=dict)
    _answered: dict[str, anyio.Event] = field(default_factory=dict)

    async def decide(self, request: Request) -> Decision:
        """Wait for the answer."""
        call_id = request.call.id
        if call_id not in self.asked_about:
            return allow()
        self.asked(call_id).set()
        await self._answered.setdefault(call_id, anyio.Event()).wait()
        self.asked_about.discard(call_id)
        return self._answers[call_id]

    def asked(self, call_id: str) -> anyio.Event:
        """Return what is set once the person has been asked about a call."""
        return self._asked.setdefault(call_id, anyio.Event())

    def answer(self, call_id: str, decision: Decision | None = None) -> None:
        """Answer the question about a call."""
        self._answers[call_id] = decision or allow()
        self._answered.setdefault(call_id, anyio.Event()).set()


@dataclass
class ChangingHooks(NoHooks):
    """Hooks that change the input of some calls, after so many of the clock's seconds."""

    clock: VirtualClock
    changes: Mapping[str, Mapping[str, JsonValue]]
    seconds: float = 0.0
    ran_for: list[str] = field(default_factory=list)

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Listen before each call."""
        return event is HookEvent.PRE_TOOL_USE

    async def before(self, moment: Moment) -> BeforeCall:
        """Change what is to be changed."""
        self.ran_for.append(moment.call.id)
        if self.seconds and moment.call.id in self.changes:
            await self.clock.sleep(self.seconds)
        return BeforeCall(updated_input=self.changes.get(moment.call.id))

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Say nothing."""
        return NOTHING_AFTER


class EndlessAfterHooks(ChangingHooks):
    """Hooks that never end after a call."""

    def __init__(self) -> None:
        super().__init__(VirtualClock(), {})

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Listen after each call."""
        return event is HookEvent.POST_TOOL_USE

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Never end."""
        await anyio.sleep_forever()
        raise AssertionError


class NoteInput(ToolInput):
    """A note, so that two calls can differ."""

    note: str = ""


class FreeTool(Tool[NoteInput]):
    """A tool whose `run` is the test's own; its traits may depend on the note."""

    description = "Does what a test says."
    input_type = NoteInput

    def __init__(
        self,
        name: str,
        run: Callable[[ToolContext], Awaitable[object]],
        traits: Traits | Mapping[str, Traits] = SAFE,
    ) -> None:
        self.name = name
        self._run = run
        self._traits = traits

    def traits(self, args: NoteInput) -> Traits:
        """Return the traits that the test gave."""
        return self._traits if isinstance(self._traits, Traits) else self._traits[args.note]

    async def run(self, args: NoteInput, context: ToolContext) -> object:
        """Do what the test says."""
        return await self._run(context)


def _nothing_to_write(call: ToolUse) -> None:
    """Keep no record."""


def _nobody(event: Event) -> None:
    """Listen to nothing."""


def line(event: Event) -> str:
    """Return an event about a call in a few words."""
    match event:
        case CallQueued(call):
            return f"queued {call.id}"
        case PermissionDecided(call_id, behaviour):
            return f"decided {call_id} {behaviour}"
        case CallStarted(call_id):
            return f"started {call_id}"
        case CallProgressed(call_id, update):
            return f"progress {call_id} {update}"
        case CallFinished(call_id, _, outcome):
            return f"finished {call_id} {outcome}"
        case ContextChangeDropped(call_id):
            return f"context change dropped {call_id}"
        case Notice(_, text):
            return f"notice {text}"
        case _:
            return repr(event)


class Stage:
    """A session on a virtual clock: scripted tools, and everything that is told, with its time.

    Enter it after the tools are made; what still waits after `PATIENCE_SECONDS` fails.
    """

    def __init__(
        self,
        *,
        permission: Permission | None = None,
        hooks: Hooks | None = None,
        clock: VirtualClock | None = None,
        cwd: str = "/",
        grace_seconds: float = 5.0,
        moves: bool = True,
    ) -> None:
        self.clock = clock or VirtualClock()
        self.journal = Journal()
        self.events: list[Event] = []
        self.log: list[str] = []
        self.tools: list[AnyTool] = []
        self.permission: Permission = permission or AllowEverything()
        self.hooks: Hooks = hooks or NoHooks()
        self.surroundings = Surroundings(cwd)
        self.spill = Spill(Path("/nowhere"))
        self.before_run: Callable[[ToolUse], None] = _nothing_to_write
        self.listener: Callable[[Event], None] = _nobody
        self.bodies = Bodies(self.clock, grace_seconds)
        self._moves = moves
        self._stack = AsyncExitStack()

    def tool(self, name: str, *steps: Step, traits: Traits = SAFE, **options: Any) -> ScriptedTool:
        """Add a scripted tool."""
        made = ScriptedTool(
            name, steps, clock=self.clock, journal=self.journal, traits=traits, **options
        )
        self.tools.append(made)
        return made

    def emit(self, event: Event) -> None:
        """Keep what is told, and pass it on."""
        self.events.append(event)
        self.log.append(f"{self.clock.now():g} {line(event)}")
        self.listener(event)

    @property
    def services(self) -> Services:
        """What an executor asks of the session."""
        return Services(
            pool=assemble(self.tools),
            permission=self.permission,
            hooks=self.hooks,
            spill=self.spill,
            emit=self.emit,
            before_run=self.before_run,
        )

    def executor(
        self,
        *,
        effects: Effects | None = None,
        turn: AbortScope | None = None,
        **settings: Any,
    ) -> Executor:
        """Return an executor for one reply."""
        return Executor(
            self.services,
            self.bodies,
            self.surroundings,
            ExecutionSettings(**settings),
            effects=effects,
            turn=turn,
        )

    def told(self, call_id: str) -> list[str]:
        """Return what was told about one call, without times."""
        words = (text.partition(" ")[2].split(" ") for text in self.log)
        return [
            " ".join(word for word in some if word != call_id) for some in words if call_id in some
        ]

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        self._stack.enter_context(anyio.fail_after(PATIENCE_SECONDS))
        if self._moves:
            await self._stack.enter_async_context(self.clock)
        await self._stack.enter_async_context(self.bodies)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)


def contents(answers: Sequence[Answer]) -> dict[str, object]:
    """Return what the model reads of each call."""
    return {answer.call.id: answer.block.content for answer in answers}


async def is_idle() -> bool:
    """Return whether nothing is about to run, no task and no callback, for some rounds in a row."""
    ready: Sequence[object] = vars(asyncio.get_running_loop())["_ready"]
    busy = 0
    for _ in range(20):
        await checkpoint()
        busy += len(ready)
    return busy == 0


def examples(number: int) -> settings:
    """Return how many examples a property is tried with: at least so many, more if deep."""
    return settings(
        max_examples=max(number, settings.default.max_examples if settings.default else 0),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
