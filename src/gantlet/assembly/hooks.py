"""The hooks of an agent: what they are given, and how they answer in a person's place."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol

import anyio

from gantlet.assembly.configuration import Configuration
from gantlet.config import HOOK_FOLDER, Settings
from gantlet.execution import Spill
from gantlet.hooks import (
    CallbackHost,
    HookEntry,
    HookEvent,
    HookPorts,
    HookRunner,
    HookSession,
    HookSettings,
    McpCaller,
    Moment,
    Occasion,
    Said,
    call_occasion,
    occasion,
)
from gantlet.loop import Conversation
from gantlet.messages import (
    Behaviour,
    Event,
    ModelError,
    ModelRequest,
    Notice,
    NoticeLevel,
    Text,
    blocks_of,
    dumps,
)
from gantlet.messages.value import value
from gantlet.permissions import (
    Answer,
    Asker,
    CoordinatorAsker,
    Engine,
    No,
    Question,
    Request,
    Update,
    Yes,
    read_update,
    write_update,
)
from gantlet.rules import Rule
from gantlet.system import Environment, Masker, home_folder
from gantlet.tool import UserError, ask_traits

#: Longer words of a hook go to a file, and the model gets a preview.
MAX_CONTEXT_CHARS = 10_000
#: After so long a question that waits for a person is worth a notification.
NOTIFY_SECONDS = 6.0
_JUDGE = (
    "You decide for a hook of a coding agent whether something is all right. Answer with one JSON"
    ' object and nothing else: {"ok": true} if it is, {"ok": false, "reason": "…"} if it is not.'
    ' Where what is asked for can never become true, add "impossible": true.'
)
_JUDGE_TOKENS = 1_000


@value
class HookParts:
    """What a program may bring along for its agent's hooks.

    Attributes:
        entries: More hooks than the settings hold: of the program that drives us, of plug-ins.
        callbacks: Where the functions are that entries know by an id.
        mcp: The servers whose tools hooks may call.
        notify_seconds: How long a question waits for a person before hooks are notified.
    """

    entries: tuple[HookEntry, ...] = ()
    callbacks: CallbackHost | None = None
    mcp: McpCaller | None = None
    notify_seconds: float = NOTIFY_SECONDS


def hook_settings(settings: Settings) -> HookSettings:
    """Return what settings say about hooks besides the hooks that count."""
    return HookSettings(
        http_urls=settings.texts("allowedHttpHookUrls"),
        http_variables=settings.texts("httpHookAllowedEnvVars"),
        env=settings.child_env,
    )


def open_runner(
    session: HookSession,
    parts: HookParts,
    *,
    conversation: Conversation,
    configuration: Configuration,
    engine: Engine,
    spill: Spill,
    emit: Callable[[Event], None],
    wake: Callable[[str], None],
) -> HookRunner:
    """Return who runs the hooks of a session."""
    numbers = count(1)
    environment = configuration.environment
    masker = Masker({**environment.variables, **configuration.settings.child_env})

    async def fit(text: str) -> str:
        if len(text) <= MAX_CONTEXT_CHARS:
            return text
        name = f"hook-{session.session_id}-{next(numbers)}"
        return str(await spill.fit(name, text, MAX_CONTEXT_CHARS))

    ports = HookPorts(
        emit=emit,
        asker=ModelJudge(conversation),
        mcp=parts.mcp,
        callbacks=parts.callbacks,
        condition=partial(_holds, engine),
        mask=masker.text,
        fit=fit,
        refresh=configuration.refresh,
        wake=wake,
        variables=environment.variables,
        env_file=env_file_of(session.session_id, environment),
    )
    return HookRunner(session, ports=ports)


def env_file_of(session_id: str, environment: Environment) -> Path:
    """Return where hooks write variables for the commands of a session."""
    return home_folder(environment) / HOOK_FOLDER / f"{session_id}.sh"


def _holds(engine: Engine, rule: Rule, moment: Moment) -> bool:
    """Return whether a hook's condition holds for a call."""
    traits = ask_traits(moment.tool, moment.args)
    request = Request(
        moment.call, moment.tool, moment.args, traits, moment.surroundings, moment.agent
    )
    return engine.means(rule, request)


@value
class ModelJudge:
    """The agent's own model, asked for a hook, outside the conversation."""

    conversation: Conversation

    async def ask(self, prompt: str, model: str, *, with_tools: bool) -> str:
        """Return the model's words.

        Raises:
            LookupError: The hook wants an agent, which cannot be had here.
        """
        if with_tools:
            raise LookupError("Hooks of type agent are not run here; use one of type prompt.")
        talk = self.conversation
        question = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        request = ModelRequest(
            model=model or talk.model_name,
            max_tokens=_JUDGE_TOKENS,
            messages=[dumps(question)],
            system=dumps([{"type": "text", "text": _JUDGE}]),
        )
        try:
            reply = await talk.model.complete(request)
        except ModelError as error:
            raise LookupError(f"The model could not be asked: {error}") from error
        return "".join(block.text for block in blocks_of(reply) if isinstance(block, Text))


