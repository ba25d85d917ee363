"""The engine asks where it must: once, race-safe, and never past a deny."""

import gc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import pytest

from gantlet.messages import Event, PermissionAsked, Text
from gantlet.permissions import (
    AddRules,
    Answer,
    AutoCheck,
    AutomaticCheck,
    ContextHolder,
    CoordinatorAsker,
    Decision,
    Destination,
    Engine,
    InteractiveAsker,
    No,
    PermissionContext,
    Question,
    Request,
    SetMode,
    Tally,
    Unanswered,
    Update,
    WorkerAsker,
    Yes,
    evaluate,
)
from gantlet.tool import AgentIdentity, Allow, Ask, Covered, Deny, Mode, Proof, Traits, Vote
from patience import PATIENCE_SECONDS
from permissions.permission_kit import (
    AGENT_TOOL,
    ALLOW,
    ASK,
    DENY,
    EDIT_TOOL,
    READ_TOOL,
    FileTool,
    NamedTool,
    PaperEyes,
    context,
    request_for,
)

pytestmark = pytest.mark.anyio
SUB_AGENT = AgentIdentity("sub", "Explore", depth=1)


@dataclass
class Dialog:
    """A queue whose questions a test answers; it keeps what was shown."""

    shown: dict[str, Question] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    has_some: anyio.Event = field(default_factory=anyio.Event)

    def push(self, question: Question) -> None:
        """Show a question."""
        self.shown[question.id] = question
        self.notes.append(("push", question.id))
        self.has_some.set()

    def update(self, question_id: str, note: str) -> None:
        """Keep a note."""
        self.notes.append((note, question_id))

    def remove(self, question_id: str) -> None:
        """Take a question away."""
        del self.shown[question_id]
        self.notes.append(("remove", question_id))

    async def first(self) -> Question:
        """Wait for a question and return it."""
        await self.has_some.wait()
        return next(iter(self.shown.values()))


@dataclass
class Answering:
    """An asker that gives one answer at once."""

    answer: Answer
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> None:
        """Answer."""
        self.asked.append(question)
        question.answer(self.answer)

    def quietly(self) -> None:
        """Say that a person is disturbed."""
        return


@dataclass
class Notebook:
    """A saver that keeps what it is given."""

    saved: list[Update] = field(default_factory=list)

    async def save(self, update: Update) -> None:
        """Keep it."""
        self.saved.append(update)


def engine(made: PermissionContext, asker: Any = None, **given: Any) -> Engine:
    return Engine(ContextHolder(made), asker, eyes=PaperEyes(), **given)


def edit(path: str = "a.py", agent: AgentIdentity | None = None) -> Request:
    return request_for(EDIT_TOOL, agent=agent, file_path=path)


async def test_what_rules_decide_asks_nobody() -> None:
    asker = Answering(Yes())

    allowed = await engine(context(allow=["Edit"]), asker).decide(edit())
    denied = await engine(context(deny=["Edit"]), asker).decide(edit())

    assert allowed == Decision(
        ALLOW,
        "Edit allows it.",
        "rules",
        rule="Edit",
        source="user settings (/user.json:3, permissions)",
        proof=Proof((Covered("Edit(a.py)", "rule Edit"),)),
    )
    assert (denied.behaviour, denied.rule, denied.layer) == (DENY, "Edit", "deny rules")
    assert asker.asked == []


async def test_a_yes_of_a_person_is_an_allow_whose_proof_names_them() -> None:
    decision = await engine(context(), Answering(Yes())).decide(edit())

    assert decision == Decision(
        ALLOW, "Allowed by the person.", "person", proof=Proof((Covered("Edit", "the person"),))
    )


