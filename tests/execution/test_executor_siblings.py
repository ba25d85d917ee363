"""A call that failed: which of its siblings make no sense any more, by setting and by trait."""

from collections.abc import Sequence
from typing import overload

import pytest

from execution_kit import (
    ChangingHooks,
    FreeTool,
    NoteInput,
    Person,
    Stage,
    contents,
    reads,
    use,
    writes,
)
from gantlet.execution import (
    AbortScope,
    CallRecord,
    Cancelled,
    ExecutionSettings,
    Failed,
    SiblingFailure,
    texts,
)
from gantlet.execution.call import prepare
from gantlet.execution.siblings import Siblings
from gantlet.execution.tracked import EXECUTING, Tracked
from gantlet.messages import OutcomeKind
from gantlet.permissions import Decision
from gantlet.pool import Pool, assemble
from gantlet.testing import Fail, Hang, Return, Wait
from gantlet.tool import Named, ToolContext, ToolError, Traits, UserError

SHELL = writes(Named("x"), failure_stops_siblings=True)
OTHER_SHELL = writes(Named("y"), failure_stops_siblings=True)
LOOKING_SHELL = reads(Named("x"), failure_stops_siblings=True)
FAILURE = "<tool_use_error>No luck.</tool_use_error>"


def cancelled_by(description: str) -> str:
    """Return what is said of a call that was stopped because another one failed."""
    return f"Cancelled: parallel tool call {description} errored"


def make_stage() -> Stage:
    """Return a stage with every kind of sibling."""
    stage = Stage()
    stage.tool("Broken", Wait(1), Fail("No luck."), traits=SHELL)
    stage.tool("BrokenLook", Wait(1), Fail("No luck."), traits=LOOKING_SHELL)
    stage.tool("BrokenEdit", Wait(1), Fail("No luck."), traits=writes(Named("x")))
    stage.tool("Nothing", Wait(1), Fail("No luck.", is_benign=True), traits=SHELL)
    stage.tool("Shell", Wait(5), Return("fine"), traits=SHELL)
    stage.tool("Elsewhere", Wait(5), Return("fine"), traits=OTHER_SHELL)
    stage.tool("Look", Wait(5), Return("fine"), traits=LOOKING_SHELL)
    stage.tool("Edit", Wait(5), Return("fine"), traits=writes(Named("x")))
    stage.tool("Read", Wait(5), Return("fine"), traits=reads(Named("z")))
    return stage


@pytest.mark.parametrize(
    ("setting", "first", "expected"),
    [
        (SiblingFailure.DEPENDENT, "Broken", ["Shell"]),
        (SiblingFailure.DEPENDENT, "BrokenLook", []),
        (SiblingFailure.DEPENDENT, "BrokenEdit", []),
        (SiblingFailure.DEPENDENT, "Nothing", []),
        (SiblingFailure.ALL, "Broken", ["Shell", "Elsewhere", "Look", "Edit", "Read"]),
        (SiblingFailure.ALL, "BrokenLook", ["Shell", "Elsewhere", "Look", "Edit", "Read"]),
        (SiblingFailure.ALL, "BrokenEdit", []),
        (SiblingFailure.ALL, "Nothing", []),
        (SiblingFailure.OFF, "Broken", []),
        (SiblingFailure.OFF, "BrokenLook", []),
    ],
)
async def test_who_is_stopped_by_a_failure(
    setting: SiblingFailure, first: str, expected: list[str]
) -> None:
    stage = make_stage()
    others = ["Shell", "Elsewhere", "Look", "Edit", "Read"]

    async with stage, stage.executor(sibling_failure=setting) as executor:
        for name in (first, *others):
            executor.submit(use(name, name, note="why"))
        answers = await executor.drain()

    description = cancelled_by(f'{first}(note="why")')
    assert contents(answers) == {
        first: FAILURE,
        **{name: description if name in expected else "fine" for name in others},
    }
    assert [answer.call.id for answer in answers if isinstance(answer.outcome, Cancelled)] == (
        expected
    )


