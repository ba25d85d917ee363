"""Whatever breaks around a call, or is nonsense: each call still has exactly one answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from execution_kit import (
    ALONE,
    AllowEverything,
    ChangingHooks,
    FreeTool,
    Stage,
    allow,
    contents,
    use,
    writes,
)
from gantlet.execution import Abandoned, Answer, Interrupted, Spill, texts
from gantlet.hooks import AfterCall, BeforeCall, CallEvent, Moment
from gantlet.messages import CallFinished, CallQueued, Event, OutcomeKind, ToolUse
from gantlet.permissions import Decision, Request
from gantlet.testing import Fail, Hang, Return, Wait
from gantlet.tool import Named, ResultContent, ToolContext, ToolResult


def kind(value: object) -> str:
    """Return a name for a case."""
    return type(value).__name__


class Unprintable:
    """Something that cannot be looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("not for your eyes")

    __str__ = __repr__


class UnreadableMapping(dict[str, object]):
    """A mapping that breaks when it is read."""

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")


class SpeechlessError(Exception):
    """An error without words."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class PanicError(BaseException):
    """Raised by some extension modules; no `Exception`."""


GARBAGE = {
    "unprintable": Unprintable(),
    "unprintable data": ToolResult(Unprintable()),
    "unprintable structured": ToolResult("fine", structured=Unprintable()),
    "unreadable structured": ToolResult("fine", structured=UnreadableMapping(a=1)),
    "messages": ToolResult("fine", new_messages=5),  # type: ignore[arg-type]
    "meta": ToolResult("fine", meta=5),  # type: ignore[arg-type]
    "modifier": ToolResult("fine", context_modifier=5),  # type: ignore[arg-type]
    "modified": ToolResult("fine", context_modifier=lambda _: Unprintable()),  # type: ignore[arg-type, return-value]
    "object": object(),
    "bytes": b"bytes",
    "keys": {1: {2: 3}},
    "number": float("nan"),
    "class": ToolResult,
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
async def test_nonsense_that_a_tool_returns_is_one_answer(garbage: object) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> object:
        return garbage

    stage.tools.append(FreeTool("Odd", run, ALONE))
    stage.tool("Other", Return("fine"), traits=ALONE)

    async with stage, stage.executor() as executor:
        executor.submit(use("Odd", "a"))
        executor.submit(use("Other", "b"))
        answers = await executor.drain()

    assert [answer.call.id for answer in answers] == ["a", "b"]
    assert answers[1].block.content == "fine"
    assert [line.split()[1] for line in stage.log if " a " in f"{line} "] == [
        "queued",
        "decided",
        "started",
        "finished",
    ]


@pytest.mark.parametrize(
    "error",
    [SpeechlessError(), PanicError("boom"), asyncio.CancelledError(), RecursionError(), OSError(5)],
    ids=kind,
)
async def test_whatever_a_tool_raises_is_its_own_failure_and_nobody_elses(
    error: BaseException,
) -> None:
    stage = Stage()

    async def run(context: ToolContext) -> object:
        raise error

    stage.tools.append(FreeTool("Odd", run))
    stage.tool("Other", Wait(1), Return("fine"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Odd", "a"))
        executor.submit(use("Other", "b"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.FAILED,
        OutcomeKind.SUCCEEDED,
    ]


async def test_a_listener_that_raises_disturbs_no_call() -> None:
    stage = Stage()
    stage.tool("Read", Return("fine"))

    def listen(event: Event) -> None:
        raise ValueError(event)

    stage.listener = listen

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Missing", "b"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.SUCCEEDED,
        OutcomeKind.INVALID,
    ]


async def test_a_listener_may_abort_while_it_is_told_of_something() -> None:
    stage = Stage()
    stage.tool("Slow", Hang())

    def listen(event: Event) -> None:
        if event == CallQueued(use("Slow", "b")):
            executor.abort()

    stage.listener = listen

    async with stage, stage.executor() as executor:
        executor.submit(use("Slow", "a"))
        await stage.clock.sleep(1)
        executor.submit(use("Slow", "b"))
        executor.submit(use("Slow", "c"))
        answers = await executor.drain()

    assert contents(answers) == {
        "a": texts.INTERRUPTED_BY_USER,
        "b": texts.NOT_STARTED,
        "c": texts.NOT_STARTED,
    }


async def test_a_call_that_cannot_be_written_down_is_not_run() -> None:
    stage = Stage()
    stage.tool("Write", Return("fine"), traits=writes(Named("x")))

    def before_run(call: ToolUse) -> None:
        if call.id == "a":
            raise OSError(28, "No space left on device")

    stage.before_run = before_run

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("Write", "a"))
        executor.submit(use("Write", "b"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.FAILED,
        OutcomeKind.SUCCEEDED,
    ]
    assert stage.journal.started() == ["b"]
    assert stage.told("a") == ["queued", "decided allow", "finished failed"]


class BrokenPermission:
    """A permission that breaks on one call."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def decide(self, request: Request) -> Decision:
        """Break, or allow."""
        if request.call.id == "a":
            raise self._error
        return allow()


