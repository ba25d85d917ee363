"""Three ways to an answer: a dialog, automatic checks before a dialog, and another program."""

import logging
from collections.abc import Sequence
from dataclasses import field
from typing import Protocol

import anyio

from gantlet.messages.value import slotted, value
from gantlet.permissions.asking import Answer, Asker, No, Question, Unanswered, Yes
from gantlet.tool import Allow, Ask, Deny, Mode, Vote

_log = logging.getLogger(__name__)

#: How often the automatic check may say no before a person is asked again.
MAX_DENIALS_IN_A_ROW = 3
MAX_DENIALS = 20


class QuestionQueue(Protocol):
    """What a surface shows: questions that wait. It answers with `Question.answer`."""

    def push(self, question: Question) -> None:
        """Show a question."""

    def update(self, question_id: str, note: str) -> None:
        """Change what is said beside a question."""

    def remove(self, question_id: str) -> None:
        """Stop showing a question; it is answered or nobody waits any more."""


@value
class InteractiveAsker:
    """Shows a dialog."""

    queue: QuestionQueue

    async def ask(self, question: Question) -> None:
        """Show the question until it is answered, by whomever."""
        self.queue.push(question)
        try:
            await question.wait()
        finally:
            self.queue.remove(question.id)

    def quietly(self) -> Asker | None:
        """Return None: a dialog disturbs."""
        return None


class AutomaticCheck(Protocol):
    """Something that may answer in a person's place: a hook, a model."""

    async def check(self, question: Question) -> Answer | None:
        """Return an answer, or None to leave it to others."""

    def noted(self, answer: Answer) -> None:
        """Take note of how a question ended that others answered."""


@value
class CoordinatorAsker:
    """Lets automatic checks answer first, and shows a dialog for the rest."""

    checks: Sequence[AutomaticCheck]
    dialog: Asker | None = None

    async def ask(self, question: Question) -> None:
        """Check, then show; or both at once, where the question does not wait for checks."""
        if self.dialog is None:
            await self._check(question)
        elif question.context.await_automated_checks:
            await self._check(question)
            if not question.is_claimed:
                await self._show(self.dialog, question)
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(self._check, question)
                await self._show(self.dialog, question)
                group.cancel_scope.cancel()

    async def _show(self, dialog: Asker, question: Question) -> None:
        """Show the question, and let the checks know how it ended."""
        try:
            await dialog.ask(question)
        finally:
            if question.given is not None:
                for check in self.checks:
                    check.noted(question.given)

    async def _check(self, question: Question) -> None:
        """Ask one check after the other until one answers; one that fails has no opinion."""
        for check in self.checks:
            if question.is_claimed:
                return
            try:
                answer = await check.check(question)
            except Exception:  # noqa: BLE001 - a foreign check's failure is no answer
                _log.exception("An automatic check failed; others decide.")
                continue
            if answer is not None:
                question.answer(answer)
                return

    def quietly(self) -> Asker | None:
        """Return the checks alone."""
        return CoordinatorAsker(self.checks) if self.checks else None


class CoordinatorLink(Protocol):
    """The way from a worker to the program that coordinates it."""

    async def forward(self, question: Question) -> Answer:
        """Send the question there and return the answer."""


@value
class WorkerAsker:
    """Makes no judgement of its own: the coordinator answers."""

    link: CoordinatorLink

    async def ask(self, question: Question) -> None:
        """Forward the question and pass the answer on, unless it was answered meanwhile."""
        try:
            answer = await self.link.forward(question)
        except Exception as error:  # noqa: BLE001 - a link's failure becomes a value here
            _log.exception("A question could not be forwarded.")
            answer = Unanswered(f"the coordinator could not be reached ({type(error).__name__})")
        question.answer(answer)

    def quietly(self) -> Asker | None:
        """Return None: the coordinator may ask a person."""
        return None


class Classifier(Protocol):
    """A model that judges calls in auto mode."""

    async def classify(self, question: Question) -> Vote | None:
        """Return an opinion, or None."""


@slotted
class Tally:
    """How often the automatic check has said no."""

    in_a_row: int = 0
    total: int = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether a person should decide again."""
        return self.in_a_row >= MAX_DENIALS_IN_A_ROW or self.total >= MAX_DENIALS

    def denied(self) -> None:
        """Note a no."""
        self.in_a_row += 1
        self.total += 1

    def passed(self) -> None:
        """Note that something was let through, by whomever."""
        self.in_a_row = 0


@value
class AutoCheck:
    """Auto mode's own check: a model decides what nothing else has decided.

    It never answers what a rule, a hook or a tool asks about, nor what destroys.
    """

    classifier: Classifier
    tally: Tally = field(default_factory=Tally)
    by: str = "the automatic check"

    def noted(self, answer: Answer) -> None:
        """Start to count anew once a person has let something run."""
        if isinstance(answer, Yes) and answer.by != self.by:
            self.tally.passed()

    async def check(self, question: Question) -> Answer | None:
        """Ask the model; after too many denials leave it to a person."""
        is_automatic = question.context.mode is Mode.AUTO and question.verdict.is_checkable
        if not is_automatic or self.tally.is_exhausted:
            return None
        match await self.classifier.classify(question):
            case Allow():
                self.tally.passed()
                return Yes(by=self.by)
            case Deny(reason):
                self.tally.denied()
                return No(words=reason or "It was judged too risky.", by=self.by)
            case Ask() | None:
                return None
