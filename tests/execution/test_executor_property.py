"""Whatever a reply asks for and whatever happens meanwhile: what must be true of its calls is."""

import re
from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from execution_kit import examples, line
from execution_run import Run, run
from execution_scenario import HERE, SCENARIOS, THERE, Interruption, Scenario
from gantlet.execution import (
    Answer,
    Cancelled,
    Denied,
    Failed,
    Interrupted,
    SiblingFailure,
    Succeeded,
    Unknown,
    texts,
)
from gantlet.execution.conflicts import ConflictIndex
from gantlet.messages import CallQueued, ContextChangeDropped, Event

ERROR_CLASSES = {
    "fail": "ToolError",
    "benign": "ToolError",
    "bug": "RuntimeError",
    "hang": "TimeoutError",
}
#: What is said of a call that did not start, and of one that did.
BY_USER = (texts.NOT_STARTED, texts.INTERRUPTED_BY_USER)
AT_THE_END = (texts.NOT_STARTED_AT_END, texts.PROGRAM_ENDED)
INTERRUPTED = {"user": BY_USER, "message": BY_USER, "leave": AT_THE_END, "end": AT_THE_END}
TOLD = re.compile(
    r"queued(,decided (allow|deny))*(,started(,progress)*)?,finished \w+(,context change dropped)?"
)


@examples(400)
@given(SCENARIOS)
async def test_every_reply_ends_as_it_should(scenario: Scenario) -> None:
    made = await run(scenario, check_that_nobody_waits_in_vain)

    check_results(made)
    check_that_nothing_overlaps(made)
    check_that_nothing_starts_too_late(made)
    check_that_effects_come_in_order(made)
    check_where_calls_ran(made)
    check_what_was_told(made)
    check_that_nothing_is_left(made)


@examples(60)
@given(SCENARIOS, st.integers(0, 8))
async def test_what_a_lost_reply_did_is_not_done_again(scenario: Scenario, after: int) -> None:
    lost_scenario = replace(scenario, interruption=Interruption(after, "discard"))
    lost = await run(lost_scenario, check_that_nobody_waits_in_vain)
    again = await run(replace(scenario, interruption=None), look_away, lost.effects)

    changed = {number for number in lost.ran if not scenario.plans[number].read_only}
    assert changed.isdisjoint(again.ran)
    for answer in again.executor.answers():
        if int(answer.call.id) in changed and not isinstance(answer.outcome, Cancelled):
            assert " lost while it streamed" in str(answer.block.content)


def look_away(made: Run) -> None:
    """Check nothing."""


def blockers(made: Run, number: int, unfinished: set[int]) -> set[int]:
    """Return the calls for which a call may wait."""
    return {
        other
        for other in unfinished - {number}
        if made.reserved(other).conflicts(made.reserved(number))
        and (other < number or (number in made.askers.changed and other in made.askers.gone))
    }


def check_that_nobody_waits_in_vain(made: Run) -> None:
    """Check that each call runs, waits for somebody on its way or for a call, or has no slot."""
    if made.is_interrupted or not (made.scenario.streaming or made.is_drained):
        return
    unfinished = set(range(made.submitted)) - made.finished
    has_free_slot = len(made.running) < made.scenario.slots
    for number in unfinished - made.running - made.askers.awaiting:
        assert blockers(made, number, unfinished) or not has_free_slot, f"{number} waits in vain"


def check_results(made: Run) -> None:
    """Check that each call has one answer, in order, and one that fits what became of it."""
    answers = made.executor.answers()
    in_order = [str(number) for number in range(made.submitted)]
    assert [answer.call.id for answer in answers] == in_order
    handed_out = [answer.call.id for answer in made.answers]
    assert handed_out == in_order[: len(handed_out)]
    if made.scenario.interruption is None:
        assert len(handed_out) == len(made.scenario.plans)
    for answer in answers:
        check_answer(made, answer)


def check_answer(made: Run, answer: Answer) -> None:
    """Check one answer against the plan, if nobody stopped the call, or against who did."""
    number = int(answer.call.id)
    plan, has_run = made.scenario.plans[number], number in made.ran
    assert answer.block.tool_use_id == answer.call.id
    assert answer.block.content == answer.outcome.content
    assert (answer.record.started_at is not None) == has_run
    match answer.outcome:
        case Succeeded(_, content):
            assert (content, has_run, plan.end) == (f"done {number}", True, "return")
        case Failed(error_class=error_class):
            assert (error_class, has_run) == (ERROR_CLASSES[plan.end], True)
        case Denied():
            assert (plan.is_denied, has_run) == (True, False)
        case Unknown(content):
            assert (content, has_run) == (texts.error(texts.UNKNOWN), True)
            assert plan.end in {"stubborn", "shield"}
        case Interrupted(content):
            assert made.scenario.interruption is not None
            assert content == INTERRUPTED[made.scenario.interruption.kind][has_run]
        case Cancelled(content):
            assert content == texts.DISCARDED or is_cancelled_by_sibling(made, number, content)
        case _:
            raise AssertionError(answer)