@pytest.mark.parametrize(
    ("no", "agent", "reason", "ends_turn"),
    [
        (
            No(),
            None,
            "The user said no to this call. Stop here, and wait for what the user says next.",
            True,
        ),
        (No("Use b.py."), None, "The user said no to this call, and wrote: Use b.py.", False),
        (
            No(),
            SUB_AGENT,
            "The user said no to this call. Try another way, or report to whoever started you what"
            " could not be done.",
            False,
        ),
        (
            No("Use b.py."),
            SUB_AGENT,
            "The user said no to this call of a sub-agent, and wrote: Use b.py.",
            False,
        ),
    ],
)
async def test_a_no_has_four_texts_and_ends_the_turn_in_one_case_only(
    no: No, agent: AgentIdentity | None, reason: str, ends_turn: bool
) -> None:
    decision = await engine(context(), Answering(no)).decide(edit(agent=agent))

    assert decision == Decision(DENY, reason, "person", ends_turn=ends_turn)


async def test_what_is_attached_to_a_no_goes_along_and_the_turn_goes_on() -> None:
    picture = Text("look at this")

    decision = await engine(context(), Answering(No(attachments=(picture,)))).decide(edit())

    assert (decision.attachments, decision.ends_turn) == ((picture,), False)


async def test_without_anybody_to_ask_a_question_is_a_no_that_says_so() -> None:
    decision = await engine(context()).decide(edit())

    assert decision.behaviour is DENY
    assert "Nobody can be asked here" in decision.reason


@pytest.mark.parametrize(
    "made", [context(Mode.DONT_ASK, ask=["Edit"]), context(avoid_prompts=True)]
)
async def test_where_nobody_may_be_asked_nobody_is(made: PermissionContext) -> None:
    asker = Answering(Yes())

    decision = await engine(made, asker).decide(edit())

    assert decision.behaviour is DENY
    assert asker.asked == []


async def test_a_question_shows_what_was_judged_and_is_told_as_an_event() -> None:
    asker, told = Answering(Yes()), list[Event]()
    request = edit(".git/config")

    await engine(context(), asker, emit=told.append).decide(request)

    (question,) = asker.asked
    assert question.verdict.behaviour is ASK
    assert question.id == request.call.id
    assert told == [PermissionAsked(request.call, question.verdict.reason)]


async def test_an_input_that_the_person_changed_is_judged_again_and_not_asked_about_again() -> None:
    asker = Answering(Yes(updated_input={"file_path": "b.py"}))
    judged = engine(context(deny=["Edit(c.py)"]), asker)
    request = edit("a.py")

    first = await judged.decide(request)
    changed = request_for(EDIT_TOOL, file_path="b.py")
    changed = replace(changed, call=replace(changed.call, id=request.call.id))
    second = await judged.decide(changed)

    assert (first.behaviour, first.updated_input) == (ALLOW, {"file_path": "b.py"})
    assert (second.behaviour, second.updated_input) == (ALLOW, None)
    assert second.proof == Proof((Covered("Edit", "the person, who wrote this input"),))
    assert len(asker.asked) == 1


async def test_an_approval_is_kept_as_long_as_the_decision_it_came_with() -> None:
    asker = Answering(Yes(updated_input={"file_path": "b.py"}))
    judged = engine(context(), asker)
    request = edit("a.py")
    changed = request_for(EDIT_TOOL, file_path="b.py")
    changed = replace(changed, call=replace(changed.call, id=request.call.id))

    assert (await judged.decide(request)).allows  # and the call is given up: nobody keeps this
    gc.collect()
    assert (await judged.decide(changed)).allows

    assert len(asker.asked) == 2


async def test_an_approval_is_for_the_input_as_it_was_approved() -> None:
    asker = Answering(Yes(updated_input={"file_path": "b.py"}))
    judged = engine(context(), asker)
    request = edit("a.py")
    changed = request_for(EDIT_TOOL, file_path="c.py")

    first = await judged.decide(request)
    assert isinstance(first.updated_input, dict)
    first.updated_input["file_path"] = "c.py"
    await judged.decide(replace(changed, call=replace(changed.call, id=request.call.id)))

    assert len(asker.asked) == 2


async def test_what_a_person_writes_into_an_input_beats_no_deny() -> None:
    judged = engine(context(deny=["Edit(c.py)"]), Answering(Yes(updated_input={"file_path": "c"})))
    request = edit("a.py")

    await judged.decide(request)
    changed = request_for(EDIT_TOOL, file_path="c.py")
    second = await judged.decide(replace(changed, call=replace(changed.call, id=request.call.id)))

    assert second.behaviour is DENY