async def test_later_calls_are_stopped_before_they_start() -> None:
    stage = make_stage()

    async with stage, stage.executor() as executor:
        executor.submit(use("Broken", "a"))
        await stage.clock.sleep(2)
        executor.submit(use("Shell", "b"))
        executor.submit(use("Elsewhere", "c"))
        executor.submit(use("Look", "d"))
        executor.submit(use("Edit", "e"))
        at_once = executor.results()
        rest = await executor.drain()

    stopped = cancelled_by("Broken()")
    assert contents(at_once) == {"a": FAILURE, "b": stopped, "c": stopped}
    assert contents(rest) == {"d": "fine", "e": "fine"}
    assert stage.journal.started() == ["a", "d", "e"]


async def test_with_all_nothing_starts_after_the_failure() -> None:
    stage = make_stage()

    async with stage, stage.executor(sibling_failure=SiblingFailure.ALL) as executor:
        executor.submit(use("Broken", "a"))
        await stage.clock.sleep(2)
        for name, call_id in (("Read", "b"), ("Edit", "c")):
            executor.submit(use(name, call_id))
        answers = await executor.drain()

    stopped = cancelled_by("Broken()")
    assert contents(answers) == {"a": FAILURE, "b": stopped, "c": stopped}


async def test_a_failure_stops_only_what_stands_behind_it() -> None:
    person = Person({"a"})
    stage = make_stage()
    stage.permission = person

    async with stage, stage.executor() as executor:
        executor.submit(use("Elsewhere", "a"))
        executor.submit(use("Broken", "b"))
        await stage.clock.sleep(2)
        person.answer("a")
        answers = await executor.drain()

    assert contents(answers) == {"a": "fine", "b": FAILURE}


async def test_a_call_that_was_changed_and_waits_again_is_stopped_like_one_that_always_did() -> (
    None
):
    stage = Stage()
    stage.hooks = ChangingHooks(stage.clock, {"b": {"note": "x"}}, seconds=1)
    stage.tool("Broken", Wait(2), Fail("No luck."), traits=SHELL)

    async def run(context: ToolContext) -> str:
        return "ran"

    stage.tools.append(FreeTool("Shell", run, {"": OTHER_SHELL, "x": SHELL}))

    async with stage, stage.executor() as executor:
        executor.submit(use("Broken", "a"))
        executor.submit(use("Shell", "b"))
        answers = await executor.drain()

    assert contents(answers) == {"a": FAILURE, "b": cancelled_by("Broken()")}


async def test_the_first_failure_is_the_one_that_is_named() -> None:
    stage = make_stage()

    async with stage, stage.executor() as executor:
        executor.submit(use("Broken", "a", note="first"))
        await stage.clock.sleep(2)
        executor.submit(use("BrokenEdit", "b", note="second"))
        executor.submit(use("Shell", "c"))
        answers = await executor.drain()

    assert contents(answers)["c"] == cancelled_by('Broken(note="first")')


async def test_a_chain_of_dependents_is_stopped_whole() -> None:
    stage = make_stage()

    async with stage, stage.executor() as executor:
        for call_id in ("a", "b", "c", "d"):
            executor.submit(use("Broken" if call_id == "a" else "Shell", call_id))
        executor.submit(use("Edit", "e"))
        answers = await executor.drain()

    stopped = cancelled_by("Broken()")
    assert contents(answers) == {
        "a": FAILURE,
        "b": stopped,
        "c": stopped,
        "d": stopped,
        "e": "fine",
    }
    assert stage.journal.spans() == {"a": (0, 1), "e": (1, 6)}


