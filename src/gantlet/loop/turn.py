"""From the user's words to the model's last: steps, until there is nothing left to do."""

from gantlet.execution import (
    AbortKind,
    Bodies,
    Denied,
    ExecutionSettings,
    Services,
)
from gantlet.execution.deadlines import Deadline
from gantlet.hooks import NOTHING_SAID, HookEvent, Said
from gantlet.loop import continuing
from gantlet.loop.attachments import (
    CONTINUE,
    INTERRUPTED_SPEAKING,
    INTERRUPTED_TOOLS,
    OUT_OF_TIME,
    answer_message,
)
from gantlet.loop.compactor import Compactor
from gantlet.loop.continuing import refusal_text
from gantlet.loop.conversation import Conversation
from gantlet.loop.deferring import put_off, refused_deferrals
from gantlet.loop.inbox import Inbox
from gantlet.loop.interruption import Interruption
from gantlet.loop.limits import LimitHit, Limits, Meter
from gantlet.loop.repair import lost_result
from gantlet.loop.step import StepResult, StepRunner
from gantlet.loop.turn_hooks import TurnHooks
from gantlet.loop.turn_result import Priority, TurnResult
from gantlet.loop.turn_state import EndTurn, TurnState
from gantlet.messages import (
    CallDeferred,
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
    TurnStarted,
    Usage,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace


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
        self._interruption = Interruption()
        self._compactor = Compactor(conversation, self._hooks, self._interruption.outlast)
        self._inbox = Inbox(self._hooks, conversation)
        self.is_running = False
        #: What hooks call the session.
        self.title = ""

    def interrupt(self) -> None:
        """End the turn: what is being said, and every call."""
        self._interruption.by(AbortKind.USER)

    def send(self, message: UserMessage, priority: Priority = Priority.NEXT) -> None:
        """Take what the user says during a turn: for the next step, after it, or right now."""
        self._inbox.put(message, priority)
        if priority is Priority.NOW:
            self._interruption.by(AbortKind.MESSAGE)

    def wake(self, text: str) -> None:
        """Have the model read something that is no word of the user's, before the turn ends."""
        self._woken.append(text)

    def next_waiting(self) -> UserMessage | None:
        """Return, and take off the queue, a message that waits for a turn of its own."""
        return self._inbox.take_next()

    async def compact(self, instructions: str = "") -> bool:
        """Sum the conversation up on demand; return whether that worked."""
        return await self._compactor.sum_up(instructions)

    async def begin_session(self, source: str) -> None:
        """Tell hooks that the session begins or is resumed."""
        self._begun = await self._hooks.on_session_start(source) or NOTHING_SAID
        self.title = self._begun.session_title

    async def run_turn(self, prompt: UserMessage | None) -> TurnResult:
        """Run one turn to its end. Never raises for what a model, a tool or a user does.

        A call that a hook had put off is asked again first; then there need be no prompt.
        """
        self.is_running = True
        turn = TurnState(Meter(self._bodies.clock.now()))
        deadline = self._deadline(turn)
        try:
            return await self._run_turn(turn, prompt)
        except BaseException:
            self._break_off(turn)
            raise
        finally:
            self.is_running = False
            if deadline is not None:
                deadline.call_off()

    def _deadline(self, turn: TurnState) -> Deadline | None:
        """Have the turn stopped when its time is over, whatever it does then."""
        seconds = self.conversation.settings.limits.max_seconds

        def stop() -> None:
            turn.is_out_of_time = True
            self._interruption.by(AbortKind.LIMIT)

        return None if seconds is None else self._bodies.deadlines.after(seconds, stop)

    async def _run_turn(self, turn: TurnState, prompt: UserMessage | None) -> TurnResult:
        """Run one turn to its end."""
        talk = self.conversation
        talk.model_name = talk.settings.model
        errors: tuple[str, ...] = ()
        try:
            reason = await self._open(turn, prompt)
            reason = reason or await self._steps(turn)
        except EndTurn as end:
            reason, errors = end.reason, (end.message,) if end.message else ()
            turn.limit = end.limit
        except ModelError as error:
            too_long = error.kind is ModelErrorKind.PROMPT_TOO_LONG
            reason = TurnEnd.PROMPT_TOO_LONG if too_long else TurnEnd.API_ERROR
            errors, turn.error = (str(error),), error
        if turn.is_paused:
            talk.keep(talk.history.closed())
        if reason is not TurnEnd.COMPLETED:
            await self._empty_inbox()
        return self._finished(turn, reason, errors)

    async def _open(self, turn: TurnState, prompt: UserMessage | None) -> TurnEnd | None:
        """Take the user's words; ask a call again that was put off. Return why the turn ends."""
        talk = self.conversation
        if self._begun.stop is not None:
            raise EndTurn(TurnEnd.HOOK_STOPPED, self._begun.stop)
        if prompt is not None:
            if self._hooks.hears_prompts or self._begun is not NOTHING_SAID:
                prompt = await self._looked_at(turn, prompt)
            talk.emit(TurnStarted(prompt))
        talk.reminders += self._hooks.late()
        call, talk.deferred = talk.deferred, None
        if call is not None and call in talk.history.open_calls:
            return await self._take_up(turn, call, prompt)
        if prompt is not None:
            talk.begin(prompt)
        return None

    async def _looked_at(self, turn: TurnState, prompt: UserMessage) -> UserMessage:
        """Return the user's words as hooks leave them, or end the turn without them."""
        begun, self._begun = self._begun, NOTHING_SAID
        if begun.first_prompt.strip():
            prompt = replace(prompt, content=(Text(begun.first_prompt), *blocks_of(prompt)))
        heard = await self._interruption.outlast(self._hooks.on_prompt(prompt))
        if heard is None:
            self._check_time(turn)
            raise EndTurn(TurnEnd.ABORTED_STREAMING)
        self.title = heard.title or self.title
        if heard.prompt is None:
            raise EndTurn(TurnEnd.HOOK_STOPPED, heard.refusal)
        return heard.prompt

    async def _take_up(
        self, turn: TurnState, call: ToolUse, prompt: UserMessage | None
    ) -> TurnEnd | None:
        """Ask a call again that was put off, then pass the user's words on."""
        talk = self.conversation
        runner = self._runner()
        try:
            result = await runner.run_again(call, talk.surroundings)
        except BaseException:
            turn.answers += runner.cut_off.answers if runner.cut_off is not None else ()
            raise
        talk.surroundings = result.surroundings
        turn.answers += result.answers
        is_aborted = self._interruption.is_wanted
        is_put_off = put_off(result.answers) is not None and not is_aborted
        if prompt is not None and is_put_off:
            text = f"{call.name} was put off again; what you said was not passed on."
            self._warn(text)
        elif prompt is not None:
            self._inbox.put_first(prompt)
        if is_aborted:
            return await self._end_aborted(turn, result)
        if not is_put_off:
            talk.answer(result.answers, queued=await self._inbox.take_due())
        if self._services.pool.find(call.name) is None:
            text = f"{call.name}, which was put off, is not there any more."
            raise EndTurn(TurnEnd.TOOL_DEFERRED_UNAVAILABLE, text)
        return self._end_after_calls(turn, result)

    async def _steps(self, turn: TurnState) -> TurnEnd:
        """Take steps until one of them ends the turn."""
        while True:
            self._check_limits(turn)
            await self._compactor.make_room_if_needed(turn.meter)
            if self._interruption.is_wanted:
                await self._heed_abort(turn)
            result = await self._step(turn)
            self._keep_reply(turn, result)
            ended = await self._go_on(turn, result)
            if ended is not None:
                return ended

    def _check_limits(self, turn: TurnState) -> None:
        """End the turn at a limit."""
        limits = self.conversation.settings.limits
        self._check_budget(turn, limits)
        hit = turn.meter.hit(limits, self._bodies.clock.now())
        if hit is not None:
            raise EndTurn.at(hit)

    def _check_budget(self, turn: TurnState, limits: Limits) -> None:
        """Say that a budget cannot be kept; without another limit the turn ends for it."""
        talk = self.conversation
        why = limits.unkept_budget(talk.capabilities)
        if not why or talk.model_name in turn.unpriced:
            return
        turn.unpriced.add(talk.model_name)
        if not limits.has_other:
            advice = "Set max_turns, max_output_tokens or max_seconds too."
            raise EndTurn.at(LimitHit("max_budget_usd", f"{why} {advice}"))
        self._warn(f"{why} The other limits hold.")

    async def _step(self, turn: TurnState) -> StepResult:
        """Ask the model once; try what helps when it does not answer."""
        talk = self.conversation
        runner = self._runner()
        began = self._bodies.clock.now()
        turn.meter.steps += 1
        talk.emit(StepStarted(turn.meter.steps, talk.model_name))
        while True:
            try:
                request = turn.request(talk)
                result = await runner.take(request, talk.surroundings, talk.history.ids)
                break
            except ModelError as error:
                await self._recover(turn, error)
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
            abort=self._interruption.scope,
        )

    async def _recover(self, turn: TurnState, error: ModelError) -> None:
        """Make room, or go to a fallback model, where that helps; else pass the failure on."""
        talk = self.conversation
        if not self._interruption.is_wanted and error.kind is ModelErrorKind.PROMPT_TOO_LONG:
            if await self._compactor.make_room(turn.meter):
                return
            if not self._interruption.is_wanted:
                raise error
        if self._interruption.is_wanted:
            await self._heed_abort(turn)
            return
        following = talk.next_model
        if error.kind is not ModelErrorKind.OVERLOADED or following is None:
            raise error
        before, talk.model_name = talk.model_name, following
        talk.emit(ModelSwitched(before, talk.model_name, str(error)))

    def _keep_reply(self, turn: TurnState, result: StepResult) -> None:
        """Put the reply into history."""
        turn.stop_reason = result.stop_reason
        turn.answers += result.answers
        if result.message is not None:
            turn.last = turn.continuing.joined(turn.last, result.message)
            self.conversation.add_reply(result.message, goes_on=turn.is_paused)
        turn.continuing.note(result.stop_reason)

    async def _go_on(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
        """Answer the reply; return why the turn ends, or None if the model goes on."""
        turn.is_paused = False
        if self._interruption.is_wanted:
            return await self._end_aborted(turn, result)
        if result.answers:
            return await self._answer_calls(turn, result)
        if result.stop_reason == StopReason.PAUSE_TURN and result.message is not None:
            # Nothing may be added before the model goes on.
            turn.is_paused = turn.continuing.goes_on = True
            if turn.continuing.never_ends:
                raise EndTurn(TurnEnd.MODEL_ERROR, continuing.NEVER_ENDS)
            return None
        return await self._end_without_calls(turn, result)

    async def _answer_calls(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
        """Answer the calls of a reply; return why the turn ends after them, or None."""
        if put_off(result.answers) is None:
            answers = refused_deferrals(result.answers)
            notices = [turn.repetition.note(answer) for answer in answers]
            reminders = [notice for notice in notices if notice]
            if result.stop_reason == StopReason.MAX_TOKENS:
                reminders.append(continuing.CUT_CALL)
            self._warn_of_cut(turn, result)
            stop: str | None = None
            if self._services.hooks.wants(HookEvent.POST_TOOL_BATCH):
                said = await self._interruption.outlast(self._hooks.on_batch(answers))
                if said is None:
                    return await self._end_aborted(turn, result)
                reminders += said.context
                stop = said.stop if said.stop is not None else said.block
            if _takes_only_results(result):
                self.conversation.answer_only(answers, reminders)
            else:
                queued = await self._inbox.take_due()
                self.conversation.answer(answers, [*reminders, *self._news()], queued)
            if stop is not None:
                raise EndTurn(TurnEnd.HOOK_STOPPED, stop)
        return self._end_after_calls(turn, result)

    def _warn_of_cut(self, turn: TurnState, result: StepResult) -> None:
        """Say that a reply with calls was cut off, or that the model would not go on."""
        if result.stop_reason == StopReason.REFUSAL:
            self._warn(refusal_text(result.message))
        elif result.stop_reason == StopReason.MAX_TOKENS and not turn.is_capped:
            self._warn(continuing.CUT_OFF)

    def _end_after_calls(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
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
            raise EndTurn(TurnEnd.HOOK_STOPPED, answer.stop)
        if turn.repetition.is_malformed:
            text = "The model sent three calls in a row whose input is not JSON."
            raise EndTurn(TurnEnd.MALFORMED_TOOL_USE_EXHAUSTED, text)
        if turn.repetition.problem:
            self._warn(turn.repetition.problem)
            raise EndTurn(TurnEnd.MODEL_ERROR, turn.repetition.problem)
        if turn.is_cut_at_limit:
            raise turn.out_of_tokens(self.conversation.settings.limits)
        return None

    async def _end_without_calls(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
        """Return why the turn ends, unless the reply was cut off or the user has said more."""
        talk = self.conversation
        if turn.is_cut_at_limit:
            raise turn.out_of_tokens(self.conversation.settings.limits)
        if await self._goes_on(turn, result.stop_reason):
            talk.add(answer_message((), closing=CONTINUE))
            return None
        queued = await self._inbox.take_due()
        if queued:
            talk.answer((), queued=queued)
            return None
        if result.stop_reason == StopReason.REFUSAL:
            self._warn(refusal_text(result.message))
        if self._hooks.hears_stops or self._woken:
            return await self._ask_to_stop(turn, result)
        return TurnEnd.COMPLETED

    async def _goes_on(self, turn: TurnState, stop_reason: str | None) -> bool:
        """Say whether a reply that was cut off is to be continued; make room for that."""
        if stop_reason == StopReason.CONTEXT_WINDOW_EXCEEDED:
            full = ModelError(continuing.FULL, ModelErrorKind.PROMPT_TOO_LONG)
            if not await self._compactor.make_room(turn.meter):
                if self._interruption.is_wanted:
                    await self._heed_abort(turn)
                raise full
        elif stop_reason == StopReason.MAX_TOKENS:
            may_go_on = turn.continuing.may_go_on
            self._warn(continuing.CUT_OFF if may_go_on else continuing.GIVEN_UP)
            if not may_go_on:
                return False
        else:
            return False
        turn.continuing.goes_on = True
        return True

    async def _ask_to_stop(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
        """Let hooks say whether the turn may end; return None if it goes on."""
        heard = await self._interruption.outlast(self._hooks.on_stop(turn.last))
        if heard is None:
            return await self._end_aborted(turn, result)
        if heard.stop is not None:
            raise EndTurn(TurnEnd.STOP_HOOK_PREVENTED, heard.stop)
        if not heard.goes_on_with and not self._woken:
            return TurnEnd.COMPLETED
        self.conversation.answer((), [*heard.goes_on_with, *self._news()])
        return None

    def _news(self) -> list[str]:
        """Return what hooks in the background want the model to read."""
        woken, self._woken = self._woken, []
        return [*self._hooks.late(), *woken]

    async def _heed_abort(self, turn: TurnState) -> None:
        """Do what the user, or the time, wants where no step is under way.

        Raises:
            EndTurn: The turn ends.
        """
        talk = self.conversation
        ended = await self._end_aborted(
            turn, StepResult(None, (), None, Usage(), talk.surroundings)
        )
        turn.is_paused = False
        if ended is not None:
            raise EndTurn(ended)

    async def _end_aborted(self, turn: TurnState, result: StepResult) -> TurnEnd | None:
        """Close a turn that was interrupted; with a new message of the user's it goes on."""
        spoke = result.was_aborted_speaking or not result.answers
        if self._interruption.take_message():
            self.conversation.answer(result.answers, queued=await self._inbox.take_due())
            return None
        closing = INTERRUPTED_SPEAKING if spoke else INTERRUPTED_TOOLS
        if turn.is_out_of_time:
            closing = OUT_OF_TIME
        queued = await self._inbox.take_due()
        self.conversation.add(answer_message(result.answers, queued=queued, closing=closing))
        self._check_time(turn)
        return TurnEnd.ABORTED_STREAMING if spoke else TurnEnd.ABORTED_TOOLS

    def _check_time(self, turn: TurnState) -> None:
        """End the turn if its time is over."""
        if turn.is_out_of_time:
            limits, now = self.conversation.settings.limits, self._bodies.clock.now()
            raise EndTurn.at(turn.meter.too_late(limits, now))

    def _record_cut_off(self, turn: TurnState, cut_off: StepResult | None) -> None:
        """Put what had come of a step into history when the turn itself is cancelled."""
        if cut_off is not None and cut_off.message is not None:
            self._keep_reply(turn, cut_off)
            closing = INTERRUPTED_TOOLS if cut_off.answers else INTERRUPTED_SPEAKING
            queued = self._inbox.take_known()
            self.conversation.add(answer_message(cut_off.answers, queued=queued, closing=closing))

    def _break_off(self, turn: TurnState) -> None:
        """Answer the calls that are open when the turn is cancelled, or something breaks."""
        talk = self.conversation
        calls = talk.history.open_calls if talk.deferred is None else ()
        if calls:
            known = {answer.call.id: answer.block for answer in turn.answers}
            results = [known.get(call.id) or lost_result(call) for call in calls]
            talk.add(UserMessage((*results, Text(INTERRUPTED_TOOLS))))

    async def _empty_inbox(self) -> None:
        """Keep what the user has said for a turn that ended early; say what cannot be kept."""
        if not self.conversation.history.open_calls:
            self.conversation.add(answer_message((), queued=await self._inbox.take_due()))
        self._inbox.tell_undelivered()

    def _finished(self, turn: TurnState, reason: TurnEnd, errors: tuple[str, ...]) -> TurnResult:
        """Say that the turn has ended, and why if that was a hook's word."""
        if reason is TurnEnd.HOOK_STOPPED and errors:
            text = f"A hook ended the turn: {errors[0]}"
            self._warn(text)
        deferred = self.conversation.deferred if reason is TurnEnd.TOOL_DEFERRED else None
        result = turn.result(reason, errors, self._bodies.clock.now(), deferred)
        self.conversation.emit(result.finished)
        return result

    def _warn(self, text: str) -> None:
        """Tell the user that something is not as it should be."""
        self.conversation.emit(Notice(NoticeLevel.WARNING, text))


def _takes_only_results(result: StepResult) -> bool:
    """Return whether the API takes nothing but results now.

    That is so after a pause, and where a program that the API runs has made a call.
    """
    callers = (answer.call.caller for answer in result.answers)
    is_program = any(caller is not None and caller.get("type") != "direct" for caller in callers)
    return is_program or result.stop_reason == StopReason.PAUSE_TURN