async def test_an_unchanged_input_is_no_change() -> None:
    judged = engine(context(), Answering(Yes(updated_input={"file_path": "a.py"})))

    assert (await judged.decide(edit("a.py"))).updated_input is None


async def test_the_first_to_claim_a_question_decides_it() -> None:
    question = Question(edit(), evaluate(edit(), context()), context())

    assert question.claim()
    assert not question.claim()
    assert not question.answer(Yes())
    question.settle(No("mine"))
    question.settle(Yes())

    assert await question.wait() == No("mine")


async def test_a_question_that_nobody_claimed_cannot_be_settled() -> None:
    with pytest.raises(RuntimeError, match="must be claimed"):
        Question(edit(), evaluate(edit(), context()), context()).settle(Yes())


async def test_a_dialog_shows_a_question_until_it_is_answered() -> None:
    dialog = Dialog()
    judged = engine(context(), InteractiveAsker(dialog))
    decisions: list[Decision] = []

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(keep, decisions, judged.decide, edit())
            question = await dialog.first()
            assert question.answer(Yes())

    assert [decision.behaviour for decision in decisions] == [ALLOW]
    assert dialog.shown == {}
    assert [what for what, _ in dialog.notes] == ["push", "remove"]


async def keep(
    decisions: list[Decision], decide: Callable[[Request], Awaitable[Decision]], request: Request
) -> None:
    decisions.append(await decide(request))


async def test_an_abort_while_asking_takes_the_question_back() -> None:
    dialog = Dialog()
    judged = engine(context(), InteractiveAsker(dialog))

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(judged.decide, edit())
            question = await dialog.first()
            group.cancel_scope.cancel()

    assert dialog.shown == {}
    assert question.is_claimed
    assert not question.answer(Yes())


async def test_an_always_saves_its_rule_and_releases_the_siblings_it_covers() -> None:
    dialog, notebook = Dialog(), Notebook()
    holder = ContextHolder(context(is_trusted=True), notebook)
    judged = Engine(holder, InteractiveAsker(dialog), eyes=PaperEyes())
    always = AddRules(("Edit(src/**)",), ALLOW, Destination.LOCAL)
    decisions: list[Decision] = []

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            for path in ("src/a.py", "src/b.py", "other.py"):
                group.start_soon(keep, decisions, judged.decide, edit(path))
            while len(dialog.shown) < 3:
                await anyio.lowlevel.checkpoint()
            first, second, third = dialog.shown.values()
            first.answer(Yes(updates=(always,)))
            await second.wait()
            assert list(dialog.shown.values())[-1] is third
            third.answer(No("not that"))

    assert sorted((str(one.behaviour), one.layer) for one in decisions) == [
        ("allow", "person"),
        ("allow", "rules"),
        ("deny", "person"),
    ]
    assert notebook.saved == [always]
    assert not second.answer(No())


async def test_a_change_of_mode_releases_what_it_decides_and_is_never_saved() -> None:
    dialog, notebook = Dialog(), Notebook()
    judged = Engine(ContextHolder(context(), notebook), InteractiveAsker(dialog), eyes=PaperEyes())
    decisions: list[Decision] = []

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(keep, decisions, judged.decide, edit())
            await dialog.first()
            await judged.change(SetMode(Mode.ACCEPT_EDITS, Destination.USER))

    assert [one.behaviour for one in decisions] == [ALLOW]
    assert notebook.saved == []


async def test_a_deny_that_comes_up_while_a_person_thinks_beats_their_yes() -> None:
    dialog = Dialog()
    holder = ContextHolder(context())
    judged = Engine(holder, InteractiveAsker(dialog), eyes=PaperEyes())
    decisions: list[Decision] = []

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(keep, decisions, judged.decide, edit())
            question = await dialog.first()
            holder.replace(context(deny=["Edit"]))
            question.answer(Yes())

    assert [(one.behaviour, one.rule) for one in decisions] == [(DENY, "Edit")]