def is_cancelled_by_sibling(made: Run, number: int, content: str) -> bool:
    """Return whether a failure of another call can have stopped a call."""
    plans, setting = made.scenario.plans, made.scenario.sibling_failure
    failed = [
        int(answer.call.id)
        for answer in made.executor.answers()
        if isinstance(answer.outcome, Failed)
        and not answer.outcome.is_benign
        and plans[int(answer.call.id)].is_shell
    ]
    if not content.startswith("Cancelled: parallel tool call "):
        return False
    if setting is SiblingFailure.ALL:
        return bool(failed)
    return (
        setting is SiblingFailure.DEPENDENT
        and plans[number].is_shell
        and not plans[number].read_only
        and number not in made.ran
        and any(other < number and not plans[other].read_only for other in failed)
    )


def check_that_nothing_overlaps(made: Run) -> None:
    """Check that no two calls that get in each other's way ran at the same time."""
    running: set[int] = set()
    for entry in made.stage.journal.entries:
        number = int(entry.call_id)
        if entry.what == "ended":
            running.remove(number)
            continue
        for other in running:
            conflict = made.touched(number).conflicts(made.touched(other))
            assert not conflict, f"{number} runs beside {other}"
        running.add(number)
        assert len(running) <= made.scenario.slots
    assert running == set()


def check_that_nothing_starts_too_late(made: Run) -> None:
    """Check that nothing was started after the reply was stopped, and nothing twice."""
    assert len(made.ran) == len(set(made.ran))
    assert len(made.askers.hooks_ran_for) == len(set(made.askers.hooks_ran_for))
    if made.is_interrupted:
        assert len(made.ran) == made.started_before


def check_that_effects_come_in_order(made: Run) -> None:
    """Check that calls that touch the same ran in the order in which they were asked for.

    A call that was changed on its way may come after later ones with which it had nothing in
    common when they went.
    """
    place = {number: place for place, number in enumerate(made.ran)}
    for earlier, later in combinations(sorted(place), 2):
        conflict = made.touched(earlier).conflicts(made.touched(later))
        if not conflict or place[earlier] < place[later]:
            continue
        assert made.scenario.plans[earlier].changed_by is not None
        at_first = made.reserved_first(earlier, made.seen_from[later])
        assert not at_first.conflicts(made.touched(later))


def check_where_calls_ran(made: Run) -> None:
    """Check that each call ran where those before it, which ran alone, had moved it."""
    cwd, answers = HERE, made.executor.answers()
    for number in made.ran:
        assert made.seen_from[number] == cwd
        plan = made.scenario.plans[number]
        if not plan.moves or not isinstance(answers[number].outcome, Succeeded):
            continue
        is_changed = number in made.askers.changed
        if plan.access.is_exclusive or (is_changed and plan.changed_access.is_exclusive):
            cwd = THERE if cwd == HERE else HERE
        elif not made.is_lost:
            assert ContextChangeDropped(str(number)) in made.stage.events
    assert made.executor.surroundings.cwd == cwd


def check_what_was_told(made: Run) -> None:
    """Check that what was told of each call makes sense, and nothing after the reply was lost."""
    for number in range(made.submitted):
        told = [line(event) for event in made.stage.events if call_id_of(event) == str(number)]
        words = ",".join(re.sub(rf" {number}\b", "", text) for text in told)
        assert TOLD.fullmatch(words) or made.is_lost, words
        assert words.count("finished") <= 1, words
    if made.is_lost:
        assert len(made.stage.events) == made.told_before
        changed = [one for one in sorted(made.ran) if not made.scenario.plans[one].read_only]
        outcomes = [made.executor.answers()[number].outcome for number in changed]
        assert [effect.outcome for effect in made.effects] == outcomes


def call_id_of(event: Event) -> str:
    """Return which call an event is about."""
    return event.call.id if isinstance(event, CallQueued) else getattr(event, "call_id", "")


def check_that_nothing_is_left(made: Run) -> None:
    """Check that everything reserved was given back."""
    scheduler = made.executor._scheduler
    assert scheduler._index == ConflictIndex()
    assert (scheduler._reserved, scheduler._going, scheduler._waiters) == ({}, set(), {})
    assert made.executor._slots.free == made.scenario.slots
    assert not made.executor._reply._children