async def test_only_a_failure_stops_others_not_a_denial_an_abort_or_a_mistake() -> None:
    stage = make_stage()
    person = Person({"a"})
    stage.permission = person

    async with stage, stage.executor(sibling_failure=SiblingFailure.ALL) as executor:
        executor.submit(use("Shell", "a"))
        executor.submit(use("Shell", "b", note=5))
        executor.submit(use("Missing", "c"))
        executor.submit(use("Read", "d"))
        await stage.clock.sleep(1)
        person.answer("a", Decision.deny("no", "person"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.DENIED,
        OutcomeKind.INVALID,
        OutcomeKind.INVALID,
        OutcomeKind.SUCCEEDED,
    ]


async def test_a_shell_that_took_too_long_has_failed() -> None:
    stage = Stage()
    stage.tool("Endless", Hang(), traits=SHELL, timeout_seconds=1)
    stage.tool("Shell", Return("fine"), traits=SHELL)

    async with stage, stage.executor() as executor:
        executor.submit(use("Endless", "a"))
        executor.submit(use("Shell", "b"))
        answers = await executor.drain()

    assert contents(answers)["b"] == cancelled_by("Endless()")


class Speechless(FreeTool):
    """A tool that cannot say what its call does."""

    error: BaseException

    def summary(self, args: NoteInput) -> str:
        """Break."""
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError("no words"), SystemExit(3)])
async def test_a_failed_call_that_cannot_be_described_is_not(error: BaseException) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> str:
        raise ToolError("No luck.")

    tool = Speechless("Broken", run, SHELL)
    tool.error = error
    stage.tools.append(tool)
    stage.tool("Shell", Return("fine"), traits=SHELL)

    async with stage, stage.executor() as executor:
        executor.submit(use("Broken", "a"))
        executor.submit(use("Shell", "b"))
        answers = await executor.drain()

    assert contents(answers) == {
        "a": FAILURE,
        "b": "Cancelled: parallel tool call errored",
    }


@pytest.mark.parametrize("setting", list(SiblingFailure))
async def test_whatever_the_setting_an_independent_call_keeps_its_result(
    setting: SiblingFailure,
) -> None:
    stage = make_stage()

    async with stage, stage.executor(sibling_failure=setting) as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("BrokenEdit", "b"))
        executor.submit(use("Read", "c"))
        answers = await executor.drain()

    assert contents(answers) == {"a": "fine", "b": FAILURE, "c": "fine"}


async def test_with_all_a_running_call_is_stopped_though_it_may_finish_a_message() -> None:
    stage = Stage()
    stage.tool("Broken", Wait(1), Fail("No luck."), traits=SHELL)
    stage.tool("Firm", Wait(20), traits=Traits(access=writes(Named("z")).access))

    async with stage, stage.executor(sibling_failure=SiblingFailure.ALL) as executor:
        executor.submit(use("Broken", "a"))
        executor.submit(use("Firm", "b"))
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers)["b"] == texts.sibling_failed("Broken()")
    assert ended_at == 1


class Counted(Sequence[Tracked]):
    """Calls that count how many of them are looked at."""

    def __init__(self, number: int) -> None:
        tool = Stage().tool("Shell", traits=SHELL)
        pool = assemble([tool])
        self.looked_at = 0
        self._calls = [going(position, pool) for position in range(number)]

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, place: int) -> Tracked: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Tracked]: ...
    def __getitem__(self, place: int | slice) -> Tracked | Sequence[Tracked]:
        found = self._calls[place]
        self.looked_at += 1 if isinstance(found, Tracked) else len(found)
        return found


def going(position: int, pool: Pool) -> Tracked:
    """Return a call that is on its way."""
    call = use("Shell", str(position))
    record = CallRecord(call.id, call.name, "", 0)
    return Tracked(position, call, prepare(call, pool), record, AbortScope(), state=EXECUTING)


@pytest.mark.parametrize("setting", [SiblingFailure.DEPENDENT, SiblingFailure.ALL])
@pytest.mark.parametrize("step", [1, -1])
async def test_the_work_of_many_failures_grows_with_their_number_and_not_with_its_square(
    setting: SiblingFailure, step: int
) -> None:
    calls = Counted(1000)
    siblings = Siblings(setting)

    for failed in calls._calls[::step]:
        siblings.victims_of(failed, Failed("no", "no", "ToolError"), calls)

    assert calls.looked_at <= 3 * len(calls)


def test_the_setting_is_taken_by_its_name_and_another_is_refused() -> None:
    named = ExecutionSettings(sibling_failure="all")  # type: ignore[arg-type]  # what a program may write

    assert named.sibling_failure is SiblingFailure.ALL
    with pytest.raises(UserError, match="Give one of: dependent, all, off"):
        ExecutionSettings(sibling_failure="some")  # type: ignore[arg-type]  # what is being refused
