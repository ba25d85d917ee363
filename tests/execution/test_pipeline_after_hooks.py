"""What hooks can do once a call has run: say more, show something else, and break nothing."""

import logging
from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.hooks import HOOK_FAILURES, ScriptedHooks, told_of_failure
from fakes.tools import FakeTool, fake_call, raises, returns
from gantlet.execution import (
    Failed,
    Succeeded,
)
from gantlet.hooks import AfterCall, Moment
from gantlet.messages import (
    Notice,
    ResultBlock,
    UserMessage,
)
from gantlet.tool import (
    EXCLUSIVE,
    Surroundings,
    ToolError,
    ToolResult,
    Traits,
)

SUCCEEDED = Succeeded(ToolResult("done"), "done")


@pytest.mark.parametrize("says", HOOK_FAILURES, ids=repr)
async def test_a_hook_that_fails_after_a_call_changes_nothing_and_is_told(
    tmp_path: Path, says: object, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench([FakeTool()], tmp_path, hooks=ScriptedHooks(after_says=says))

    answer = await bench.answer(fake_call())

    assert (answer.outcome, answer.block) == (SUCCEEDED, ResultBlock("c1", "done"))
    assert answer.record.post_hook_error != ""
    assert [notice.text.partition(": ")[0] for notice in bench.told(Notice)] == [
        "A hook failed after Fake"
    ]
    assert [(record.levelno, record.exc_info is not None) for record in caplog.records] == [
        (logging.ERROR, True)
    ]


async def test_what_a_failed_hook_said_is_in_the_record_and_the_notice(tmp_path: Path) -> None:
    bench = Bench([FakeTool()], tmp_path, hooks=ScriptedHooks(after_says=RuntimeError("boom")))

    answer = await bench.answer(fake_call())

    assert answer.record.post_hook_error == "RuntimeError: boom"
    assert bench.told(Notice) == [told_of_failure("after", "RuntimeError: boom")]


async def test_a_hook_that_fails_after_a_failure_leaves_the_failure(tmp_path: Path) -> None:
    tool = FakeTool(raises(ToolError("No.")))
    bench = Bench([tool], tmp_path, hooks=ScriptedHooks(failure_says=RuntimeError("boom")))

    answer = await bench.answer(fake_call())

    failed = Failed("<tool_use_error>No.</tool_use_error>", "No.", "ToolError")
    assert (answer.outcome, answer.record.post_hook_error) == (failed, "RuntimeError: boom")


async def test_after_hooks_that_are_no_coroutines_cost_no_result(tmp_path: Path) -> None:
    class Plain(ScriptedHooks):
        def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:  # type: ignore[override]
            raise RuntimeError("not even started")

    bench = Bench([FakeTool()], tmp_path, hooks=Plain())  # type: ignore[arg-type]  # on purpose

    answer = await bench.answer(fake_call())

    assert answer.outcome == SUCCEEDED
    assert answer.record.post_hook_error == "RuntimeError: not even started"


async def test_a_hook_can_put_another_output_in_place_of_the_tools(tmp_path: Path) -> None:
    output: ToolResult[object] = ToolResult("masked", structured={"masked": True})
    hooks = ScriptedHooks(after_says=AfterCall(updated_output=output))
    tool = FakeTool(returns(ToolResult("secret", structured={"secret": 1})))

    answer = await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    assert answer.outcome == Succeeded(output, "masked")
    assert answer.structured == {"masked": True}


async def test_another_output_shows_nothing_of_the_tools_own(tmp_path: Path) -> None:
    hooks = ScriptedHooks(after_says=AfterCall(updated_output=ToolResult("masked")))
    tool = FakeTool(returns(ToolResult("secret", structured={"secret": 1}, meta={"secret": 2})))

    answer = await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    assert "secret" not in repr(answer)
    assert answer.structured == "masked"


async def test_another_output_keeps_what_the_call_did_to_later_ones(tmp_path: Path) -> None:
    def move(surroundings: Surroundings) -> Surroundings:
        return surroundings.moved_to("/")

    message = UserMessage("You are in another folder now.")
    whole = ToolResult("moved", new_messages=(message,), context_modifier=move)
    hooks = ScriptedHooks(after_says=AfterCall(updated_output=ToolResult("masked")))
    tool = FakeTool(returns(whole), traits=Traits(access=EXCLUSIVE))

    answer = await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    assert (answer.block.content, answer.modifier, answer.new_messages) == (
        "masked",
        move,
        (message,),
    )


async def test_another_output_that_the_tool_cannot_show_is_dropped_and_told(
    tmp_path: Path,
) -> None:
    class Counted(FakeTool):
        def to_result_block(self, data: object) -> str:
            if not isinstance(data, int):
                raise TypeError("not a count")
            return f"{data} lines"

    hooks = ScriptedHooks(after_says=AfterCall(updated_output=ToolResult("many"), context=("a",)))
    bench = Bench([Counted(returns(3))], tmp_path, hooks=hooks)

    answer = await bench.answer(fake_call())

    assert (answer.outcome, answer.context) == (Succeeded(ToolResult(3), "3 lines"), ("a",))
    assert answer.record.post_hook_error == "TypeError: not a count"
    assert bench.told(Notice) == [told_of_failure("after", "TypeError: not a count")]
