"""Whatever a reply asks for and whatever happens meanwhile: what must be true of its calls is."""

import re
from itertools import combinations

from hypothesis import example, given

from execution_kit import examples, line
from execution_scenario import SCENARIOS, Interruption, Plan, Run, Scenario, run
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
from gantlet.tool import Footprint

_TOLD = re.compile(
    r"queued(,decided (allow|deny))*(,started(,progress)*)?,finished \w+"
    r"|queued(,decided (allow|deny))*(,started(,progress)*)?"
)


@examples(300)
@given(SCENARIOS)
async def test_every_reply_ends_as_it_should(scenario: Scenario) -> None:
    made = await run(scenario, check_that_nobody_waits_in_vain)

    check_results(made)
    check_that_nothing_overlaps(made)
    check_that_nothing_starts_too_late(made)
    check_that_effects_come_in_order(made)
    check_what_was_told(made)
    check_that_nothing_is_left(made)


def granted(made: Run, number: int) -> Footprint:
    """Return what a call has reserved."""
    plan = made.scenario.plans[number]
    is_wider = number in made.askers.changed and not plan.first.covers(plan.last)
    return plan.last if is_wider else plan.first


def blockers(made: Run, number: int, unfinished: set[int]) -> set[int]:
    """Return the calls for which a call may wait."""
    return {
        other
        for other in unfinished - {number}
        if granted(made, other).conflicts(granted(made, number))
        and (other < number or (number in made.askers.changed and other in made.askers.gone))
    }


def check_that_nobody_waits_in_vain(made: Run) -> None:
    """Check that each call runs, waits for somebody on its way or for a call, or has no slot."""
    if made.is_interrupted:
        return
    submitted = {int(event.call.id) for event in made.stage.events if hasattr(event, "call")}
    unfinished = submitted - made.finished
    has_free_slot = len(made.running) < made.scenario.slots
    for number in unfinished - made.running - made.askers.awaiting:
        assert blockers(made, number, unfinished) or not has_free_slot, f"{number} waits in vain"


def check_results(made: Run) -> None:
    """Check that each call has one answer, in order, and one that fits what became of it."""
    answers = made.executor.answers()
    in_order = [str(number) for number in range(len(made.scenario.plans))]
    assert [answer.call.id for answer in answers] == in_order
    is_lost = made.told_before is not None
    handed_out = [answer.call.id for answer in made.answers]
    assert handed_out == in_order[: len(handed_out)]
    assert is_lost or len(handed_out) == len(in_order)
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
            assert has_run
            assert error_class == ERROR_CLASSES[plan.end]
        case Denied():
            assert plan.is_denied
            assert not has_run
        case Unknown(content):
            assert (content, has_run) == (texts.error(texts.UNKNOWN), True)
            assert plan.end in {"stubborn", "shield"}
        case Interrupted(content):
            assert made.is_interrupted
            assert content == (texts.INTERRUPTED_BY_USER if has_run else texts.NOT_STARTED)
        case Cancelled(content):
            assert content == texts.DISCARDED or is_cancelled_by_sibling(made, number, content)
        case _:
            raise AssertionError(answer)


ERROR_CLASSES = {
    "fail": "ToolError",
    "benign": "ToolError",
    "bug": "RuntimeError",
    "hang": "TimeoutError",
}


def is_cancelled_by_sibling(made: Run, number: int, content: str) -> bool:
    """Return whether a failure of another call can have stopped a call."""
    scenario = made.scenario
    plan = scenario.plans[number]
    failed = [
        other
        for answer in made.executor.answers()
        if isinstance(answer.outcome, Failed)
        and not answer.outcome.is_benign
        and scenario.plans[other := int(answer.call.id)].is_shell
    ]
    if not content.startswith("Cancelled: parallel tool call "):
        return False
    if scenario.sibling_failure is SiblingFailure.ALL:
        return bool(failed)
    is_dependent = plan.is_shell and not plan.read_only and number not in made.ran
    return (
        scenario.sibling_failure is SiblingFailure.DEPENDENT
        and is_dependent
        and any(other < number and not scenario.plans[other].read_only for other in failed)
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
            mine, theirs = made.scenario.plans[number].last, made.scenario.plans[other].last
            assert not mine.conflicts(theirs), f"{number} runs beside {other}"
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
        first, second = made.scenario.plans[earlier], made.scenario.plans[later]
        if not first.last.conflicts(second.last) or place[earlier] < place[later]:
            continue
        assert first.changed_by is not None
        assert not first.first.conflicts(second.last)


def check_what_was_told(made: Run) -> None:
    """Check that what was told of each call makes sense, and nothing after the reply was lost."""
    for number in range(len(made.scenario.plans)):
        told = [text for text in map(line, made.stage.events) if f" {number} " in f"{text} "]
        words = ",".join(re.sub(rf" {number}( {number})?\b", "", text) for text in told)
        assert _TOLD.fullmatch(words) or (made.told_before is not None and words == ""), words
        if made.told_before is None:
            assert words.count("finished") == 1, words
    if made.told_before is not None:
        assert len(made.stage.events) == made.told_before
        asked = [answer for answer in made.executor.answers() if int(answer.call.id) in made.ran]
        changing = [one for one in asked if not made.scenario.plans[int(one.call.id)].read_only]
        assert [effect.outcome for effect in made.effects] == [one.outcome for one in changing]


def check_that_nothing_is_left(made: Run) -> None:
    """Check that everything reserved was given back."""
    scheduler = made.executor._scheduler
    assert scheduler._index == ConflictIndex()
    assert (scheduler._reserved, scheduler._going, scheduler._waiters) == ({}, set(), {})
    assert made.executor._ground.slots.free == made.scenario.slots
    assert made.executor._reply._children == {}


_ = (example, Interruption, Plan)
