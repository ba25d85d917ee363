"""Permission as the pipeline asks for it: evaluate, and reach a person where that says so."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import assert_never

import anyio

from gantlet.messages import Behaviour, Event, PermissionAsked, ToolUse
from gantlet.messages.value import replace
from gantlet.permissions.approvals import Approvals
from gantlet.permissions.asking import (
    PERSON,
    Answer,
    Asker,
    No,
    Overtaken,
    Question,
    Unanswered,
    Yes,
)
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Decision, Request
from gantlet.permissions.evaluation import LAYERS, advise, evaluate, settle, weigh
from gantlet.permissions.eyes import Eyes
from gantlet.permissions.holder import ContextHolder
from gantlet.permissions.layers import Layer
from gantlet.permissions.matching import forbidding_match
from gantlet.permissions.memory import Memory
from gantlet.permissions.seeing import Sight, see
from gantlet.permissions.updates import Update
from gantlet.permissions.verdict import Verdict
from gantlet.permissions.withholding import withheld_from, withholds
from gantlet.permissions.wording import rejection
from gantlet.rules import CommandPattern, Rule, RuleSet
from gantlet.system import Found, run_in_thread
from gantlet.tool import AnyTool, Covered, Mode, Proof, Surroundings, Traits

_log = logging.getLogger(__name__)

_PERSON_LAYER = "person"


def _nobody_listens(event: Event) -> None:
    """Drop an event that nobody asked for."""


class Engine:
    """Decides about the calls of a session, each against one snapshot of the context."""

    def __init__(
        self,
        holder: ContextHolder,
        asker: Asker | None = None,
        *,
        eyes: Eyes,
        layers: Sequence[Layer] = LAYERS,
        emit: Callable[[Event], None] = _nobody_listens,
    ) -> None:
        self.holder = holder
        self._asker = asker
        self._eyes = eyes
        self._layers = layers
        self._emit = emit
        self._waiting: dict[Question, None] = {}
        self._approvals = Approvals()
        self._memory = Memory()

    async def decide(self, request: Request) -> Decision:
        """Judge one call, and ask where that is what judging came to."""
        decision = await self._judged(request, self.holder.current)
        current = self.holder.current  # a person may have changed it meanwhile
        if not decision.allows or not withholds(request.tool, current):
            return decision
        seen = replace(request, facts=decision.facts)
        withheld = withheld_from(seen, current, lambda: self._forbidden(request, current))
        return replace(decision, withheld=withheld)

    def known(
        self, call: ToolUse, tool: AnyTool, traits: Traits, surroundings: Surroundings
    ) -> Decision | None:
        """Return what was decided before for such a call, if it holds for this one, or None.

        Of this one neither a hook nor the tool itself has said anything. From a tool of which a
        decision is remembered nothing is ever withheld.
        """
        if self._approvals.has_had_any and call.id in self._approvals:
            return None
        return self._memory.recall(tool, traits, surroundings.mode, self.holder.current)

    def _forbidden(self, request: Request, context: PermissionContext) -> Found:
        """Search for every file that a rule forbids. This may take a while."""
        return Sight(request, context, self._eyes).find_forbidden()

    async def _judged(self, request: Request, context: PermissionContext) -> Decision:
        """Return what comes of a call."""
        approved = self._approvals.take(request.call.id)
        if not request.has_votes:
            mode = request.surroundings.mode
            known = self._memory.recall(request.tool, request.traits, mode, context)
            if known is not None:
                return known
        seen = await self._seen(request, context)
        verdict = weigh(seen, context, self._layers)
        if verdict.behaviour is not Behaviour.ASK:
            decision = _decided(verdict, seen)
            if self._layers is LAYERS:
                self._memory.keep(seen, context, decision)
            return decision
        if approved is not None and approved == request.call.input:
            return _allowed(seen, f"{PERSON}, who wrote this input")
        asker = self._reachable(context)
        if asker is None:
            return _decided(settle(verdict, replace(context, avoid_prompts=True)), seen)
        advised = advise(verdict, seen, context, self._layers)
        return await self._ask(asker, Question(seen, advised, context))

    def explain(self, request: Request) -> Verdict:
        """Return what judging a call would come to, with every vote, without asking anybody."""
        context = self.holder.current
        try:
            request = see(request, context, self._eyes)
        except Exception:  # noqa: BLE001 - what cannot be looked at is not known
            _log.exception("The paths of a call could not be looked at.")
        return evaluate(request, context, self._layers)

    def means(self, rule: Rule, request: Request) -> bool:
        """Return whether a rule means a call, or any command of it; what is hidden may be meant."""
        rules = RuleSet((rule,))
        context = replace(self.holder.current, ask=rules, deny=RuleSet())
        case = Case(Sight(request, context, self._eyes).looked(), context)
        if forbidding_match(rules, case) is not None:
            return True
        is_about_commands = isinstance(rule.spec, CommandPattern)
        hides = case.reading is not None and not case.reading.analysis.is_proved
        return is_about_commands and hides and rule.tool.matches_any(case.names)

    async def change(self, *updates: Update) -> None:
        """Change what holds from now on; calls that wait and are now decided wait no longer."""
        for update in updates:
            self.holder.apply(update)
            await self.holder.save(update)
        if not updates:
            return
        for question in list(self._waiting):
            verdict = weigh(question.request, self.holder.current, self._layers)
            if verdict.behaviour is not Behaviour.ASK:
                question.answer(Overtaken(verdict))

    async def _seen(self, request: Request, context: PermissionContext) -> Request:
        """Have the paths of a call looked at; what cannot be looked at is not known."""
        try:
            sight = Sight(request, context, self._eyes)
            seen = sight.looked()
            if sight.needs_search(seen):
                seen = await run_in_thread(partial(sight.searched, seen))
        except Exception:  # noqa: BLE001 - what cannot be looked at is not known
            _log.exception("The paths of a call could not be looked at; a person is asked.")
            return request
        return seen

    def _reachable(self, context: PermissionContext) -> Asker | None:
        """Return the way to whoever may be asked now, or None."""
        if self._asker is None or context.mode is Mode.DONT_ASK:
            return None
        return self._asker.quietly() if context.avoid_prompts else self._asker

    async def _ask(self, asker: Asker, question: Question) -> Decision:
        """Ask, and wait for the first answer. Who stops waiting takes the question back."""
        self._waiting[question] = None
        self._emit(PermissionAsked(question.request.call, question.verdict.reason))
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_reach, asker, question)
                answer = await question.wait()
                group.cancel_scope.cancel()
        finally:
            question.claim()
            self._waiting.pop(question, None)
        return await self._answered(question, answer)

    async def _answered(self, question: Question, answer: Answer) -> Decision:
        """Return what an answer means."""
        request = question.request
        match answer:
            case Yes():
                return await self._accepted(question, answer)
            case No(words, attachments, by) if by == PERSON:
                ends_turn = answer.is_bare and request.agent.is_main
                reason = rejection(answer, request.agent)
                return Decision(
                    Behaviour.DENY,
                    reason,
                    _PERSON_LAYER,
                    ends_turn=ends_turn,
                    attachments=attachments,
                )
            case No(words, attachments, by):
                return Decision(Behaviour.DENY, words, by, attachments=attachments)
            case Overtaken(verdict):
                return _decided(verdict, request)
            case Unanswered(reason):
                said = f"{question.verdict.reason} Nobody answered: {reason}."
                return Decision(Behaviour.DENY, said, question.verdict.layer)
            case _:
                assert_never(answer)

    async def _accepted(self, question: Question, yes: Yes) -> Decision:
        """Return what a yes means: it beats no deny that came up meanwhile."""
        await self.change(*yes.updates)
        request, current = question.request, self.holder.current
        if current is not question.context:
            seen = await self._seen(request, current)
            verdict = weigh(seen, current, self._layers)
            if verdict.behaviour is Behaviour.DENY:
                return _decided(verdict, seen)
            if not seen.facts.leads_as(request.facts):
                reason = "A path of the call leads elsewhere since the question was asked."
                return Decision.deny(reason, _PERSON_LAYER)
        updated = yes.updated_input
        if updated is None or updated == request.call.input:
            return _allowed(request, yes.by)
        written = self._approvals.keep(request.call.id, updated)
        return replace(_allowed(request, yes.by), updated_input=written)


async def _reach(asker: Asker, question: Question) -> None:
    """Have a question asked; a way that fails or leads to nobody is a no."""
    try:
        await asker.ask(question)
    except Exception as error:  # noqa: BLE001 - a foreign way's failure becomes a value here
        _log.exception("A question could not be asked.")
        question.answer(Unanswered(f"asking failed with {type(error).__name__}"))
    else:
        question.answer(Unanswered("there is nobody who could"))


def _allowed(request: Request, by: str) -> Decision:
    """Return an allow that somebody gave; the proof names them."""
    layer = _PERSON_LAYER if by.startswith(PERSON) else by
    proof = Proof((Covered(request.tool.name, by),))
    return Decision(Behaviour.ALLOW, f"Allowed by {by}.", layer, proof=proof, facts=request.facts)


def _decided(verdict: Verdict, request: Request) -> Decision:
    """Return a verdict as a decision on a request."""
    return Decision(
        verdict.behaviour,
        verdict.reason,
        verdict.layer,
        rule=verdict.rule,
        source=verdict.source,
        proof=verdict.proof,
        facts=request.facts,
    )
