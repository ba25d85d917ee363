"""One prompt after the other is taken to the model; how each turn ended is written."""

import logging

import anyio

from gantlet.assembly.agent import Agent
from gantlet.assembly.run_result import RunResult
from gantlet.loop import LimitHit, Limits, Taken
from gantlet.messages import TurnEnd
from gantlet.messages.value import replace
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.frames import Frame, assistant_error
from gantlet.surfaces.headless.held_agent import HeldAgent
from gantlet.surfaces.headless.prompts import Prompt
from gantlet.surfaces.headless.results import Results
from gantlet.surfaces.headless.slash import Commands
from gantlet.surfaces.headless.structured import MAX_RETRIES, REMINDER
from gantlet.tool import UserError

_log = logging.getLogger(__name__)
_RETRIES = "MAX_STRUCTURED_OUTPUT_RETRIES"


class Turns:
    """Takes what was asked for, a command or a turn with the model."""

    def __init__(self, desk: Desk, held: HeldAgent, commands: Commands, results: Results) -> None:
        self._desk = desk
        self._held = held
        self._commands = commands
        self._results = results

    async def take(self, prompt: Prompt) -> None:
        """Do one thing that was asked for; what goes wrong is a result too."""
        try:
            self._held.is_to_stop = False
            self._desk.tell_taken(prompt)
            meant = await self._commands.take(prompt)
            if meant is not None:
                await self._turn(meant)
        except UserError as error:
            self._results.fail(str(error), prompt)
        except Exception as error:  # noqa: BLE001 - a bug costs one turn, and is told like a failure
            _log.exception("A turn broke; this is a bug.")
            text = f"This is a bug in gantlet: {type(error).__name__}: {error}"
            self._results.fail(text, prompt)

    async def _turn(self, prompt: Prompt) -> None:
        """Take one turn with the model."""
        desk = self._desk
        agent = await self._held.opened()
        desk.telling.turn = None
        if desk.session is not None:
            desk.session.recorder.next_prompt_id = prompt.uuid
        if not prompt.is_asked:
            agent.note(prompt.blocks)
            return
        desk.sink.frame(self._commands.init_frame(agent))
        if self._held.is_to_stop:
            self._results.fail("It was stopped before it began.", prompt, TurnEnd.ABORTED_STREAMING)
            return
        if not self._can_pay(agent, prompt):
            return
        with self._held.running():
            began = anyio.current_time()
            run = await agent.run(prompt.blocks or None)
            run, extra = await self._in_form(agent, run, began)
        if prompt.origin is not None:
            extra["origin"] = prompt.origin
        self._results.report(run, extra | self._failure(agent, run))

    def _can_pay(self, agent: Agent, prompt: Prompt) -> bool:
        """Leave the next prompt what is left of the run's budget; say so if that is nothing."""
        budget, spent = self._desk.flags.max_budget_usd, self._desk.spent_usd
        if budget is None:
            return True
        if spent >= budget:
            text = f"The budget of ${budget:g} is spent: this run has cost ${spent:.4f}."
            self._results.fail(text, prompt, TurnEnd.BUDGET_EXHAUSTED, "max_budget_usd")
            return False
        agent.set_max_budget(budget - spent)
        return True

    async def _in_form(self, agent: Agent, run: RunResult, began: float) -> tuple[RunResult, Frame]:
        """Have the answer given in the form that was asked for, if one was."""
        schema = self._desk.schema
        if schema is None:
            return run, {}
        given = self._desk.environment.variables.get(_RETRIES, "")
        retries = int(given) if given.isdigit() else MAX_RETRIES
        limits = agent.limits
        try:
            while schema.answer is None and not run.is_error and retries > 0:
                retries -= 1
                run = await _asked_again(agent, run, limits, began)
        finally:
            agent.set_limits(limits)
        answer, schema.answer = schema.answer, None
        if answer is not None:
            return run, {"structured_output": dict(answer)}
        if not run.is_error:
            text = "The model did not give its answer in the form that was asked for."
            ended = TurnEnd.STRUCTURED_OUTPUT_RETRY_EXHAUSTED
            run = replace(run, reason=ended, errors=(text,))
        return run, {}

    def _failure(self, agent: Agent, run: RunResult) -> Frame:
        """Tell why the model was not reached, if it was not; return what the result says of it."""
        desk = self._desk
        took = desk.telling.turn
        if run.reason is TurnEnd.API_ERROR and run.errors:
            kind = assistant_error(took.error_kind if took is not None else "")
            desk.sink.frame(desk.telling.frames.failure(run.errors[0], kind, agent.model_name))
        if took is None or took.error_status is None:
            return {}
        return {"api_error_status": took.error_status}


async def _asked_again(agent: Agent, run: RunResult, limits: Limits, began: float) -> RunResult:
    """Ask for the answer once more, within what the run has left of its limits."""
    taken = _taken(run, began)
    hit = limits.reached(taken)
    if hit is not None:
        return _ended_at(run, hit)
    agent.set_limits(limits.left_after(taken))
    both = (await agent.run(REMINDER)).after(run)
    hit = limits.reached(_taken(both, began)) if both.limit else None
    return both if hit is None else _ended_at(both, hit)


def _taken(run: RunResult, began: float) -> Taken:
    """Return what a run has taken so far."""
    seconds = anyio.current_time() - began
    return Taken(run.turns, run.cost_usd, run.usage.output_tokens or 0, seconds)


def _ended_at(run: RunResult, hit: LimitHit) -> RunResult:
    """Return a run that ended at a limit."""
    return replace(run, reason=hit.reason, errors=(hit.message,), limit=hit.limit)
