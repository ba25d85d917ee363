"""An agent's hooks over its life: opened with it, kept while it is, and told when it ends."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import anyio

from gantlet.assembly.configuration import Configuration
from gantlet.assembly.hooked_asker import HookedAsker
from gantlet.assembly.hooks import HookParts, hook_settings, open_runner
from gantlet.config import ChangedFile, Settings
from gantlet.execution import Spill
from gantlet.hooks import (
    BadMatcherError,
    Function,
    Handler,
    HookEntry,
    HookEvent,
    HookRunner,
    Hooks,
    HookSession,
    Matcher,
    NoHooks,
    Occasion,
    OnFailure,
    Said,
    occasion,
)
from gantlet.loop import Conversation, Loop
from gantlet.messages import Event, JsonValue, Notice, NoticeLevel
from gantlet.permissions import Asker, Engine
from gantlet.rules import Source, SourceKind
from gantlet.tool import UserError

_Function = TypeVar("_Function", bound=Callable[..., Any])
#: What hooks are told has changed.
_SOURCES = {
    SourceKind.USER: "user_settings",
    SourceKind.PROJECT: "project_settings",
    SourceKind.LOCAL: "local_settings",
    SourceKind.POLICY: "policy_settings",
}
_IN_CODE = Source(SourceKind.COMMAND_LINE, key="@agent.hook")


class AgentHooks:
    """The hooks of one agent. The runner can be another than ours; then it is only asked."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        wake: Callable[[str], None],
        interrupt: Callable[[], None],
    ) -> None:
        self.hooks: Hooks = NoHooks()
        self._emit = emit
        self._wake = wake
        self._interrupt = interrupt
        self._runner: HookRunner | None = None
        self._stack: AsyncExitStack | None = None
        self._conversation: Conversation | None = None
        self._parts = HookParts()
        self.source = "startup"
        self._has_begun = False

    def asker(self, dialog: Asker | None, notify_seconds: float) -> Asker:
        """Return the way to a person, with the hooks on it."""
        return HookedAsker(self, dialog, self._emit, self._interrupt, notify_seconds)

    def open(
        self,
        session: HookSession,
        parts: HookParts,
        *,
        configuration: Configuration,
        conversation: Conversation,
        engine: Engine,
        spill: Spill,
        instead: Hooks | None = None,
    ) -> None:
        """Take the hooks that settings hold, and go with them when they change."""
        self._conversation = conversation
        self.source = "resume" if conversation.history.entries else "startup"
        self._parts = parts
        configuration.gate = self._let_through
        if instead is not None:
            self.hooks = instead
            return
        self.hooks = self._runner = open_runner(
            session,
            parts,
            conversation=conversation,
            configuration=configuration,
            engine=engine,
            spill=spill,
            emit=self._emit,
            wake=self._wake,
        )
        self._use(configuration.settings)
        configuration.listeners.append(lambda change: self._use(change.after))

    def _use(self, settings: Settings) -> None:
        """Take the hooks of settings, from the next event on."""
        assert self._runner is not None
        entries = (*settings.hooks, *self._parts.entries)
        self._runner.use(entries, hook_settings(settings))

    async def _let_through(self, file: ChangedFile) -> bool:
        """Return whether hooks let a changed settings file be used."""
        source = _SOURCES.get(file.kind)
        refusal = "" if source is None else await self.may_change(source, file.file)
        if refusal:
            text = f"A hook keeps the change of {file.file} from being used: {refusal}"
            self._emit(Notice(NoticeLevel.WARNING, text))
        return not refusal

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return whether any hook listens."""
        return self.hooks.wants(event, subject)

    async def fire(self, happened: Occasion) -> Said:
        """Run the hooks of an event."""
        return await self.hooks.fire(happened)

    def add(
        self,
        event: HookEvent | str,
        matcher: str = "",
        *,
        timeout: float | None = None,
        on_failure: OnFailure | str = OnFailure.CONTINUE,
    ) -> Callable[[_Function], _Function]:
        """Return a decorator that makes a function a hook.

        Raises:
            UserError: There is no such event, or the matcher is no pattern.
        """
        if self._runner is None:
            raise UserError("This agent's hooks are run by something else; add the function there.")
        try:
            wanted, pattern, failure = HookEvent(event), Matcher(matcher), OnFailure(on_failure)
        except BadMatcherError as error:
            raise UserError(f"The matcher {matcher!r} does not work: {error}.") from error
        except ValueError as error:
            raise UserError(f"A hook cannot be added: {error}.") from error
        runner = self._runner

        def take(function: _Function) -> _Function:
            handler = Handler(Function(function), timeout=timeout, on_failure=failure)
            runner.add(HookEntry(wanted, pattern, handler, _IN_CODE))
            return function

        return take

    async def enter(self) -> bool:
        """Let hooks work in the background from now on, if there are any and they do not yet.

        Return whether that is new; whoever began it ends it, with `leave`.
        """
        if self._stack is not None or self._runner is None or not self._runner.has_entries:
            return False
        stack = AsyncExitStack()
        await stack.enter_async_context(self._runner)
        self._stack = stack
        return True

    async def leave(self) -> None:
        """End what hooks still do in the background."""
        stack, self._stack = self._stack, None
        if stack is not None:
            await stack.aclose()

    async def begin_session(self, loop: Loop) -> None:
        """Tell hooks that the session begins, once."""
        if not self._has_begun:
            self._has_begun = True
            await loop.begin_session(self.source)

    async def end_session(self, reason: str) -> None:
        """Tell hooks that the session ends, if it had begun."""
        if self._has_begun and self.wants(HookEvent.SESSION_END, reason):
            with anyio.CancelScope(shield=True):
                await self.tell(HookEvent.SESSION_END, reason=reason)
        self._has_begun = False

    async def tell(self, event: HookEvent, **fields: JsonValue) -> Said:
        """Run the hooks of an event of the session as a whole."""
        assert self._conversation is not None
        return await self.fire(occasion(event, self._conversation.surroundings, None, **fields))

    async def notify(self, message: str, kind: str, title: str = "") -> None:
        """Tell hooks what the user is notified of."""
        if self.wants(HookEvent.NOTIFICATION, kind):
            more: dict[str, JsonValue] = {"title": title} if title else {}
            await self.tell(HookEvent.NOTIFICATION, message=message, notification_type=kind, **more)

    async def may_change(self, source: str, file_path: str = "") -> str:
        """Tell hooks that settings have changed; return why they must not be used, or nothing.

        A policy cannot be kept out.
        """
        if not self.wants(HookEvent.CONFIG_CHANGE, source):
            return ""
        more: dict[str, JsonValue] = {"file_path": file_path} if file_path else {}
        said = await self.tell(HookEvent.CONFIG_CHANGE, source=source, **more)
        if source == "policy_settings":
            return ""
        return said.stop or said.block or ""
