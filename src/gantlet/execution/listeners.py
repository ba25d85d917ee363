"""Those who are told of a call and those who are asked about it: none of them can break it."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gantlet.execution import texts
from gantlet.execution.call import Services
from gantlet.execution.floor import CallFloor
from gantlet.execution.foreign import contained, said
from gantlet.hooks import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    HookEvent,
    Moment,
    call_occasion,
)
from gantlet.messages import Event, Notice, NoticeLevel
from gantlet.messages.value import value
from gantlet.tool import AnyTool, ToolResult

_log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer", BeforeCall, AfterCall)


@value
class Listeners:
    """The hooks and the surfaces, as one call sees them.

    A hook that fails abstains, and the user is told. A surface that fails is in the log.
    """

    floor: CallFloor
    services: Services

    async def before(self, tool: AnyTool, args: object) -> BeforeCall:
        """Return what hooks say before a call."""
        hooks = self.services.hooks
        return await self._ask(HookEvent.PRE_TOOL_USE, tool, args, hooks.before, NOTHING_BEFORE)

    async def after(self, tool: AnyTool, args: object, output: ToolResult[object]) -> AfterCall:
        """Return what hooks say after a success."""

        def ask(moment: Moment) -> Awaitable[AfterCall]:
            return self.services.hooks.after(moment, output)

        return await self._ask(HookEvent.POST_TOOL_USE, tool, args, ask, NOTHING_AFTER)

    async def after_failure(self, tool: AnyTool, args: object, message: str) -> AfterCall:
        """Return what hooks say after a failure."""

        def ask(moment: Moment) -> Awaitable[AfterCall]:
            return self.services.hooks.after_failure(moment, message, was_interrupted=False)

        return await self._ask(HookEvent.POST_TOOL_USE_FAILURE, tool, args, ask, NOTHING_AFTER)

    async def denied(self, tool: AnyTool, args: object, reason: str) -> AfterCall:
        """Return what hooks say when a call was denied: perhaps that it may be tried again."""

        async def ask(moment: Moment) -> AfterCall:
            event = HookEvent.PERMISSION_DENIED
            told = await self.services.hooks.fire(call_occasion(event, moment, reason=reason))
            return AfterCall((texts.MAY_RETRY,) if told.retries else (), stop=told.stop)

        return await self._ask(HookEvent.PERMISSION_DENIED, tool, args, ask, NOTHING_AFTER)

    def interrupted(self, tool: AnyTool, args: object, message: str) -> None:
        """Tell hooks of a call that was interrupted; nobody waits for them."""
        event = HookEvent.POST_TOOL_USE_FAILURE
        try:
            if self.services.hooks.wants(event, tool.name):
                self.services.hooks.interrupted(self._moment(tool, args), message)
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            self.hook_failed(event, error)

    async def _ask(
        self,
        event: HookEvent,
        tool: AnyTool,
        args: object,
        ask: Callable[[Moment], Awaitable[_Answer]],
        nothing: _Answer,
    ) -> _Answer:
        """Ask hooks that listen."""
        try:
            answer = await contained(lambda: ask(self._moment(tool, args)))
            if not isinstance(answer, type(nothing)):
                raise TypeError(f"it answered {answer!r}")  # noqa: TRY301 - same fate as raising
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            self.hook_failed(event, error)
            return nothing
        finally:
            self.floor.end_stretch()
        return answer

    def hook_failed(self, event: HookEvent, error: Exception) -> None:
        """Say that a hook failed: in the log, to the user, and in the record of a call that ran."""
        call = self.floor.prepared.call
        _log.error("A hook (%s) failed on a call of %s.", event, call.name, exc_info=error)
        when = "before"
        if event in {HookEvent.POST_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE}:
            when = "after"
            self.floor.record.post_hook_error = said(error)
        text = f"A hook failed {when} {call.name}: {said(error)}"
        self.tell(Notice(NoticeLevel.WARNING, text, call.id))

    def tell(self, event: Event) -> None:
        """Tell whoever listens; one who breaks is not allowed to break a call."""
        try:
            self.services.emit(event)
        except Exception:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("Telling of %s failed.", type(event).__name__)

    def _moment(self, tool: AnyTool, args: object) -> Moment:
        """Return what hooks are told about this call."""
        call, surroundings = self.floor.prepared.call, self.floor.surroundings
        return Moment(call, tool, args, surroundings, self.services.agent, self.floor.elapsed())
