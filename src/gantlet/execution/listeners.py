"""Those who are told of a call and those who are asked about it: none of them can break it."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from gantlet.execution.call import Floor, Services
from gantlet.execution.foreign import contained, said
from gantlet.hooks import NOTHING_AFTER, NOTHING_BEFORE, AfterCall, BeforeCall, CallEvent, Moment
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

    floor: Floor
    services: Services

    async def before(self, tool: AnyTool, args: object) -> BeforeCall:
        """Return what hooks say before a call."""
        hooks = self.services.hooks
        return await self._ask(CallEvent.BEFORE, tool, args, hooks.before, NOTHING_BEFORE)

    async def after(self, tool: AnyTool, args: object, output: ToolResult[object]) -> AfterCall:
        """Return what hooks say after a success."""

        def ask(moment: Moment) -> Awaitable[AfterCall]:
            return self.services.hooks.after(moment, output)

        return await self._ask(CallEvent.AFTER, tool, args, ask, NOTHING_AFTER)

    async def after_failure(self, tool: AnyTool, args: object, message: str) -> AfterCall:
        """Return what hooks say after a failure."""

        def ask(moment: Moment) -> Awaitable[AfterCall]:
            return self.services.hooks.after_failure(moment, message, was_interrupted=False)

        return await self._ask(CallEvent.AFTER_FAILURE, tool, args, ask, NOTHING_AFTER)

    async def _ask(
        self,
        event: CallEvent,
        tool: AnyTool,
        args: object,
        ask: Callable[[Moment], Awaitable[_Answer]],
        nothing: _Answer,
    ) -> _Answer:
        """Ask hooks if any listens."""
        try:
            if not self.services.hooks.wants(event, tool.name):
                return nothing
            answer = await contained(lambda: ask(self._moment(tool, args)))
            if not isinstance(answer, type(nothing)):
                raise TypeError(f"it answered {answer!r}")  # noqa: TRY301 - same fate as raising
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            self.hook_failed(event, error)
            return nothing
        return answer

    def hook_failed(self, event: CallEvent, error: Exception) -> None:
        """Say that a hook failed: in the log, to the user, and in the record of a call that ran."""
        call = self.floor.prepared.call
        _log.error("A hook (%s) failed on a call of %s.", event, call.name, exc_info=error)
        when = "before"
        if event is not CallEvent.BEFORE:
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

    def report(self, update: object) -> None:
        """Pass progress on; what cannot be shown is dropped, because the work goes on."""
        try:
            self.floor.report(update)
        except Exception:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("Progress of %s cannot be shown.", self.floor.prepared.call.name)

    def _moment(self, tool: AnyTool, args: object) -> Moment:
        """Return what hooks are told about this call."""
        call, surroundings = self.floor.prepared.call, self.floor.surroundings
        return Moment(call, tool, args, surroundings, self.services.agent)
