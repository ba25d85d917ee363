"""What happens to one call, from top to bottom.

find tool → aborted? → parse input → validate → before-hooks → permission → run → after-hooks →
fit → result. Each stage passes on what the next one needs, or ends the call with an outcome.
"""

import inspect
import logging
from collections.abc import Mapping
from typing import Any

from gantlet.execution import texts
from gantlet.execution.bodies import AbandonedError, TimedOutError
from gantlet.execution.call import Floor, Services, prepare
from gantlet.execution.foreign import class_of, contained, contained_now, failure_of
from gantlet.execution.listeners import Listeners
from gantlet.execution.masking import masked_content, masked_failure, masked_output
from gantlet.execution.outcome import (
    Cancelled,
    Denied,
    Failed,
    Invalid,
    Outcome,
    Succeeded,
    Unknown,
)
from gantlet.execution.outputs import (
    content_of,
    finished,
    put_in_place,
    sound_output,
    without_bulk,
)
from gantlet.execution.oversize import size_of
from gantlet.hooks import AfterCall, BeforeCall, HookEvent
from gantlet.messages import PermissionDecided, Text, dumps, freeze
from gantlet.messages.value import replace
from gantlet.permissions import NO_FACTS, Decision, Request
from gantlet.pool import Pool
from gantlet.tool import (
    NOTHING_JUDGED,
    Allow,
    AnyTool,
    Judged,
    Parsed,
    Rejected,
    ResultContent,
    Tool,
    ToolContext,
    ToolResult,
    Vote,
)
from gantlet.tool import Invalid as Misfit

_log = logging.getLogger(__name__)

#: How often a person may change a call's input before it is refused.
_MAX_CHANGES = 5