class Failing:
    """Everything about it fails."""

    async def ask(self, question: Question) -> None:
        """Fail."""
        raise OSError("gone")

    async def forward(self, question: Question) -> Answer:
        """Fail."""
        raise OSError("gone")

    async def check(self, question: Question) -> Answer | None:
        """Fail."""
        raise OSError("gone")

    def noted(self, answer: Answer) -> None:
        """Do nothing."""

    def quietly(self) -> None:
        """Return nobody."""
        return


class Silent(Failing):
    """Reaches nobody."""

    async def ask(self, question: Question) -> None:
        """Return without an answer."""

    async def check(self, question: Question) -> Answer | None:
        """Have no opinion."""
        return None


@pytest.mark.parametrize(
    ("asker", "reason"),
    [
        (Failing(), "Edit changes a.py. Nobody answered: asking failed with OSError."),
        (Silent(), "Edit changes a.py. Nobody answered: there is nobody who could."),
        (
            WorkerAsker(Failing()),
            "Edit changes a.py. Nobody answered: the coordinator could not be reached (OSError).",
        ),
    ],
)
async def test_no_answer_is_not_a_yes(asker: Any, reason: str) -> None:
    decision = await engine(context(), asker).decide(edit())

    assert decision == Decision(DENY, reason, "mode default")


@dataclass
class Coordinator:
    """The other end of a worker's link."""

    answer: Answer

    async def forward(self, question: Question) -> Answer:
        """Answer."""
        return self.answer


async def test_a_worker_passes_the_coordinators_answer_on() -> None:
    for answer, behaviour in ((Yes(), ALLOW), (No("no"), DENY), (Unanswered("asleep"), DENY)):
        decision = await engine(context(), WorkerAsker(Coordinator(answer))).decide(edit())

        assert decision.behaviour is behaviour


@dataclass
class Check:
    """An automatic check with one opinion."""

    answer: Answer | None
    noticed: list[Answer] = field(default_factory=list)

    async def check(self, question: Question) -> Answer | None:
        """Answer."""
        return self.answer

    def noted(self, answer: Answer) -> None:
        """Keep the answer of others."""
        self.noticed.append(answer)


async def test_a_coordinator_lets_checks_answer_before_the_dialog_is_shown() -> None:
    asker = Answering(No("late"))
    made = context(await_automated_checks=True)
    checks: list[AutomaticCheck] = [
        Failing(),
        Silent(),
        Check(Yes(by="a hook")),
        Check(No()),
    ]

    decision = await engine(made, CoordinatorAsker(checks, asker)).decide(edit())

    assert (decision.behaviour, decision.layer) == (ALLOW, "a hook")
    assert asker.asked == []


async def test_a_coordinator_shows_the_dialog_where_no_check_has_an_opinion() -> None:
    silent = Check(None)

    for waits in (True, False):
        made = context(await_automated_checks=waits)
        asker = CoordinatorAsker([silent], Answering(Yes()))
        decision = await engine(made, asker).decide(edit())

        assert (decision.behaviour, decision.layer) == (ALLOW, "person")
    assert silent.noticed == [Yes(), Yes()]


async def test_checks_answer_also_where_nobody_may_be_asked() -> None:
    dialog = Answering(Yes())
    asker = CoordinatorAsker([Check(Yes(by="a hook"))], dialog)

    decision = await engine(context(avoid_prompts=True), asker).decide(edit())
    silent = await engine(context(avoid_prompts=True), CoordinatorAsker([], dialog)).decide(edit())

    assert (decision.behaviour, silent.behaviour) == (ALLOW, DENY)
    assert dialog.asked == []


@dataclass
class Model:
    """A classifier with one opinion."""

    vote: Vote | None
    asked: int = 0

    async def classify(self, question: Question) -> Vote | None:
        """Vote."""
        self.asked += 1
        return self.vote


OUTSIDE = "/etc/hosts"


