"""A tool may run in any way Python knows, and report anything while it does."""

from collections.abc import AsyncIterator, Awaitable, Generator, Iterator
from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.tools import FakeInput, FakeTool, fake_call
from gantlet.execution import Failed
from gantlet.messages import CallProgressed, FrozenDict, ResultBlock
from gantlet.tool import ToolContext


def bug(error_class: str, tool_name: str = "Fake") -> Failed:
    """Return the outcome of a call that broke."""
    message = (
        f"{tool_name} broke with {error_class}; this is a bug in the tool, not in your call."
        " Try another way."
    )
    return Failed(f"<tool_use_error>{message}</tool_use_error>", message, error_class)


class Plain(FakeTool):
    """Runs without being a coroutine."""

    def run(self, args: FakeInput, context: ToolContext) -> object:  # type: ignore[override]
        return "at once"


class Lazy(FakeTool):
    """Returns something to wait for that is no coroutine."""

    def run(self, args: FakeInput, context: ToolContext) -> Awaitable[object]:  # type: ignore[override]
        return _Later()


class _Later:
    """Something to wait for."""

    def __await__(self) -> Generator[None, None, str]:
        yield
        return "later"


class Babbling(FakeTool):
    """Yields what no event loop understands."""

    def run(self, args: FakeInput, context: ToolContext) -> Awaitable[object]:  # type: ignore[override]
        return _Nonsense()


class _Nonsense:
    """Something to wait for that makes no sense."""

    def __await__(self) -> Generator[int, None, str]:
        yield 42
        return "never"


class Yields(FakeTool):
    """Yields its result."""

    def run(self, args: FakeInput, context: ToolContext) -> Iterator[str]:  # type: ignore[override]
        yield "one"


class YieldsLater(FakeTool):
    """Yields its result, asynchronously."""

    async def run(self, args: FakeInput, context: ToolContext) -> AsyncIterator[str]:  # type: ignore[override]
        yield "one"


class Forgets(FakeTool):
    """Forgets to await."""

    async def run(self, args: FakeInput, context: ToolContext) -> object:
        return _never_awaited()


async def _never_awaited() -> str:
    """Wait for somebody who awaits this."""
    return "nobody waited"


@pytest.mark.parametrize(("kind", "text"), [(Plain, "at once"), (Lazy, "later")])
async def test_a_run_that_is_no_coroutine_works(
    tmp_path: Path, kind: type[FakeTool], text: str
) -> None:
    answer = await Bench([kind()], tmp_path).answer(fake_call())

    assert answer.block == ResultBlock("c1", text)


@pytest.mark.parametrize(
    ("kind", "error_class"),
    [
        (Yields, "TypeError"),
        (YieldsLater, "TypeError"),
        (Forgets, "TypeError"),
        (Babbling, "RuntimeError"),
    ],
)
async def test_a_run_of_a_kind_that_cannot_work_is_a_bug_in_the_tool(
    tmp_path: Path, kind: type[FakeTool], error_class: str
) -> None:
    answer = await Bench([kind()], tmp_path).answer(fake_call())

    assert answer.outcome == bug(error_class)


async def test_progress_leaves_at_once_and_in_order(tmp_path: Path) -> None:
    def run(args: FakeInput, context: ToolContext) -> str:
        context.progress("half")
        context.progress({"done": 2, "of": 3})
        return "done"

    bench = Bench([FakeTool(run)], tmp_path)

    await bench.answer(fake_call())

    assert bench.told(CallProgressed) == [
        CallProgressed("c1", "half"),
        CallProgressed("c1", FrozenDict(done=2, of=3)),
    ]
    names = [type(event).__name__ for event in bench.events]
    assert names[-4:] == ["CallStarted", "CallProgressed", "CallProgressed", "CallFinished"]


class Mute:
    """Cannot be shown in any way."""

    def __repr__(self) -> str:
        raise RuntimeError("do not look at me")

    __str__ = __repr__


def contains_itself() -> list[object]:
    """Return a list without an end."""
    endless: list[object] = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    "update",
    [
        object(),
        b"bytes",
        {1: "a"},
        {"a", "b"},
        float("nan"),
        10**5000,
        "\ud800",
        contains_itself(),
        Mute(),
        {"deep": Mute()},
        lambda: None,
    ],
    ids=lambda update: type(update).__name__,
)
async def test_progress_may_be_anything(tmp_path: Path, update: object) -> None:
    def run(args: FakeInput, context: ToolContext) -> str:
        context.progress(update)
        context.progress("still here")
        return "done"

    bench = Bench([FakeTool(run)], tmp_path)

    answer = await bench.answer(fake_call())

    assert answer.block == ResultBlock("c1", "done")
    assert bench.told(CallProgressed)[-1] == CallProgressed("c1", "still here")


async def test_progress_after_the_end_is_not_told(tmp_path: Path) -> None:
    contexts: list[ToolContext] = []
    bench = Bench([FakeTool(lambda args, context: contexts.append(context))], tmp_path)

    await bench.answer(fake_call())
    contexts[0].progress("too late")

    assert bench.told(CallProgressed) == []
