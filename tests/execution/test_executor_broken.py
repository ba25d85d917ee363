"""Whatever breaks around a call, or is nonsense: each call still has exactly one answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from execution_kit import (
    ALONE,
    EndlessAfterHooks,
    FreeTool,
    Stage,
    allow,
    contents,
    use,
    writes,
)
from gantlet.execution import Spill, texts
from gantlet.messages import CallQueued, Event, OutcomeKind, ToolUse
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

    def fitting(self, call_id: str, content: ResultContent, limit: float) -> ResultContent | None:
        """Have everything fitted."""
        return None

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
    stage = Stage(hooks=EndlessAfterHooks())
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "a"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert contents(answers) == {"a": "written"}


async def test_a_call_that_is_interrupted_and_whose_result_cannot_be_fitted_has_an_answer() -> None:
    stage = Stage(hooks=EndlessAfterHooks())
    stage.spill = BrokenSpill(Path("/nowhere"))
    stage.tool("Write", Return("written"), traits=writes(Named("x")))

    async with stage, stage.executor() as executor:
        executor.submit(use("Write", "b"))
        await stage.clock.sleep(1)
        executor.abort()
        answers = await executor.drain()

    assert [answer.record.outcome for answer in answers] == [OutcomeKind.FAILED]