class Fires(Protocol):
    """Whoever can be told that something happens."""

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return whether any hook listens."""

    async def fire(self, happened: Occasion, /) -> Said:
        """Run the hooks of an event."""


@value
class HookedAsker:
    """Asks the user's hooks before, or beside, the way to a person."""

    hooks: Fires
    dialog: Asker | None
    emit: Callable[[Event], None]
    interrupt: Callable[[], None]
    notify_seconds: float = NOTIFY_SECONDS

    async def ask(self, question: Question) -> None:
        """Let hooks answer; show the dialog where there is one."""
        dialog = self.dialog
        if dialog is not None and self.hooks.wants(HookEvent.NOTIFICATION, "permission_prompt"):
            dialog = _Notifying(self.hooks, dialog, self.notify_seconds)
        if self.hooks.wants(HookEvent.PERMISSION_REQUEST, question.request.tool.name):
            check = _RequestCheck(self.hooks, self.emit, self.interrupt)
            await CoordinatorAsker((check,), dialog).ask(question)
        elif dialog is not None:
            await dialog.ask(question)

    def quietly(self) -> Asker | None:
        """Return the part that disturbs no person: hooks, and what else does not."""
        quiet = None if self.dialog is None else self.dialog.quietly()
        if not self.hooks.wants(HookEvent.PERMISSION_REQUEST):
            return quiet
        return HookedAsker(self.hooks, quiet, self.emit, self.interrupt)


@value
class _Notifying:
    """A dialog that hooks are told of when it waits for long."""

    hooks: Fires
    dialog: Asker
    seconds: float

    async def ask(self, question: Question) -> None:
        """Show the dialog, and notify after a while."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._notify, question)
            await self.dialog.ask(question)
            tasks.cancel_scope.cancel()

    async def _notify(self, question: Question) -> None:
        """Tell hooks that somebody is waited for."""
        await anyio.sleep(self.seconds)
        request = question.request
        await self.hooks.fire(
            occasion(
                HookEvent.NOTIFICATION,
                request.surroundings,
                request.agent,
                message=f"Permission is needed to use {request.tool.name}",
                notification_type="permission_prompt",
            )
        )

    def quietly(self) -> Asker | None:
        """Return the part that disturbs nobody."""
        return self.dialog.quietly()


@value
class _RequestCheck:
    """The hooks for permission requests, as one automatic check."""

    hooks: Fires
    emit: Callable[[Event], None]
    interrupt: Callable[[], None]

    async def check(self, question: Question) -> Answer | None:
        """Return what hooks answer, or None to leave it to others."""
        said = await self.hooks.fire(_request_occasion(question))
        if said.stop is not None:
            self.interrupt()
            return No(words=said.stop, by="hook")
        request = said.request
        if request is None:
            return None
        if not request.allows:
            if request.interrupts:
                self.interrupt()
            return No(words=request.message or "A hook denied it.", by="hook")
        if not _may_allow(question):
            text = "A hook's yes does not count: a rule wants a person to decide."
            self.emit(Notice(NoticeLevel.WARNING, text, question.request.call.id))
            return None
        return Yes(request.updated_input, self._updates(request.updated_permissions), by="hook")

    def _updates(self, listed: tuple[Mapping[str, object], ...]) -> tuple[Update, ...]:
        """Return the changes a hook wants; one that is none is told of and left out."""
        updates: list[Update] = []
        for one in listed:
            try:
                updates.append(read_update(one))
            except UserError as error:
                text = f"A hook's permission update is not used: {error}"
                self.emit(Notice(NoticeLevel.WARNING, text))
        return tuple(updates)

    def noted(self, answer: Answer) -> None:
        """Take no note: hooks keep no count."""


def _may_allow(question: Question) -> bool:
    """Return whether a hook's yes counts: not where a rule or a guard wants a person."""
    asks = [one for one in question.verdict.ballots if one.behaviour is Behaviour.ASK]
    return all(ask.is_checkable for ask in asks)


def _request_occasion(question: Question) -> Occasion:
    """Return what hooks are told of a question."""
    request = question.request
    moment = Moment(request.call, request.tool, request.args, request.surroundings, request.agent)
    return call_occasion(
        HookEvent.PERMISSION_REQUEST,
        moment,
        permission_suggestions=[write_update(one) for one in question.verdict.suggestions],
    )
