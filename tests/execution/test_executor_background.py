"""Calls that may finish when the user says something new: for how long, and what comes then."""

import pytest

from execution_kit import EndlessAfterHooks, Stage, contents, use, writes
from gantlet.execution import AbortKind, Interrupted, texts
from gantlet.testing import Return, ScriptedTool, Wait, settle
from gantlet.tool import Interrupt, Named, ToolContext

FIRM = writes(Named("x"), interrupt=Interrupt.BLOCK)


async def test_a_call_that_may_finish_has_thirty_seconds() -> None:
    stage = Stage()
    stage.tool("Firm", Wait(100), traits=FIRM)

    async with stage, stage.executor() as executor:
        executor.submit(use("Firm", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert [answer.outcome for answer in answers] == [Interrupted(texts.INTERRUPTED_BY_USER)]
    assert ended_at == 31


async def test_how_long_a_call_may_finish_can_be_set() -> None:
    stage = Stage()
    stage.tool("Firm", Wait(100), traits=FIRM)

    async with stage, stage.executor(block_seconds=3) as executor:
        executor.submit(use("Firm", "a"))
        executor.abort(AbortKind.MESSAGE)
        await settle()
        not_started = executor.results()
        executor_two = stage.executor(block_seconds=3)
        executor_two.submit(use("Firm", "b"))
        await stage.clock.sleep(1)
        executor_two.abort(AbortKind.MESSAGE)
        await executor_two.drain()
        ended_at = stage.clock.now()

    assert contents(not_started) == {"a": texts.NOT_STARTED}
    assert ended_at == 4


class Movable(ScriptedTool):
    """A tool whose calls can go on elsewhere; or that says so, or breaks when it is asked."""

    def __init__(self, stage: Stage, moves: bool | BaseException, *, ends: bool = True) -> None:
        super().__init__("Movable", clock=stage.clock, journal=stage.journal, traits=FIRM)
        self._moves = moves
        self._ends = ends
        self.moved: list[str] = []

    async def run(self, args: object, context: ToolContext) -> object:
        """Wait until moved."""
        for second in range(1000):
            await self._clock.sleep(1)
            if self.moved and self._ends:
                return f"moved after {second + 1} seconds"
        return "never moved"

    def move_to_background(self, call_id: str) -> bool:
        """Move, or say why not."""
        if isinstance(self._moves, BaseException):
            raise self._moves
        if self._moves:
            self.moved.append(call_id)
        return self._moves


@pytest.mark.parametrize(
    ("moves", "ends", "content", "ended_at"),
    [
        (True, True, "moved after 31 seconds", 31),
        (True, False, texts.INTERRUPTED_BY_USER, 0.5 + 30 + 5),
        (False, True, texts.INTERRUPTED_BY_USER, 0.5 + 30),
        (RuntimeError("broken"), True, texts.INTERRUPTED_BY_USER, 0.5 + 30),
        (SystemExit(3), True, texts.INTERRUPTED_BY_USER, 0.5 + 30),
    ],
)
async def test_a_call_that_does_not_finish_goes_to_the_background_if_it_can(
    moves: bool | BaseException, ends: bool, content: str, ended_at: float
) -> None:
    stage = Stage()
    tool = Movable(stage, moves, ends=ends)
    stage.tools.append(tool)

    async with stage, stage.executor() as executor:
        executor.submit(use("Movable", "a"))
        await stage.clock.sleep(0.5)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        now = stage.clock.now()

    assert contents(answers) == {"a": content}
    assert now == ended_at
    assert tool.moved == (["a"] if moves is True else [])


async def test_a_call_whose_tool_has_ended_is_not_moved_to_the_background() -> None:
    stage = Stage()
    stage.hooks = EndlessAfterHooks()
    asked: list[str] = []

    class Done(ScriptedTool):
        def move_to_background(self, call_id: str) -> bool:
            asked.append(call_id)
            return True

    stage.tools.append(Done("Act", [Wait(5), Return("written")], clock=stage.clock, traits=FIRM))

    async with stage, stage.executor() as executor:
        executor.submit(use("Act", "a"))
        await stage.clock.sleep(1)
        executor.abort(AbortKind.MESSAGE)
        answers = await executor.drain()
        ended_at = stage.clock.now()

    assert contents(answers) == {"a": "written"}
    assert ended_at == 31
    assert asked == []
