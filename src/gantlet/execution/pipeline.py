"""What happens to one call, from top to bottom.

find tool → aborted? → parse input → validate → before-hooks → permission → run → after-hooks →
fit → result. Each stage passes on what the next one needs, or ends the call with an outcome.
"""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from gantlet.execution import texts
from gantlet.execution.bodies import AbandonedError, TimedOutError
from gantlet.execution.call import Services, prepare
from gantlet.execution.floor import CallFloor, stopped
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
    put_in_place,
    sound_output,
    without_bulk,
)
from gantlet.execution.oversize import size_of
from gantlet.execution.own_code import (
    inherits_check_permissions,
    inherits_to_result_block,
    inherits_validate_input,
    run_tool,
)
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
    ToolContext,
    ToolResult,
    Vote,
)
from gantlet.tool import Invalid as Misfit

_log = logging.getLogger(__name__)

#: Looked up once: every call asks for them.
_BEFORE = HookEvent.PRE_TOOL_USE
_AFTER = HookEvent.POST_TOOL_USE

#: How often a person may change a call's input before it is refused.
_MAX_CHANGES = 5


class _End(Exception):  # noqa: N818 - no error: the way out of the stages
    """The call ends here."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class CallRun:
    """One call on its way. `outcome` runs the stages; the rest is what they leave behind."""

    context: tuple[str, ...] = ()
    stop: str | None = None
    defers = False
    user_modified = False
    output: ToolResult[object] | None = None
    _known_context: ToolContext | None = None
    _known_listeners: Listeners | None = None
    _judged = NOTHING_JUDGED

    def __init__(self, floor: CallFloor, services: Services) -> None:
        self._floor = floor
        self._services = services

    async def outcome(self) -> Outcome:
        """Take the call through its stages. Every way they can end is an outcome."""
        try:
            tool = self._find()
            self._end_if_aborted()
            args = self._parsed()
            if not inherits_validate_input(tool):
                await self._validate(tool, args)
            hook_vote: Vote | None = None
            if self._wants(_BEFORE, tool):
                args, hook_vote = await self._before_hooks(tool, args)
            if hook_vote is not None or not self._is_known_to_be_allowed(tool):
                args = await self._permission(tool, args, hook_vote)
            return await self._run(tool, args)
        except _End as end:
            return await self._bounded(end.outcome)

    @property
    def _listeners(self) -> Listeners:
        """Those who are told of the call; most calls need none of them."""
        if self._known_listeners is None:
            self._known_listeners = Listeners(self._floor, self._services)
        return self._known_listeners

    def _wants(self, event: HookEvent, tool: AnyTool) -> bool:
        """Return whether any hook listens; where none does, nothing else is done about hooks."""
        try:
            return self._services.hooks.wants(event, tool.name)
        except Exception as error:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            self._listeners.hook_failed(event, error)
            return False

    def _find(self) -> AnyTool:
        """Return the tool, or end with the names nearest to what was asked for."""
        prepared = self._floor.tracked.prepared
        if prepared.tool is not None:
            return prepared.tool
        raise _End(unknown_tool(prepared.call.name, self._services.pool))

    def _end_if_aborted(self) -> None:
        """End a call that was aborted while it waited."""
        tracked = self._floor.tracked
        reason = tracked.abort.reason
        if reason is not None:
            raise _End(stopped(reason, has_run=tracked.has_run))

    def _parsed(self) -> Any:  # noqa: ANN401 - the seam where a tool's own type of args begins
        """Return the args, or end with everything that is wrong with the input."""
        parsed = self._floor.tracked.prepared.parsed
        if isinstance(parsed, Parsed):
            return parsed.args
        assert parsed is not None  # a call with a tool has been parsed
        raise _End(Invalid(texts.invalid_input(parsed.message), parsed.message))

    async def _validate(self, tool: AnyTool, args: object) -> None:
        """Let the tool look at the args in their context."""
        try:
            rejected = await contained(lambda: tool.validate_input(args, self._tool_context()))
            if rejected is not None and not isinstance(rejected, Rejected):
                raise TypeError(f"validate_input() returned {rejected!r}")  # noqa: TRY301 - same fate as raising
        except Exception as error:
            raise _End(self._failure(tool, error)) from error
        if rejected is not None:
            message = self._services.masker.text(rejected.message)
            raise _End(Invalid(texts.error(message), message, rejected.code))

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

    def _is_known_to_be_allowed(self, tool: AnyTool) -> bool:
        """Return whether the call may run as it is, by what was decided before; take note of it."""
        if not inherits_check_permissions(tool):
            return False
        floor, prepared = self._floor, self._floor.tracked.prepared
        try:
            decision = self._services.known(
                prepared.call, tool, prepared.traits, floor.ground.surroundings, floor.stretch
            )
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever it is, it is met again on the long way
            return False
        if decision is None or not decision.allows or decision.updated_input is not None:
            return False
        self._note(decision)
        self._keep_judged(decision)
        return True

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
            if not inherits_check_permissions(tool):
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
        if self._wants(HookEvent.PERMISSION_DENIED, tool):
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
        floor = self._floor
        floor.tracked.record.decision = decision
        if not floor.ground.is_heard:
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
        if not inherits_validate_input(tool):
            await self._validate(tool, args)
        return args

    async def _run(self, tool: AnyTool, args: object) -> Succeeded:
        """Run the tool and return what came of it; whatever it raises is an outcome."""
        self._end_if_aborted()
        output = self.output = self._sound(tool.name, await self._returned(tool, args))
        if self._wants(_AFTER, tool):
            output = await self._after_hooks(tool, args, output)
        content = self._content(tool, output)
        spill, call_id = self._services.spill, self._floor.tracked.prepared.call.id
        fitted = spill.fitting(call_id, content, tool.max_result_chars)
        if fitted is None:
            fitted = await spill.fit(call_id, content, tool.max_result_chars)
        return Succeeded(output if fitted is content else without_bulk(output, fitted), fitted)

    async def _returned(self, tool: AnyTool, args: object) -> object:
        """Run the tool's own code; return what it returns."""
        floor = self._floor
        make = partial(run_tool, tool, args, self._tool_context())
        self._services.reveal(tool.name)
        try:
            body = floor.begin_body(make)
            if body is None:
                return await floor.run_body(make)
            return await floor.finish_body(body) if body.has_begun else body.value
        except AbandonedError as error:
            raise _End(Unknown(texts.error(texts.UNKNOWN))) from error
        except TimedOutError as error:
            message = texts.timed_out(tool.name, tool.timeout_seconds or 0)
            failed = Failed(texts.error(message), message, "TimeoutError")
            raise _End(await self._failed(tool, args, failed)) from error
        except Exception as error:
            raise _End(await self._failed(tool, args, self._failure(tool, error))) from error

    def _failure(self, tool: AnyTool, error: Exception) -> Failed:
        """Return what a tool raised as an outcome, without its secrets."""
        return masked_failure(self._services.masker, failure_of(tool.name, error))

    def _sound(self, who: str, returned: object) -> ToolResult[object]:
        """Return what was handed back, made sound and without its secrets."""
        if type(returned) is str:  # as nearly all of them
            return ToolResult(self._services.masker.text(returned))
        return masked_output(self._services.masker, sound_output(who, returned))

    async def _failed(self, tool: AnyTool, args: object, failed: Failed) -> Failed:
        """Tell the hooks of a failure."""
        if not self._wants(HookEvent.POST_TOOL_USE_FAILURE, tool):
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
        updated = put_in_place(self._sound("A hook", answer.updated_output), output)
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
        data = output.data
        if type(data) is str and type(output) is ToolResult and inherits_to_result_block(tool):
            return data  # it was masked when it came
        try:
            content = contained_now(lambda: content_of(tool, output))
        except Exception as error:
            raise _End(self._failure(tool, error)) from error
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
        floor = self._floor
        call, surroundings = floor.tracked.prepared.call, floor.surroundings
        known = self._known_context
        if known is None or known.call is not call or known.surroundings is not surroundings:
            known = self._known_context = ToolContext(
                call,
                surroundings,
                floor.tracked.message_id,
                self._services.agent,
                self.user_modified,
                self._judged,
                floor.report,
            )
        return known


def _misfit(who: str, problems: str) -> Invalid:
    """Return the outcome of a call whose input was made wrong by somebody else."""
    message = texts.changed_input(who, problems)
    return Invalid(texts.invalid_input(message), message)


def unknown_tool(name: str, pool: Pool) -> Invalid:
    """Return the outcome of a call for a tool that does not exist."""
    text = texts.no_such_tool(name, pool.nearest(name))
    return Invalid(text, f"No such tool available: {texts.brief_name(name)}")
