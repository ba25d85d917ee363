"""Batches, for those who do not want streaming: the same results, only later."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from execution_kit import ALONE, SAFE, Stage, contents, examples, reads, use, writes
from gantlet.execution import Answer, SiblingFailure, texts
from gantlet.testing import Fail, Report, Return, Step, Wait
from gantlet.tool import Named, Traits

X = writes(Named("x"))


async def test_nothing_starts_before_the_reply_has_ended() -> None:
    stage = Stage()
    stage.tool("Read", Return("fine"))

    async with stage, stage.executor(streaming=False) as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Missing", "b"))
        await stage.clock.sleep(10)
        meanwhile = list(stage.log), executor.results()
        answers = await executor.drain()

    assert meanwhile == (["0 queued a", "0 queued b", "0 finished b invalid"], [])
    assert [answer.call.id for answer in answers] == ["a", "b"]
    assert contents(answers)["a"] == "fine"


async def test_calls_that_only_read_run_together_and_each_other_one_alone() -> None:
    stage = Stage()
    stage.tool("Read", Wait(1))
    stage.tool("Write", Wait(1), traits=X)
    stage.tool("Other", Wait(1), traits=writes(Named("y")))

    async with stage, stage.executor(streaming=False) as executor:
        for call_id, name in enumerate(("Read", "Read", "Write", "Read", "Read", "Other", "Write")):
            executor.submit(use(name, str(call_id)))
        await executor.drain()

    assert {call_id: began for call_id, (began, _) in stage.journal.spans().items()} == {
        "0": 0.0,
        "1": 0.0,
        "2": 1.0,
        "3": 2.0,
        "4": 2.0,
        "5": 3.0,
        "6": 4.0,
    }


async def test_no_more_than_ten_of_a_batch_run_at_once() -> None:
    stage = Stage()
    stage.tool("Read", Wait(1))

    async with stage, stage.executor(streaming=False) as executor:
        for number in range(15):
            executor.submit(use("Read", str(number)))
        await executor.drain()

    starts = [began for began, _ in stage.journal.spans().values()]
    assert starts == [0.0] * 10 + [1.0] * 5


async def test_calls_that_were_not_drained_are_answered_when_the_executor_is_left() -> None:
    stage = Stage()
    stage.tool("Read")

    async with stage:
        async with stage.executor(streaming=False) as executor:
            executor.submit(use("Read", "a"))
        answers = executor.answers()

    assert contents(answers) == {"a": texts.NOT_STARTED_AT_END}


async def test_calls_that_wait_for_the_end_of_the_reply_can_be_aborted() -> None:
    stage = Stage()
    stage.tool("Read")

    async with stage, stage.executor(streaming=False) as executor:
        executor.submit(use("Read", "a"))
        executor.abort()
        at_once = executor.results()
        rest = await executor.drain()

    assert contents(at_once) == {"a": texts.NOT_STARTED}
    assert rest == []


async def test_calls_that_wait_for_the_end_of_the_reply_can_be_discarded() -> None:
    stage = Stage()
    stage.tool("Write", traits=X)

    async with stage, stage.executor(streaming=False) as executor:
        executor.submit(use("Write", "a"))
        effects = await executor.discard()
        answers = await executor.drain()

    assert (effects, answers, stage.log) == ([], [], ["0 queued a"])


async def test_a_reply_may_be_drained_again_after_more_calls() -> None:
    stage = Stage()
    stage.tool("Read", Return("fine"))

    async with stage, stage.executor(streaming=False) as executor:
        executor.submit(use("Read", "a"))
        first = await executor.drain()
        executor.submit(use("Read", "b"))
        second = await executor.drain()

    assert (contents(first), contents(second)) == ({"a": "fine"}, {"b": "fine"})


KINDS: Sequence[Traits] = [
    SAFE,
    ALONE,
    X,
    writes(Named("y")),
    reads(Named("x")),
    reads(Named("y")),
    writes(Named("x"), failure_stops_siblings=True),
]
ENDS: Sequence[Step] = [Return("fine"), Fail("No luck."), Fail("Nothing.", is_benign=True)]
CALLS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.sampled_from(ENDS)), max_size=8
)


async def run_all(
    calls: Sequence[tuple[Traits, int, Step]], *, streaming: bool
) -> tuple[Stage, list[Answer]]:
    """Run calls, none of which stops another; return what came of it."""
    stage = Stage()
    setting = SiblingFailure.OFF
    for number, (traits, seconds, end) in enumerate(calls):
        stage.tool(f"T{number}", Report(1), Wait(seconds), end, traits=traits)
    async with stage, stage.executor(streaming=streaming, sibling_failure=setting) as executor:
        for number in range(len(calls)):
            executor.submit(use(f"T{number}", f"call-{number}"))
        executor.submit(use("Missing", "missing"))
        return stage, await executor.drain()


@examples(60)
@given(CALLS)
async def test_batches_have_the_same_results_and_the_same_kinds_of_events(
    calls: Sequence[tuple[Traits, int, Step]],
) -> None:
    stage, answers = await run_all(calls, streaming=True)
    batch_stage, batch_answers = await run_all(calls, streaming=False)

    assert [answer.block for answer in batch_answers] == [answer.block for answer in answers]
    assert [answer.outcome for answer in batch_answers] == [answer.outcome for answer in answers]
    for number in range(len(calls)):
        assert batch_stage.told(f"call-{number}") == stage.told(f"call-{number}")
