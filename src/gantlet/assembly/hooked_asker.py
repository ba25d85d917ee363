"""How the user's hooks answer in a person's place, and are told when one is waited for."""

from collections.abc import Callable, Mapping
from typing import Protocol

import anyio

from gantlet.assembly.hooks import NOTIFY_SECONDS
from gantlet.hooks import HookEvent, Moment, Occasion, Said, call_occasion, occasion
from gantlet.messages import Behaviour, Event, Notice, NoticeLevel
from gantlet.messages.value import value
from gantlet.permissions import (
    Answer,
    Asker,
    CoordinatorAsker,
    No,
    Question,
    Update,
    Yes,
    read_update,
    write_update,
)
from gantlet.tool import UserError


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