class _End(Exception):  # noqa: N818 - no error: the way out of the stages
    """The call ends here."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class CallRun:
    """One call on its way. `outcome` runs the stages; the rest is what they leave behind."""

    def __init__(self, floor: Floor, services: Services) -> None:
        self._floor = floor
        self._services = services
        self._listeners = Listeners(floor, services)
        self.context: tuple[str, ...] = ()
        self.stop: str | None = None
        self.defers = False
        self.user_modified = False
        self.output: ToolResult[object] | None = None
        self._known_context: ToolContext | None = None
        self._judged = NOTHING_JUDGED

    async def outcome(self) -> Outcome:
        """Take the call through its stages. Every way they can end is an outcome."""
        try:
            return await self._stages()
        except _End as end:
            return await self._bounded(end.outcome)

    async def _stages(self) -> Succeeded:
        tool = self._find()
        self._end_if_aborted()
        args = self._parsed()
        if not _is_inherited(tool, "validate_input"):
            await self._validate(tool, args)
        hook_vote: Vote | None = None
        if self._listeners.wants(HookEvent.PRE_TOOL_USE, tool):
            args, hook_vote = await self._before_hooks(tool, args)
        args = await self._permission(tool, args, hook_vote)
        self._end_if_aborted()
        output = await self._run(tool, args)
        if self._listeners.wants(HookEvent.POST_TOOL_USE, tool):
            output = await self._after_hooks(tool, args, output)
        content = self._content(tool, output)
        call_id = self._floor.prepared.call.id
        fitted = await self._services.spill.fit(call_id, content, tool.max_result_chars)
        return Succeeded(output if fitted is content else without_bulk(output, fitted), fitted)

    def _find(self) -> AnyTool:
        """Return the tool, or end with the names nearest to what was asked for."""
        prepared = self._floor.prepared
        if prepared.tool is not None:
            return prepared.tool
        raise _End(unknown_tool(prepared.call.name, self._services.pool))

    def _end_if_aborted(self) -> None:
        """End a call that was aborted while it waited."""
        ended = self._floor.check_aborted()
        if ended is not None:
            raise _End(ended)

    def _parsed(self) -> Any:  # noqa: ANN401 - the seam where a tool's own type of args begins
        """Return the args, or end with everything that is wrong with the input."""
        match self._floor.prepared.parsed:
            case Parsed(args):
                return args
            case Misfit() as misfit:
                raise _End(Invalid(texts.invalid_input(misfit.message), misfit.message))
            case None:
                raise AssertionError("a call with a tool has been parsed")

    async def _validate(self, tool: AnyTool, args: object) -> None:
        """Let the tool look at the args in their context."""
        try:
            rejected = await contained(lambda: tool.validate_input(args, self._tool_context()))
            if rejected is not None and not isinstance(rejected, Rejected):
                raise TypeError(f"validate_input() returned {rejected!r}")  # noqa: TRY301 - same fate as raising
        except Exception as error:
            raise _End(failure_of(tool.name, error)) from error
        if rejected is not None:
            raise _End(Invalid(texts.error(rejected.message), rejected.message, rejected.code))

    async def _before_hooks(self, tool: AnyTool, args: Any) -> tuple[Any, Vote | None]:  # noqa: ANN401 - the args
        """Ask the hooks; an input they change is parsed and looked at again."""
        answer = await self._listeners.before(tool, args)
        self._end_if_aborted()
        self._take(answer)
        if answer.stop is not None:
            raise _End(self._denied(Decision.deny(answer.stop, "hook")))
        if answer.defers:
            self.defers = True
            raise _End(Cancelled(texts.DEFERRED))
        if answer.updated_input is not None:
            args = await self._changed(tool, answer.updated_input, "A hook")
        return args, answer.vote

    async def _permission(self, tool: AnyTool, args: Any, hook_vote: Vote | None) -> Any:  # noqa: ANN401 - the args
        """Have the call judged; an input that a person changed is parsed and judged again."""
        for changes_left in range(_MAX_CHANGES, -1, -1):
            decision = await self._judge(tool, args, hook_vote)
            if not decision.allows:
                raise _End(await self._refused(tool, args, decision))
            self._note(decision)
            updated = decision.updated_input
            if updated is None or self._is_as_it_was(updated):
                self._keep_judged(decision)
                return args
            if changes_left == 0:
                break
            self.user_modified = True
            args = await self._changed(tool, updated, "The user")
            if isinstance(hook_vote, Allow):
                hook_vote = None  # the hook has not seen this input
        raise _End(self._denied(Decision.deny("its input was changed too often", "pipeline")))

    async def _judge(self, tool: AnyTool, args: object, hook_vote: Vote | None) -> Decision:
        """Ask whether the call may run; who cannot answer says no."""
        prepared = self._floor.prepared
        try:
            tool_vote: Vote | None = None
            if not _is_inherited(tool, "check_permissions"):
                context = self._tool_context()
                tool_vote = await contained(lambda: tool.check_permissions(args, context))
            request = Request(
                call=prepared.call,
                tool=tool,
                args=args,
                traits=prepared.traits,
                surroundings=self._floor.surroundings,
                agent=self._services.agent,
                hook_vote=hook_vote,
                tool_vote=tool_vote,
            )
            decision = contained_now(lambda: self._services.known(request))
            if decision is None:
                decision = await contained(lambda: self._services.permission.decide(request))
            if not isinstance(decision, Decision):
                raise TypeError(f"the answer was {decision!r}")  # noqa: TRY301 - same fate as raising
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("Judging a call of %s failed; it is denied.", tool.name)
            reason = f"whether it may run could not be decided, because of {class_of(error)}"
            return Decision.deny(reason, "pipeline")
        return decision

    def _keep_judged(self, decision: Decision) -> None:
        """Keep what was found out about the call's paths, for its tool."""
        if decision.facts is not NO_FACTS or not decision.withheld.is_empty:
            self._judged = Judged(decision.facts.judged(), decision.withheld)
            self._known_context = None

    async def _refused(self, tool: AnyTool, args: object, decision: Decision) -> Denied:
        """Return the outcome of a no, and tell the hooks of it."""
        denied = self._denied(decision)
        if self._listeners.wants(HookEvent.PERMISSION_DENIED, tool):
            self._take(await self._listeners.denied(tool, args, decision.reason))
        return denied

    def _denied(self, decision: Decision) -> Denied:
        """Return the outcome of a no."""
        self._note(decision)
        if decision.ends_turn:
            self.stop = decision.reason
        text = texts.denied(decision.reason, decision.said_by)
        if decision.attachments:
            return Denied((Text(text), *decision.attachments), decision)
        return Denied(text, decision)

    def _note(self, decision: Decision) -> None:
        """Record a decision and tell of it."""
        self._floor.record.decision = decision
        if not self._floor.is_heard:
            return
        self._listeners.tell(
            PermissionDecided(
                self._floor.prepared.call.id,
                decision.behaviour,
                decision.reason,
                decision.layer,
                decision.rule or None,
                decision.source or None,
            )
        )

    def _is_as_it_was(self, updated: Mapping[str, Any]) -> bool:
        """Return whether an input that came back is the one that was judged, to the letter."""
        try:
            return dumps(freeze(updated)) == dumps(self._floor.prepared.call.input)
        except (TypeError, ValueError):
            return False

    async def _changed(self, tool: AnyTool, updated: Mapping[str, Any], who: str) -> Any:  # noqa: ANN401 - the args
        """Parse a changed input, look at it again, and wait for what it touches now."""
        try:
            call = replace(self._floor.prepared.call, input=updated)
        except (TypeError, ValueError) as error:
            raise _End(_misfit(who, str(error))) from error
        prepared = prepare(call, self._services.pool)
        if isinstance(prepared.parsed, Misfit):
            raise _End(_misfit(who, prepared.parsed.message))
        await self._floor.regrant(prepared)
        if tool.keeps_input:
            self._floor.record.input_snapshot = call.input
        self._end_if_aborted()
        args = self._parsed()
        if not _is_inherited(tool, "validate_input"):
            await self._validate(tool, args)
        return args

    async def _run(self, tool: AnyTool, args: object) -> ToolResult[object]:
        """Run the tool; whatever it raises is an outcome."""
        context = self._tool_context()
        self._services.reveal((tool.name,))
        try:
            returned = await self._floor.run_body(
                lambda: contained(lambda: _call(tool, args, context))
            )
        except AbandonedError as error:
            raise _End(Unknown(texts.error(texts.UNKNOWN))) from error
        except TimedOutError as error:
            message = texts.timed_out(tool.name, tool.timeout_seconds or 0)
            failed = Failed(texts.error(message), message, "TimeoutError")
            raise _End(await self._failed(tool, args, failed)) from error
        except Exception as error:
            failed = masked_failure(self._services.masker, failure_of(tool.name, error))
            raise _End(await self._failed(tool, args, failed)) from error
        self.output = masked_output(self._services.masker, sound_output(tool.name, returned))
        return self.output

    async def _failed(self, tool: AnyTool, args: object, failed: Failed) -> Failed:
        """Tell the hooks of a failure."""
        if not self._listeners.wants(HookEvent.POST_TOOL_USE_FAILURE, tool):
            return failed
        self._take(await self._listeners.after_failure(tool, args, failed.message))
        return failed

    def tell_interrupted(self, outcome: Outcome) -> None:
        """Tell the hooks of a call that was ended while its tool ran."""
        prepared = self._floor.prepared
        if prepared.tool is None or not isinstance(prepared.parsed, Parsed):
            return
        if self._floor.elapsed() is not None and not isinstance(outcome, Succeeded):
            args = prepared.parsed.args
            self._listeners.interrupted(prepared.tool, args, str(outcome.content))

    async def _after_hooks(
        self, tool: AnyTool, args: object, output: ToolResult[object]
    ) -> ToolResult[object]:
        """Tell the hooks of a success; they may put another output in its place."""
        answer = await self._listeners.after(tool, args, output)
        self._take(answer)
        if answer.updated_output is None:
            return output
        told = masked_output(self._services.masker, sound_output("A hook", answer.updated_output))
        updated = put_in_place(told, output)
        try:
            contained_now(lambda: content_of(tool, updated))
        except Exception as error:  # noqa: BLE001 - what a tool cannot show is as if it had not been said
            self._listeners.hook_failed(HookEvent.POST_TOOL_USE, error)
            return output
        self.output = updated
        return updated

    def _take(self, answer: BeforeCall | AfterCall) -> None:
        """Keep what hooks want to be said, and whether the turn should end."""
        self.context += answer.context
        if answer.stop is not None:
            self.stop = answer.stop

    def _content(self, tool: AnyTool, output: ToolResult[object]) -> ResultContent:
        """Turn the output into what the model reads, without its secrets."""
        try:
            content = contained_now(lambda: content_of(tool, output))
        except Exception as error:
            raise _End(failure_of(tool.name, error)) from error
        return masked_content(self._services.masker, content)

    async def _bounded(self, outcome: Outcome) -> Outcome:
        """Return an outcome without a result so that the model can take what it reads of it."""
        tool, call_id = self._floor.prepared.tool, self._floor.prepared.call.id
        content, spill = outcome.content, self._services.spill
        if isinstance(outcome, Succeeded) or tool is None:
            return outcome
        if size_of(content) <= tool.max_failure_chars:
            return outcome
        if isinstance(outcome, Denied):
            fitted = await spill.fit(call_id, content, tool.max_failure_chars)
            return replace(outcome, content=fitted)
        if not isinstance(outcome, Failed | Invalid):
            return outcome
        text = texts.unwrapped(str(content))
        fitted = await spill.fit(call_id, text, tool.max_failure_chars)
        wrapped = texts.like(str(content), str(fitted))
        return replace(outcome, content=wrapped, message=str(fitted))

    def _tool_context(self) -> ToolContext:
        """Return what the tool is told about this call; made again only when something changed."""
        call, surroundings = self._floor.prepared.call, self._floor.surroundings
        known = self._known_context
        if known is None or known.call is not call or known.surroundings is not surroundings:
            known = ToolContext(
                call=call,
                surroundings=surroundings,
                message_id=self._floor.message_id,
                agent=self._services.agent,
                user_modified=self.user_modified,
                judged=self._judged,
                report=self._listeners.report,
            )
            self._known_context = known
        return known


def _is_inherited(tool: AnyTool, method: str) -> bool:
    """Return whether a tool has left a method as it is, so that there is nothing to ask."""
    if getattr(type(tool), method, None) is not getattr(Tool, method):
        return False
    return method not in getattr(tool, "__dict__", ())


async def _call(tool: AnyTool, args: object, context: ToolContext) -> object:
    """Run a tool, also one whose `run` is not a coroutine."""
    returned: object = tool.run(args, context)
    if inspect.isawaitable(returned):
        returned = await returned
    return finished(returned)


def _misfit(who: str, problems: str) -> Invalid:
    """Return the outcome of a call whose input was made wrong by somebody else."""
    message = texts.changed_input(who, problems)
    return Invalid(texts.invalid_input(message), message)


def unknown_tool(name: str, pool: Pool) -> Invalid:
    """Return the outcome of a call for a tool that does not exist."""
    text = texts.no_such_tool(name, pool.nearest(name))
    return Invalid(text, f"No such tool available: {texts.brief_name(name)}")