async def test_in_auto_mode_a_model_decides_and_three_denials_in_a_row_bring_a_person() -> None:
    model = Model(Deny("too risky"))
    asker = CoordinatorAsker([AutoCheck(model)], Answering(Yes()))
    judged = engine(context(Mode.AUTO, await_automated_checks=True), asker)

    layers = [(await judged.decide(edit(OUTSIDE))).layer for _ in range(5)]

    auto = "the automatic check"
    assert layers == [auto, auto, auto, "person", auto]
    assert model.asked == 4


async def test_twenty_denials_in_all_bring_a_person_for_good() -> None:
    tally = Tally(in_a_row=0, total=19)
    asker = CoordinatorAsker([AutoCheck(Model(Deny("no")), tally)], Answering(Yes()))
    judged = engine(context(Mode.AUTO, await_automated_checks=True), asker)

    layers = [(await judged.decide(edit(OUTSIDE))).layer for _ in range(3)]

    assert layers == ["the automatic check", "person", "person"]


@pytest.mark.parametrize(
    ("made", "request_made"),
    [
        (context(Mode.AUTO, ask=["Edit"]), edit()),
        (context(Mode.DEFAULT), edit()),
        (context(Mode.AUTO), request_for(NamedTool("Erase", Traits(destructive=True)))),
        (context(Mode.AUTO), replace(edit(), hook_vote=Ask("sure?"))),
        (context(Mode.AUTO), edit(".claude/settings.json")),
    ],
)
async def test_a_model_never_answers_what_a_person_must(
    made: PermissionContext, request_made: Request
) -> None:
    model = Model(Allow(Proof((Covered("x", "a model"),))))
    asker = CoordinatorAsker([AutoCheck(model)], Answering(No("no")))
    made = replace(made, await_automated_checks=True)

    decision = await engine(made, asker).decide(request_made)

    assert (decision.behaviour, model.asked) == (DENY, 0)


async def test_a_model_may_answer_for_a_protected_path() -> None:
    model = Model(Allow(Proof((Covered("x", "a model"),))))
    made = context(Mode.AUTO, await_automated_checks=True)

    decision = await engine(made, CoordinatorAsker([AutoCheck(model)])).decide(edit(".git/config"))

    assert (decision.behaviour, decision.layer) == (ALLOW, "the automatic check")


async def test_a_change_that_cannot_be_saved_holds_for_the_session() -> None:
    class Broken:
        async def save(self, update: Update) -> None:
            raise OSError("disk full")

    holder = ContextHolder(context(is_trusted=True), Broken())
    always = AddRules(("Edit",), ALLOW, Destination.LOCAL)
    judged = Engine(holder, Answering(Yes(updates=(always,))), eyes=PaperEyes())

    decision = await judged.decide(edit())

    assert decision.behaviour is ALLOW
    assert [rule.text for rule in holder.current.allow] == ["Edit"]


async def test_explaining_shows_every_vote_and_asks_nobody() -> None:
    asker = Answering(Yes())
    judged = engine(context(ask=["Read"]), asker)

    verdict = judged.explain(request_for(READ_TOOL, file_path="a.py"))

    assert [(one.layer, str(one.behaviour)) for one in verdict.ballots] == [
        ("safe", "allow"),
        ("rules", "ask"),
    ]
    assert asker.asked == []


async def test_a_tool_that_cannot_name_its_paths_is_asked_about() -> None:
    broken = FileTool("Broken")
    broken.path_fields = ("no_such_field",)
    asker = Answering(No("no"))

    await engine(context(Mode.BYPASS), asker).decide(request_for(broken, file_path="a"))

    assert len(asker.asked) == 1


async def test_many_calls_at_once_are_each_answered_once() -> None:
    dialog = Dialog()
    judged = engine(context(), InteractiveAsker(dialog))
    decisions: list[Decision] = []

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            for number in range(50):
                request = request_for(AGENT_TOOL, name=f"agent-{number}")
                group.start_soon(keep, decisions, judged.decide, request)
            while len(dialog.shown) < 50:
                await anyio.lowlevel.checkpoint()
            for question in list(dialog.shown.values()):
                assert question.answer(Yes())
                assert not question.answer(No())

    assert [one.behaviour for one in decisions] == [ALLOW] * 50
