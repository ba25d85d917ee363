"""A tool may raise anything; the call has its result, the program goes on."""

import asyncio
import inspect
import logging
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from fakes.bench import Bench
from fakes.hooks import ScriptedHooks
from fakes.tools import FakeInput, FakeTool, fake_call, raises
from gantlet.execution import Answer, Executor, Failed, Interrupted, Unknown
from gantlet.execution.foreign import contained
from gantlet.hooks import HookEvent
from gantlet.messages import ResultBlock
from gantlet.testing import Hang, IgnoreCancel, ScriptedTool, VirtualClock, Wait
from gantlet.tool import AnyTool, ToolContext, ToolError, tool

SECRET = "hunter2"


def bug(error_class: str, tool_name: str = "Fake") -> Failed:
    """Return the outcome of a call that broke."""
    message = (
        f"{tool_name} broke with {error_class}; this is a bug in the tool, not in your call."
        " Try another way."
    )
    return Failed(f"<tool_use_error>{message}</tool_use_error>", message, error_class)


async def beside_another(folder: Path, action: Callable[..., object]) -> Answer:
    """Run a tool beside a good one, which must not be disturbed; return its answer."""
    good = FakeTool(name="Good")
    bench = Bench([FakeTool(action), good], folder)

    before, answer, after = await bench.answers(
        fake_call("Good", "a"), fake_call("Fake", "b"), fake_call("Good", "c")
    )

    assert (before.block, after.block) == (ResultBlock("a", "done"), ResultBlock("c", "done"))
    return answer


async def test_what_a_tool_says_to_the_model_is_what_the_model_reads(tmp_path: Path) -> None:
    answer = await beside_another(tmp_path, raises(ToolError("No file at 'x'. List it.")))

    text = "<tool_use_error>No file at 'x'. List it.</tool_use_error>"
    assert answer.outcome == Failed(text, "No file at 'x'. List it.", "ToolError")
    assert answer.block == ResultBlock("b", text, is_error=True)
    assert answer.structured == "Error: No file at 'x'. List it."


async def test_a_failure_can_be_an_answer(tmp_path: Path) -> None:
    answer = await beside_another(tmp_path, raises(ToolError("Nothing found.", is_benign=True)))

    assert isinstance(answer.outcome, Failed)
    assert answer.outcome.is_benign


async def test_a_kind_of_tool_error_is_named_in_the_record(tmp_path: Path) -> None:
    class QuotaError(ToolError):
        """Asked too often."""

    answer = await beside_another(tmp_path, raises(QuotaError("Wait a minute.")))

    assert answer.record.error_class == "QuotaError"
    assert answer.block.content == "<tool_use_error>Wait a minute.</tool_use_error>"


async def test_a_tool_error_without_words_still_says_something(tmp_path: Path) -> None:
    answer = await beside_another(tmp_path, raises(ToolError()))

    assert answer.block.content == (
        "<tool_use_error>Fake failed and gave no reason. Try another way.</tool_use_error>"
    )


class SilentError(Exception):
    """Cannot even say what it is."""

    def __str__(self) -> str:
        raise self

    __repr__ = __str__


