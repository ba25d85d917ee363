"""A call that ran alone may move the others; nobody else may, and nonsense moves nobody."""

import asyncio
import sys
from pathlib import Path

import pytest

from execution_kit import ALONE, SAFE, ChangingHooks, FreeTool, Stage, reads, use, writes
from gantlet.messages import ContextChangeDropped, Notice, NoticeLevel
from gantlet.testing import Return, Wait
from gantlet.tool import (
    Access,
    ContextModifier,
    File,
    Named,
    Surroundings,
    ToolContext,
    ToolResult,
    Traits,
)


def move_to(folder: Path) -> ContextModifier:
    """Return a change of directory."""
    return lambda surroundings: surroundings.moved_to(str(folder))


async def test_calls_that_wait_are_asked_again_from_the_new_directory(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    stage = Stage(cwd=str(tmp_path))
    stage.tool("Move", Wait(1), Return("moved", modifier=move_to(inner)), traits=ALONE)
    stage.tool("Inner", Wait(3), traits=writes(File(str(inner / "f"))))
    stage.tool("Here", Wait(3), traits=writes(File("f")))

    async with stage, stage.executor() as executor:
        for name in ("Move", "Inner", "Here"):
            executor.submit(use(name, name))
        answers = await executor.drain()
        surroundings = executor.surroundings

    assert surroundings == Surroundings(str(inner))
    assert stage.journal.spans() == {"Move": (0.0, 1.0), "Inner": (1.0, 4.0), "Here": (4.0, 7.0)}
    assert {answer.call.id: answer.record.waited_for for answer in answers} == {
        "Move": [],
        "Inner": ["Move"],
        "Here": ["Move", "Inner"],
    }


async def test_calls_that_no_longer_touch_the_same_run_at_once(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    stage = Stage(cwd=str(tmp_path))
    stage.tool("Move", Wait(1), Return("moved", modifier=move_to(inner)), traits=ALONE)
    stage.tool("Outer", Wait(3), traits=writes(File(str(tmp_path / "f"))))
    stage.tool("Here", Wait(3), traits=writes(File("f")))

    async with stage, stage.executor() as executor:
        for name in ("Move", "Outer", "Here"):
            executor.submit(use(name, name))
        await executor.drain()

    assert stage.journal.spans() == {"Move": (0.0, 1.0), "Outer": (1.0, 4.0), "Here": (1.0, 4.0)}


async def test_later_calls_run_in_the_new_directory(tmp_path: Path) -> None:
    stage = Stage(cwd="/")
    seen: list[str] = []

    async def look(context: ToolContext) -> str:
        seen.append(context.surroundings.cwd)
        return "seen"

    stage.tools.append(FreeTool("Look", look))
    stage.tool("Move", Return("moved", modifier=move_to(tmp_path)), traits=ALONE)

    async with stage, stage.executor() as executor:
        for name, call_id in (("Look", "a"), ("Move", "b"), ("Look", "c")):
            executor.submit(use(name, call_id))
        await executor.drain()

    assert seen == ["/", str(tmp_path)]


@pytest.mark.parametrize("traits", [SAFE, writes(Named("x"))])
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_change_by_a_call_that_did_not_ask_to_be_alone_is_dropped(
    traits: Traits, streaming: bool
) -> None:
    stage = Stage(cwd="/")
    stage.tool("Move", Return("moved", modifier=move_to(Path("/tmp"))), traits=traits)

    async with stage, stage.executor(streaming=streaming) as executor:
        executor.submit(use("Move", "a"))
        await executor.drain()
        surroundings = executor.surroundings

    assert surroundings == Surroundings("/")
    assert ContextChangeDropped("a") in stage.events


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_call_that_was_widened_to_be_alone_may_move_the_others(streaming: bool) -> None:
    stage = Stage(cwd="/")
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "alone"}})

    async def run(context: ToolContext) -> object:
        return ToolResult("moved", context_modifier=move_to(Path("/tmp")))

    stage.tools.append(FreeTool("Move", run, {"": SAFE, "alone": ALONE}))

    async with stage, stage.executor(streaming=streaming) as executor:
        executor.submit(use("Move", "a"))
        await executor.drain()
        surroundings = executor.surroundings

    assert surroundings == Surroundings("/tmp")


def break_down(surroundings: Surroundings) -> Surroundings:
    raise ValueError("no such place")