@pytest.mark.parametrize(
    "error", [RuntimeError("broken"), SpeechlessError(), PanicError("boom")], ids=kind
)
async def test_a_permission_that_breaks_denies_one_call_and_no_other(error: BaseException) -> None:
    stage = Stage(permission=BrokenPermission(error))
    stage.tool("Read", Wait(1), Return("fine"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Read", "b"))
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.DENIED,
        OutcomeKind.SUCCEEDED,
    ]
    assert stage.journal.started() == ["b"]


class BrokenSpill(Spill):
    """A place for long results that breaks."""

    async def fit(self, call_id: str, content: ResultContent, limit: float) -> ResultContent:
        """Break on some calls."""
        if call_id in {"a", "c"}:
            raise RuntimeError("broken")
        return content

    def fit_now(self, call_id: str, content: ResultContent, limit: float) -> ResultContent:
        """Break."""
        raise RuntimeError("broken")


async def test_a_result_that_cannot_be_fitted_is_still_an_answer() -> None:
    stage = Stage()
    stage.spill = BrokenSpill(Path("/nowhere"))
    stage.tool("Read", Return("fine"))
    stage.tool("Broken", Fail("no"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Read", "b"))
        executor.submit(use("Broken", "c"))
        answers = await executor.drain()

    assert [(answer.call.id, answer.record.outcome) for answer in answers] == [
        ("a", OutcomeKind.FAILED),
        ("b", OutcomeKind.SUCCEEDED),
        ("c", OutcomeKind.FAILED),
    ]


async def test_a_result_that_the_reply_has_no_room_for_and_no_file_takes_is_kept() -> None:
    stage = Stage()
    stage.spill = BrokenSpill(Path("/nowhere"))
    long = "x" * 10_000
    stage.tool("Read", Return(long))

    async with stage, stage.executor(reply_budget_chars=100) as executor:
        executor.submit(use("Read", "b"))
        executor.submit(use("Read", "d"))
        answers = await executor.drain()

    assert contents(answers) == {"b": long, "d": long}


async def test_a_call_that_is_interrupted_when_it_had_its_result_keeps_it() -> None:
    stage = Stage(hooks=SlowAfterHooks())
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": "written"}


async def test_a_call_that_is_interrupted_and_whose_result_cannot_be_fitted_has_an_answer() -> None:
    stage = Stage(hooks=SlowAfterHooks())
    stage.spill = BrokenSpill(Path("/nowhere"))
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "b"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [OutcomeKind.FAILED]


class SlowAfterHooks(ChangingHooks):
    """Hooks that take for ever after a call."""

    def __init__(self) -> None:
        super().__init__(clock=Stage().clock, changes={})

    def wants(self, event: CallEvent, tool_name: str) -> bool:
        """Listen after each call."""
        return event is CallEvent.AFTER

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Never end."""
        await anyio.sleep_forever()
        raise AssertionError


class StubbornHooks(ChangingHooks):
    """Hooks that will not stop before a call, or after it."""

    def __init__(self, event: CallEvent) -> None:
        super().__init__(clock=Stage().clock, changes={})
        self._event = event

    def wants(self, event: CallEvent, tool_name: str) -> bool:
        """Listen at one moment."""
        return event is self._event

    async def before(self, moment: Moment) -> BeforeCall:
        """Swallow every cancellation."""
        while True:
            with anyio.CancelScope(shield=True):
                await anyio.sleep_forever()

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Swallow every cancellation."""
        while True:
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                continue


async def test_a_hook_that_will_not_stop_before_a_call_is_given_up() -> None:
    stage = Stage(hooks=StubbornHooks(CallEvent.BEFORE))
    stage.tool("Read")

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": texts.NOT_STARTED}
    assert ended_at == 6
    assert stage.bodies.abandoned == [Abandoned("a", "Read")]


async def test_a_hook_that_will_not_stop_after_a_call_costs_no_result() -> None:
    stage = Stage(hooks=StubbornHooks(CallEvent.AFTER))
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": "written"}


class StubbornPermission(AllowEverything):
    """A permission that will not stop."""

    async def decide(self, request: Request) -> Decision:
        """Swallow everything."""
        while True:
            try:
                with anyio.move_on_after(1000):
                    await anyio.sleep_forever()
            except BaseException:  # noqa: BLE001 - what this test is about
                continue


async def test_a_session_ends_past_a_permission_that_will_not_stop() -> None:
    stage = Stage(permission=StubbornPermission())
    stage.tool("Read")

    async with stage:
        executor = stage.executor()
        executor.submit(use("Read", "a"))
        await stage.clock.sleep(1)

    assert contents(executor.answers()) == {"a": texts.NOT_STARTED_AT_END}


async def test_a_cancelled_drain_leaves_an_answer_for_every_call() -> None:
    stage = Stage()
    stage.tool("Quick", Return("fine"))
    stage.tool("Slow", Hang())
    stage.tool("Alone", traits=ALONE)

    async with stage:
        with anyio.CancelScope() as outer:
            async with stage.executor() as executor:
                for name, call_id in (("Quick", "a"), ("Slow", "b"), ("Alone", "c")):
                    executor.submit(use(name, call_id))
                await stage.clock.sleep(1)
                outer.cancel()
                await executor.drain()

        answers = executor.answers()

    assert contents(answers) == {
        "a": "fine",
        "b": texts.PROGRAM_ENDED,
        "c": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a", "b"]


async def test_a_cancelled_session_starts_nothing_more() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))
    stage.tool("Next", Return("ran"), traits=writes(Named("x")))

    async with stage.clock:
        with anyio.CancelScope() as session:
            async with stage.bodies, stage.executor() as executor:
                executor.submit(use("Slow", "a"))
                executor.submit(use("Next", "b"))
                await stage.clock.sleep(1)
                session.cancel()

    assert contents(executor.answers()) == {
        "a": texts.PROGRAM_ENDED,
        "b": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a"]


async def test_calls_that_are_not_waited_for_end_with_the_session() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))
    stage.tool("Next", Return("ran"), traits=writes(Named("x")))

    async with stage:
        executor = stage.executor()
        executor.submit(use("Slow", "a"))
        executor.submit(use("Next", "b"))
        await stage.clock.sleep(1)
    executor.submit(use("Next", "c"))

    assert contents(executor.answers()) == {
        "a": texts.PROGRAM_ENDED,
        "b": texts.NOT_STARTED_AT_END,
        "c": texts.NOT_STARTED_AT_END,
    }
    assert stage.journal.started() == ["a"]


async def test_leaving_without_draining_ends_what_runs_and_answers_what_waits() -> None:
    stage = Stage()
    stage.tool("Slow", Hang(), traits=writes(Named("x")))

    async with stage:
        async with stage.executor() as executor:
            executor.submit(use("Slow", "a"))
            executor.submit(use("Slow", "b"))
            await stage.clock.sleep(1)
        outcomes = [answer.outcome for answer in executor.answers()]

    assert outcomes == [Interrupted(texts.PROGRAM_ENDED), Interrupted(texts.NOT_STARTED_AT_END)]


async def test_two_may_wait_for_the_same_calls() -> None:
    stage = Stage()
    stage.tool("Slow", Wait(1), Return("fine"))
    drained: list[list[Answer]] = []

    async with stage, stage.executor() as executor:

        async def drain() -> None:
            drained.append(await executor.drain())

        executor.submit(use("Slow", "a"))
        async with anyio.create_task_group() as group:
            group.start_soon(drain)
            group.start_soon(drain)
            group.start_soon(drain)

    assert [contents(answers) for answers in drained] == [{"a": "fine"}, {}, {}]


async def test_an_abort_after_a_slot_was_handed_on_comes_in_time() -> None:
    stage = Stage(moves=False)
    stage.tool("First", Wait(1), Return("fine"))
    stage.tool("Next", Return("ran"))

    async with stage, stage.executor(max_concurrency=1) as executor:
        executor.submit(use("First", "a"))
        executor.submit(use("Next", "b"))
        await stage.clock.advance(0)

        def abort_when_done(event: Event) -> None:
            if isinstance(event, CallFinished):
                executor.abort()

        stage.listener = abort_when_done
        await stage.clock.advance(1)
        answers = executor.results()

    assert contents(answers) == {"a": "fine", "b": texts.NOT_STARTED}
    assert stage.journal.started() == ["a"]