class SilentToolError(ToolError):
    """Cannot say what the model should read."""

    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(SECRET),
        KeyError(SECRET),
        RecursionError(SECRET),
        MemoryError(SECRET),
        StopAsyncIteration(SECRET),
        TimeoutError(SECRET),
        AssertionError(SECRET),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
        ExceptionGroup(SECRET, [ValueError(SECRET), ToolError("No.")]),
        asyncio.CancelledError(SECRET),
        asyncio.InvalidStateError(SECRET),
        SystemExit(SECRET),
        SystemExit(0),
        GeneratorExit(SECRET),
        BaseExceptionGroup(SECRET, [SystemExit(SECRET), asyncio.CancelledError()]),
        BaseException(SECRET),
        anyio.ClosedResourceError(SECRET),
        SilentError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_tool_may_raise_anything(
    tmp_path: Path, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await beside_another(tmp_path, raises(error))

    assert answer.outcome == bug(type(error).__name__)
    assert SECRET not in repr(answer)
    assert __file__ not in repr(answer)
    [record] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage() == "Fake broke; this is a bug."
    assert record.exc_info is not None
    assert record.exc_info[2] is not None


async def test_a_bug_is_logged_with_its_words_and_its_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await Bench([FakeTool(raises(RuntimeError("the gory details")))], tmp_path).answer(fake_call())

    assert "RuntimeError: the gory details" in caplog.text
    assert "tools.py" in caplog.text


async def test_stop_iteration_does_not_end_the_pipeline_early(tmp_path: Path) -> None:
    answer = await beside_another(tmp_path, raises(StopIteration("early")))

    assert answer.outcome == bug("RuntimeError")  # Python's own translation


async def test_a_tool_error_without_words_of_its_own_is_still_a_tool_error(tmp_path: Path) -> None:
    answer = await beside_another(tmp_path, raises(SilentToolError()))

    assert answer.record.error_class == "SilentToolError"
    assert answer.block.content == (
        "<tool_use_error>Fake failed and gave no reason. Try another way.</tool_use_error>"
    )


async def test_tool_errors_from_a_task_group_are_read_by_the_model(tmp_path: Path) -> None:
    async def fetch(word: str) -> None:
        raise ToolError(f"No page {word!r}.", is_benign=True)

    async def run(args: FakeInput, context: ToolContext) -> None:
        async with anyio.create_task_group() as outer, anyio.create_task_group() as inner:
            outer.start_soon(fetch, "a")
            inner.start_soon(fetch, "a")

    answer = await beside_another(tmp_path, run)

    text = "<tool_use_error>No page 'a'.</tool_use_error>"
    assert answer.outcome == Failed(text, "No page 'a'.", "ToolError", is_benign=True)


async def test_several_tool_errors_at_once_are_all_read(tmp_path: Path) -> None:
    both = ExceptionGroup("two", [ToolError("No a."), ToolError("No b.", is_benign=True)])

    answer = await beside_another(tmp_path, raises(both))

    text = "<tool_use_error>No a.\nNo b.</tool_use_error>"
    assert answer.outcome == Failed(text, "No a.\nNo b.", "ToolError")


async def test_real_recursion_without_an_end_is_a_failed_call(tmp_path: Path) -> None:
    def deeper(args: FakeInput, context: ToolContext) -> object:
        return deeper(args, context)

    answer = await beside_another(tmp_path, deeper)

    assert answer.outcome == bug("RecursionError")


async def test_a_tool_that_cancels_its_own_task_fails_alone(tmp_path: Path) -> None:
    async def run(args: FakeInput, context: ToolContext) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await anyio.sleep_forever()

    answer = await beside_another(tmp_path, run)

    assert answer.outcome == bug("CancelledError")


async def test_a_tool_that_cancels_a_scope_of_its_own_is_left_to_it(tmp_path: Path) -> None:
    async def run(args: FakeInput, context: ToolContext) -> str:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await anyio.sleep_forever()
        return "came back"

    answer = await beside_another(tmp_path, run)

    assert answer.block == ResultBlock("b", "came back")


def test_ctrl_c_inside_a_tool_ends_the_program_and_the_call_has_its_answer(
    tmp_path: Path,
) -> None:
    executors: list[Executor] = []

    async def session() -> None:
        tool = FakeTool(raises(KeyboardInterrupt()))
        await Bench([tool], tmp_path, meanwhile=executors.append).answer(fake_call())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(session())

    program_ended = Interrupted(
        "The program stopped before this call finished. Check what it did before repeating it."
    )
    assert [answer.outcome for answer in executors[0].answers()] == [program_ended]


async def test_foreign_code_that_is_closed_while_it_waits_is_closed_and_no_more() -> None:
    waiting = contained(anyio.sleep_forever)
    waiting.send(None)

    waiting.close()

    assert inspect.getcoroutinestate(waiting) == inspect.CORO_CLOSED


@tool(read_only=True)
def exits() -> str:
    """Try to end the program from a thread."""
    raise SystemExit(1)


@tool(read_only=True)
def stops() -> str:
    """Raise what ends iterations, from a thread."""
    raise StopIteration


@pytest.mark.parametrize(
    ("function", "error_class"), [(exits, "SystemExit"), (stops, "RuntimeError")]
)
async def test_a_function_in_a_thread_may_raise_anything_too(
    tmp_path: Path, function: AnyTool, error_class: str
) -> None:
    bench = Bench([function], tmp_path)

    answer = await bench.answer(fake_call(function.name))

    assert answer.outcome == bug(error_class, function.name)


async def test_a_failure_of_any_kind_is_told_to_the_failure_hooks(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    bench = Bench([FakeTool(raises(SystemExit()))], tmp_path, hooks=hooks)

    await bench.answer(fake_call())

    assert hooks.events == [HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE]
    assert hooks.told[1][2] == bug("SystemExit").message


async def test_a_tool_that_takes_too_long_is_stopped_and_says_so(tmp_path: Path) -> None:
    clock, hooks = VirtualClock(100.0), ScriptedHooks()
    slow = ScriptedTool("Slow", [Wait(60)], clock=clock, timeout_seconds=2.5)
    bench = Bench([slow], tmp_path, hooks=hooks, clock=clock)

    answer = await bench.answer(fake_call("Slow"))

    message = "Slow did not finish within 2.5 seconds and was stopped. Ask for less."
    failed = Failed(f"<tool_use_error>{message}</tool_use_error>", message, "TimeoutError")
    assert answer.outcome == failed
    assert (answer.record.started_at, answer.record.ended_at) == (100.0, 102.5)
    assert hooks.told[1][2] == message


async def test_a_tool_that_will_not_stop_when_its_time_is_over_is_abandoned(
    tmp_path: Path,
) -> None:
    clock = VirtualClock(100.0)
    stubborn = ScriptedTool("Stubborn", [IgnoreCancel()], clock=clock, timeout_seconds=2)
    bench = Bench([stubborn], tmp_path, clock=clock)

    answer = await bench.answer(fake_call("Stubborn"))

    assert answer.outcome == Unknown(
        "<tool_use_error>This call was started and would not stop; whether it took effect is not"
        " known. Check before you repeat it.</tool_use_error>"
    )


async def test_a_tool_that_waits_for_ever_within_its_time_is_stopped(tmp_path: Path) -> None:
    clock = VirtualClock(100.0)
    hanging = ScriptedTool("Hanging", [Hang()], clock=clock, timeout_seconds=1)

    answer = await Bench([hanging], tmp_path, clock=clock).answer(fake_call("Hanging"))

    assert (answer.record.error_class, answer.record.ended_at) == ("TimeoutError", 101.0)