def nonsense(surroundings: Surroundings) -> Surroundings:
    return "elsewhere"  # type: ignore[return-value]


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def speechless(surroundings: Surroundings) -> Surroundings:
    raise SpeechlessError


def leave(surroundings: Surroundings) -> Surroundings:
    sys.exit(3)


def pretend(surroundings: Surroundings) -> Surroundings:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("modifier", "reason"),
    [
        (leave, "SystemExit: 3"),
        (pretend, "CancelledError"),
        (break_down, "ValueError: no such place"),
        (nonsense, "TypeError: it returned 'elsewhere'"),
        (speechless, "SpeechlessError"),
    ],
)
async def test_a_change_that_fails_is_dropped_and_told(
    modifier: ContextModifier, reason: str
) -> None:
    stage = Stage(cwd="/")
    stage.tool("Move", Return("moved", modifier=modifier), traits=ALONE)
    stage.tool("Read", Return("fine"))

    async with stage, stage.executor() as executor:
        executor.submit(use("Move", "a"))
        executor.submit(use("Read", "b"))
        answers = await executor.drain()
        surroundings = executor.surroundings

    assert surroundings == Surroundings("/")
    assert [answer.block.content for answer in answers] == ["moved", "fine"]
    assert [event for event in stage.events if isinstance(event, Notice)] == [
        Notice(
            NoticeLevel.WARNING,
            f"The context change of Move failed and was dropped: {reason}",
            "a",
        )
    ]


class CountedAccess(Access):
    """Everything, and how often somebody asks for it."""

    asked = 0

    @property
    def is_exclusive(self) -> bool:
        """Count."""
        CountedAccess.asked += 1
        return True


async def test_a_change_that_moves_nobody_asks_nobody_again() -> None:
    stage = Stage(cwd="/")
    same = Return("same", modifier=lambda surroundings: surroundings)
    stage.tool("Same", same, traits=Traits(read_only=True, access=CountedAccess()))

    async with stage, stage.executor() as executor:
        CountedAccess.asked = 0
        for number in range(20):
            executor.submit(use("Same", str(number)))
        await executor.drain()

    assert CountedAccess.asked == 20


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_call_that_was_narrowed_when_it_had_everything_may_move_the_others(
    streaming: bool,
) -> None:
    stage = Stage(cwd="/")
    stage.hooks = ChangingHooks(stage.clock, {"a": {"note": "narrow"}})

    async def run(context: ToolContext) -> object:
        return ToolResult("moved", context_modifier=move_to(Path("/tmp")))

    stage.tools.append(FreeTool("Move", run, {"": ALONE, "narrow": SAFE}))

    async with stage, stage.executor(streaming=streaming) as executor:
        executor.submit(use("Move", "a"))
        await executor.drain()
        surroundings = executor.surroundings

    assert surroundings == Surroundings("/tmp")


async def test_a_call_that_failed_moves_nobody(tmp_path: Path) -> None:
    stage = Stage(cwd="/")

    async def run(context: ToolContext) -> object:
        raise RuntimeError

    stage.tools.append(FreeTool("Move", run, ALONE))

    async with stage, stage.executor() as executor:
        executor.submit(use("Move", "a"))
        await executor.drain()

    assert executor.surroundings == Surroundings("/")


async def test_a_changed_call_that_waited_for_a_move_is_asked_again_too(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    stage = Stage(cwd=str(tmp_path))
    stage.hooks = ChangingHooks(
        stage.clock, {"move": {"note": "alone"}, "here": {"note": "f"}}, seconds=1
    )
    spans = stage.journal

    async def run(context: ToolContext) -> object:
        spans.note(stage.clock.now(), context.call.id, "started")
        await stage.clock.sleep(2)
        spans.note(stage.clock.now(), context.call.id, "ended")
        return ToolResult("done", context_modifier=move_to(inner))

    by_note = {"": reads(Named("x")), "alone": ALONE, "f": writes(File("f"))}
    stage.tools.append(FreeTool("Act", run, by_note))
    stage.tool("Inner", Wait(2), traits=writes(File(str(inner / "f"))))

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "move"))
        executor.submit(use("Act", "here"))
        executor.submit(use("Inner", "later"))
        await executor.drain()

    assert spans.spans() == {"later": (0.0, 2.0), "move": (2.0, 4.0), "here": (4.0, 6.0)}
