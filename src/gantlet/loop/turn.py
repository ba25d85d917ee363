"""From the user's words to the model's last: steps, until there is nothing left to do."""

from collections import deque
from dataclasses import field

from gantlet.execution import (
    Abort,
    AbortKind,
    AbortScope,
    Answer,
    Bodies,
    Denied,
    ExecutionSettings,
    Services,
)
from gantlet.hooks import NOTHING_SAID, HookEvent, Said
from gantlet.loop import continuing
from gantlet.loop.attachments import (
    CONTINUE,
    INTERRUPTED_SPEAKING,
    INTERRUPTED_TOOLS,
    answer_message,
)
from gantlet.loop.compactor import Compactor
from gantlet.loop.continuing import Continuing, refusal_text
from gantlet.loop.conversation import Conversation
from gantlet.loop.deferring import put_off, refused_deferrals
from gantlet.loop.limits import Limits, Meter
from gantlet.loop.repetition import Repetition
from gantlet.loop.step import StepResult, StepRunner
from gantlet.loop.turn_hooks import TurnHooks
from gantlet.loop.turn_result import Priority, TurnResult
from gantlet.messages import (
    AssistantMessage,
    CallDeferred,
    CompactionTrigger,
    ModelError,
    ModelErrorKind,
    ModelSwitched,
    Notice,
    NoticeLevel,
    StepStarted,
    StopReason,
    Text,
    ToolUse,
    TurnEnd,
    TurnFinished,
    TurnStarted,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace, slotted


class _End(Exception):  # noqa: N818 - no error: the way out of the steps
    """The turn ends here."""

    def __init__(self, reason: TurnEnd, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@slotted
class _Turn:
    """What one turn keeps while it runs."""

    meter: Meter
    repetition: Repetition = field(default_factory=Repetition)
    answers: list[Answer] = field(default_factory=list)
    last: AssistantMessage | None = None
    stop_reason: str | None = None
    continuing: Continuing = field(default_factory=Continuing)
    is_paused: bool = False
    unpriced: set[str] = field(default_factory=set)
    error: ModelError | None = None


class Loop:
    """Runs turns of a conversation, one at a time."""

    def __init__(
        self,
        conversation: Conversation,
        services: Services,
        bodies: Bodies,
        execution: ExecutionSettings | None = None,
    ) -> None:
        self.conversation = conversation
        self._services = services
        self._bodies = bodies
        self._execution = execution or ExecutionSettings()
        self._hooks = TurnHooks(
            services.hooks, conversation, services.agent, conversation.settings.stop_hook_cap
        )
        self._begun: Said = NOTHING_SAID
        self._woken: list[str] = []
        self._compactor = Compactor(conversation, self._hooks)
        self._abort = AbortScope()
        self._queued: deque[tuple[Priority, UserMessage]] = deque()
        self.is_running = False
        #: What hooks call the session.
        self.title = ""

    def interrupt(self) -> None:
        """End the turn: what is being said, and every call."""
        self._abort.abort(Abort(AbortKind.USER))

    def send(self, message: UserMessage, priority: Priority = Priority.NEXT) -> None:
        """Take what the user says during a turn: for the next step, after it, or right now."""
        self._queued.append((priority, message))
        if priority is Priority.NOW:
            self._abort.abort(Abort(AbortKind.MESSAGE))

    def wake(self, text: str) -> None:
        """Have the model read something that is no word of the user's, before the turn ends."""
        self._woken.append(text)

    def next_waiting(self) -> UserMessage | None:
        """Return, and take off the queue, a message that waits for a turn of its own."""
        return self._queued.popleft()[1] if self._queued else None

    async def compact(self, instructions: str = "") -> bool:
        """Sum the conversation up on demand; return whether that worked."""
        return await self._compactor.sum_up(CompactionTrigger.MANUAL, instructions)

    async def begin_session(self, source: str) -> None:
        """Tell hooks that the session begins or is resumed."""
        self._begun = await self._hooks.on_session_start(source) or NOTHING_SAID
        self.title = self._begun.session_title

    async def run_turn(self, prompt: UserMessage | None) -> TurnResult:
        """Run one turn to its end. Never raises for what a model, a tool or a user does.

        A call that a hook had put off is asked again first; then there need be no prompt.
        """
        self.is_running = True
        try:
            return await self._run_turn(prompt)
        finally:
            self.is_running = False

    async def _run_turn(self, prompt: UserMessage | None) -> TurnResult:
        """Run one turn to its end."""
        talk = self.conversation
        turn = _Turn(Meter(self._bodies.clock.now()))
        talk.model_name = talk.settings.model
        errors: tuple[str, ...] = ()
        try:
            if self._begun.stop is not None:
                raise _End(TurnEnd.HOOK_STOPPED, self._begun.stop)  # noqa: TRY301 - the way out
            if prompt is not None:
                if self._hooks.hears_prompts or self._begun is not NOTHING_SAID:
                    prompt = await self._looked_at(prompt)
                talk.emit(TurnStarted(prompt))
            talk.reminders += self._hooks.late()
            call, talk.deferred = talk.deferred, None
            reason: TurnEnd | None = None
            if call is not None and call in talk.history.open_calls:
                reason = await self._take_up(turn, call, prompt)
            elif prompt is not None:
                talk.begin(prompt)
            reason = reason or await self._steps(turn)
        except _End as end:
            reason, errors = end.reason, (end.message,) if end.message else ()
        except ModelError as error:
            too_long = error.kind is ModelErrorKind.PROMPT_TOO_LONG
            reason = TurnEnd.PROMPT_TOO_LONG if too_long else TurnEnd.API_ERROR
            errors, turn.error = (str(error),), error
        return self._finished(turn, reason, errors)

    async def _looked_at(self, prompt: UserMessage) -> UserMessage:
        """Return the user's words as hooks leave them, or end the turn without them."""
        begun, self._begun = self._begun, NOTHING_SAID
        if begun.first_prompt:
            prompt = replace(prompt, content=(Text(begun.first_prompt), *blocks_of(prompt)))
        heard = await self._hooks.on_prompt(prompt)
        self.title = heard.title or self.title
        if heard.prompt is None:
            raise _End(TurnEnd.HOOK_STOPPED, heard.refusal)
        return heard.prompt

    async def _take_up(
        self, turn: _Turn, call: ToolUse, prompt: UserMessage | None
    ) -> TurnEnd | None:
        """Ask a call again that was put off, then pass the user's words on."""
        talk = self.conversation
        result = await self._runner().run_again(call, talk.surroundings)
        talk.surroundings = result.surroundings
        turn.answers += result.answers
        if put_off(result.answers) is None or self._abort.reason is not None:
            talk.answer(result.answers, queued=[] if prompt is None else [prompt])
        elif prompt is not None:
            self._warn(f"{call.name} was put off again; what you said was not passed on.")
        if self._services.pool.find(call.name) is None:
            text = f"{call.name}, which was put off, is not there any more."
            raise _End(TurnEnd.TOOL_DEFERRED_UNAVAILABLE, text)
        if self._abort.reason is not None:
            return TurnEnd.ABORTED_TOOLS
        return self._end_after_calls(turn, result)

    async def _steps(self, turn: _Turn) -> TurnEnd:
        """Take steps until one of them ends the turn."""
        while True:
            self._check_limits(turn)
            await self._compactor.make_room_if_needed()
            result = await self._step(turn)
            self._keep_reply(turn, result)
            ended = await self._go_on(turn, result)
            if ended is not None:
                return ended

    def _check_limits(self, turn: _Turn) -> None:
        """End the turn at a limit."""
        limits = self.conversation.settings.limits
        self._check_budget(turn, limits)
        hit = turn.meter.hit(limits, self._bodies.clock.now())
        if hit is None:
            return
        self.conversation.add(answer_message((), queued=self._take_queued()))
        raise _End(hit.reason, hit.message)

    def _check_budget(self, turn: _Turn, limits: Limits) -> None:
        """Say that a budget cannot be kept; without another limit the turn ends for it."""
        talk = self.conversation
        why = limits.unkept_budget(talk.capabilities)
        if not why or talk.model_name in turn.unpriced:
            return
        turn.unpriced.add(talk.model_name)
        if not limits.has_other:
            advice = "Set max_turns, max_output_tokens or max_seconds too."
            raise _End(TurnEnd.BUDGET_EXHAUSTED, f"{why} {advice}")
        self._warn(f"{why} The other limits hold.")

    async def _step(self, turn: _Turn) -> StepResult:
        """Ask the model once; try what helps when it does not answer."""
        talk = self.conversation
        runner = self._runner()
        began = self._bodies.clock.now()
        turn.meter.steps += 1
        talk.emit(StepStarted(turn.meter.steps, talk.model_name))
        while True:
            try:
                request = talk.request(doublings=turn.continuing.doublings)
                result = await runner.take(request, talk.surroundings, talk.history.ids)
                break
            except ModelError as error:
                await self._recover(error)
            except BaseException:
                self._record_cut_off(turn, runner.cut_off)
                raise
        turn.meter.model_seconds += self._bodies.clock.now() - began
        turn.meter.add(result.usage, talk.capabilities)
        talk.surroundings = result.surroundings
        return result

    def _runner(self) -> StepRunner:
        """Return who takes a step."""
        talk = self.conversation
        return StepRunner(
            model=talk.model,
            services=self._services,
            bodies=self._bodies,
            execution=self._execution,
            effects=talk.effects,
            abort=self._abort,
        )

    async def _recover(self, error: ModelError) -> None:
        """Make room, or go to a fallback model, where that helps; else pass the failure on."""
        talk = self.conversation
        if self._abort.reason is not None:
            raise _End(TurnEnd.ABORTED_STREAMING)
        if error.kind is ModelErrorKind.PROMPT_TOO_LONG:
            await self._compactor.make_room(error)
            return
        models = [talk.settings.model, *talk.settings.fallback_models]
        following = models[models.index(talk.model_name) + 1 :]
        if error.kind is not ModelErrorKind.OVERLOADED or not following:
            raise error
        before, talk.model_name = talk.model_name, following[0]
        talk.emit(ModelSwitched(before, talk.model_name, str(error)))

    def _keep_reply(self, turn: _Turn, result: StepResult) -> None:
        """Put the reply into history."""
        turn.stop_reason = result.stop_reason
        turn.answers += result.answers
        if result.message is not None:
            turn.last = turn.continuing.joined(turn.last, result.message)
            self.conversation.add_reply(result.message, goes_on=turn.is_paused)
        turn.continuing.note(result.stop_reason)

    async def _go_on(self, turn: _Turn, result: StepResult) -> TurnEnd | None:
        """Answer the reply; return why the turn ends, or None if the model goes on."""
        turn.is_paused = False
        if self._abort.reason is not None:
            return self._end_aborted(result)
        if result.stop_reason == StopReason.PAUSE_TURN and result.message is not None:
            # Nothing may be added after a pause but the results of calls.
            self.conversation.add(answer_message(result.answers))
            turn.is_paused = turn.continuing.goes_on = not result.answers
            if turn.continuing.never_ends:
                raise _End(TurnEnd.MODEL_ERROR, continuing.NEVER_ENDS)
            return None
        if self._queued and self._services.hooks.wants(HookEvent.USER_PROMPT_SUBMIT):
            await self._check_queued()
        if result.answers:
            return await self._answer_calls(turn, result)
        return await self._end_without_calls(turn, result)

    async def _answer_calls(self, turn: _Turn, result: StepResult) -> TurnEnd | None:
        """Answer the calls of a reply; return why the turn ends after them, or None."""
        if put_off(result.answers) is None:
            answers = refused_deferrals(result.answers)
            notices = [turn.repetition.note(answer) for answer in answers]
            reminders = [notice for notice in notices if notice]
            if result.stop_reason == StopReason.MAX_TOKENS:
                self._warn(continuing.CUT_OFF)
                reminders.append(continuing.CUT_CALL)
            elif result.stop_reason == StopReason.REFUSAL:
                self._warn(refusal_text(result.message))
            stop: str | None = None
            if self._services.hooks.wants(HookEvent.POST_TOOL_BATCH):
                said = await self._hooks.on_batch(answers)
                reminders += said.context
                stop = said.stop if said.stop is not None else said.block
            reminders += self._news()
            self.conversation.answer(answers, reminders, self._take_queued())
            if stop is not None:
                raise _End(TurnEnd.HOOK_STOPPED, stop)
        return self._end_after_calls(turn, result)

    async def _check_queued(self) -> None:
        """Let hooks look at what the user said meanwhile; what they turn away is dropped."""
        queued, self._queued = self._queued, deque()
        for priority, message in queued:
            heard = await self._hooks.on_prompt(message)
            if heard.prompt is None:
                self._warn(f"A hook turned a message away: {heard.refusal}")
            else:
                self._queued.append((priority, heard.prompt))

    def _end_after_calls(self, turn: _Turn, result: StepResult) -> TurnEnd | None:
        """Return why the turn ends after its calls, or None."""
        self.conversation.deferred = put_off(result.answers)
        if self.conversation.deferred is not None:
            self.conversation.emit(CallDeferred(self.conversation.deferred))
            return TurnEnd.TOOL_DEFERRED
        for answer in result.answers:
            if answer.stop is None:
                continue
            if isinstance(answer.outcome, Denied) and answer.outcome.decision.ends_turn:
                return TurnEnd.ABORTED_TOOLS
            raise _End(TurnEnd.HOOK_STOPPED, answer.stop)
        if turn.repetition.is_malformed:
            text = "The model sent three calls in a row whose input is not JSON."
            raise _End(TurnEnd.MALFORMED_TOOL_USE_EXHAUSTED, text)
        if turn.repetition.problem:
            self._warn(turn.repetition.problem)
            raise _End(TurnEnd.MODEL_ERROR, turn.repetition.problem)
        return None

    async def _end_without_calls(self, turn: _Turn, result: StepResult) -> TurnEnd | None:
        """Return why the turn ends, unless the reply was cut off or the user has said more."""
        talk = self.conversation
        if await self._goes_on(turn, result.stop_reason):
            talk.add(answer_message((), closing=CONTINUE))
            return None
        queued = self._take_queued()
        if queued:
            talk.answer((), queued=queued)
            return None
        if result.stop_reason == StopReason.REFUSAL:
            self._warn(refusal_text(result.message))
        if self._hooks.hears_stops or self._woken:
            return await self._ask_to_stop(turn)
        return TurnEnd.COMPLETED

    async def _goes_on(self, turn: _Turn, stop_reason: str | None) -> bool:
        """Say whether a reply that was cut off is to be continued; make room for that."""
        if stop_reason == StopReason.CONTEXT_WINDOW_EXCEEDED:
            full = ModelError(continuing.FULL, ModelErrorKind.PROMPT_TOO_LONG)
            await self._compactor.make_room(full)
        elif stop_reason == StopReason.MAX_TOKENS:
            may_go_on = turn.continuing.may_go_on
            self._warn(continuing.CUT_OFF if may_go_on else continuing.GIVEN_UP)
            if not may_go_on:
                return False
        else:
            return False
        turn.continuing.goes_on = True
        return True

    async def _ask_to_stop(self, turn: _Turn) -> TurnEnd | None:
        """Let hooks say whether the turn may end; return None if it goes on."""
        heard = await self._hooks.on_stop(turn.last)
        if heard.stop is not None:
            raise _End(TurnEnd.STOP_HOOK_PREVENTED, heard.stop)
        if not heard.goes_on_with and not self._woken:
            return TurnEnd.COMPLETED
        self.conversation.answer((), [*heard.goes_on_with, *self._news()])
        return None

    def _news(self) -> list[str]:
        """Return what hooks in the background want the model to read."""
        woken, self._woken = self._woken, []
        return [*self._hooks.late(), *woken]

    def _end_aborted(self, result: StepResult) -> TurnEnd | None:
        """Close a turn that was interrupted; with a new message of the user's it goes on."""
        spoke = result.was_aborted_speaking or not result.answers
        reason = self._abort.reason
        if reason is not None and reason.kind is AbortKind.MESSAGE:
            self._abort = AbortScope()
            self.conversation.answer(result.answers, queued=self._take_queued())
            return None
        closing = INTERRUPTED_SPEAKING if spoke else INTERRUPTED_TOOLS
        queued = self._take_queued()
        self.conversation.add(answer_message(result.answers, queued=queued, closing=closing))
        return TurnEnd.ABORTED_STREAMING if spoke else TurnEnd.ABORTED_TOOLS

    def _record_cut_off(self, turn: _Turn, cut_off: StepResult | None) -> None:
        """Put what had come of a step into history when the turn itself is cancelled."""
        if cut_off is not None and cut_off.message is not None:
            self._keep_reply(turn, cut_off)
            closing = INTERRUPTED_TOOLS if cut_off.answers else INTERRUPTED_SPEAKING
            self.conversation.add(answer_message(cut_off.answers, closing=closing))

    def _warn(self, text: str) -> None:
        """Tell the user."""
        self.conversation.emit(Notice(NoticeLevel.WARNING, text))

    def _take_queued(self) -> list[UserMessage]:
        """Return the messages that are due now; those for later stay."""
        due = [message for priority, message in self._queued if priority is not Priority.LATER]
        self._queued = deque(one for one in self._queued if one[0] is Priority.LATER)
        return due

    def _finished(self, turn: _Turn, reason: TurnEnd, errors: tuple[str, ...]) -> TurnResult:
        """Say that the turn has ended, and why if that was a hook's word."""
        if reason is TurnEnd.HOOK_STOPPED and errors:
            self._warn(f"A hook ended the turn: {errors[0]}")
        meter = turn.meter
        finished = TurnFinished(
            reason,
            meter.usage,
            meter.cost_usd,
            steps=meter.steps,
            duration_seconds=self._bodies.clock.now() - meter.started_at,
            model_seconds=meter.model_seconds,
            by_model=meter.by_model,
            errors=errors,
            error_kind=turn.error.kind.value if turn.error is not None else "",
            error_status=turn.error.status if turn.error is not None else None,
        )
        self.conversation.emit(finished)
        return TurnResult(
            reason,
            turn.last,
            tuple(turn.answers),
            turn.stop_reason,
            finished,
            self.conversation.deferred if reason is TurnEnd.TOOL_DEFERRED else None,
        )
