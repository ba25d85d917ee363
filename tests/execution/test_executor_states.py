"""Calls on their way: queued, executing, completed, yielded; each as early as it may."""

import os
from pathlib import Path

import pytest

from execution_kit import ALONE, SAFE, FreeTool, Stage, contents, reads, use, writes
from gantlet.execution import Succeeded
from gantlet.messages import (
    Behaviour,
    CallFinished,
    CallProgressed,
    CallQueued,
    CallStarted,
    OutcomeKind,
    PermissionDecided,
    ResultBlock,
)
from gantlet.testing import Do, Fail, Report, Return, Say, Wait, play
from gantlet.tool import File, Named, ToolContext, ToolResult, Traits, Tree


async def test_a_call_is_queued_decided_started_and_finished() -> None:
    stage = Stage()
    stage.tool("Read", Wait(1), Report({"lines": 3}), Wait(1), Return("text"))
    call = use("Read", "a", note="x")

    async with stage, stage.executor() as executor:
        executor.submit(call, "msg_1")
        at_once = executor.results()
        (answer,) = await executor.drain()

    assert at_once == []
    assert stage.events == [
        CallQueued(call),
        PermissionDecided("a", Behaviour.ALLOW, "the test says so", "test"),
        CallStarted("a", "Read"),
        CallProgressed("a", {"lines": 3}),
        CallFinished(
            "a",
            "Read",
            OutcomeKind.SUCCEEDED,
            ResultBlock("a", "text"),
            duration_seconds=2.0,
            structured="text",
        ),
    ]
    assert answer.call == call
    assert answer.block == ResultBlock("a", "text")
    assert answer.outcome == Succeeded(ToolResult("text"), "text")
    assert (answer.record.queued_at, answer.record.started_at, answer.record.ended_at) == (0, 0, 2)
    assert answer.record.message_id == "msg_1"


async def test_calls_run_while_the_reply_goes_on_and_results_keep_its_order() -> None:
    stage = Stage()
    stage.tool("Slow", Wait(5), Return("slow"))
    stage.tool("Quick", Wait(1), Return("quick"))
    seen: list[tuple[float, list[str]]] = []

    async with stage, stage.executor() as executor:

        def look() -> None:
            answers = executor.results()
            seen.append((stage.clock.now(), [answer.call.id for answer in answers]))

        reply = [
            Say(0, use("Slow", "a")),
            Say(1, use("Quick", "b")),
            Say(2, look),
            Say(2.5, look),
            Say(0, look),
        ]
        await play(reply, stage.clock, executor.submit)
        executor.submit(use("Quick", "c"))
        rest = await executor.drain()
        last = executor.results(), await executor.drain()
        everything = executor.answers()

    assert seen == [(3.0, []), (5.5, ["a", "b"]), (5.5, [])]
    assert contents(rest) == {"c": "quick"}
    assert last == ([], [])
    assert contents(everything) == {"a": "slow", "b": "quick", "c": "quick"}
    assert stage.journal.spans() == {"a": (0.0, 5.0), "b": (1.0, 2.0), "c": (5.5, 6.5)}


async def test_progress_is_told_at_once_though_an_earlier_call_is_not_done() -> None:
    stage = Stage()
    stage.tool("Slow", Wait(5))
    stage.tool("Chatty", Report(1), Wait(1), Report(2))

    async with stage, stage.executor() as executor:
        executor.submit(use("Slow", "a"))
        executor.submit(use("Chatty", "b"))
        await executor.drain()

    assert [line for line in stage.log if "progress" in line or "finished" in line] == [
        "0 progress b 1",
        "1 progress b 2",
        "1 finished b succeeded",
        "5 finished a succeeded",
    ]


async def test_no_more_than_ten_tools_run_at_once_unless_it_is_set_otherwise() -> None:
    stage = Stage()
    stage.tool("Read", Wait(1))

    async with stage:
        async with stage.executor() as executor:
            for number in range(25):
                executor.submit(use("Read", f"{number:02}"))
            await executor.drain()
        async with stage.executor(max_concurrency=float("inf")) as executor:
            for number in range(25, 50):
                executor.submit(use("Read", f"{number:02}"))
            await executor.drain()

    starts = [entry.at for entry in stage.journal.entries if entry.what == "started"]
    assert starts == [0.0] * 10 + [1.0] * 10 + [2.0] * 5 + [3.0] * 25
    assert stage.journal.started() == [f"{number:02}" for number in range(50)]


async def test_a_tool_that_does_not_exist_is_answered_at_once() -> None:
    stage = Stage()
    stage.tool("Read", Wait(1), traits=ALONE)

    async with stage, stage.executor() as executor:
        executor.submit(use("Raed", "a"))
        executor.submit(use("Read", "b"))
        at_once = executor.results()
        rest = await executor.drain()

    assert [answer.block for answer in at_once] == [
        ResultBlock(
            "a",
            "<tool_use_error>Error: No such tool available: Raed</tool_use_error> Nearest: Read.",
            is_error=True,
        )
    ]
    assert [answer.record.outcome for answer in at_once] == [OutcomeKind.INVALID]
    assert contents(rest) == {"b": "done"}
    assert stage.told("a") == ["queued", "finished invalid"]


async def test_an_input_that_cannot_be_read_waits_its_turn_alone_and_is_an_error() -> None:
    stage = Stage()
    stage.tool("Read", Wait(2))
    stage.tool("Odd", Wait(1))

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        executor.submit(use("Odd", "b", note=7))
        executor.submit(use("Read", "c"))
        await stage.clock.sleep(1)
        waiting = list(executor.waiting)
        answers = await executor.drain()

    assert waiting == ["b", "c"]
    assert [answer.record.outcome for answer in answers] == [
        OutcomeKind.SUCCEEDED,
        OutcomeKind.INVALID,
        OutcomeKind.SUCCEEDED,
    ]
    assert str(answers[1].block.content).startswith("<tool_use_error>InputValidationError: ")
    assert answers[1].block.is_error
    assert stage.journal.spans() == {"a": (0.0, 2.0), "c": (2.0, 4.0)}
    assert answers[2].record.waited_for == ["b"]


async def test_a_tool_that_cannot_say_what_it_does_runs_alone() -> None:
    stage = Stage()

    async def run(context: ToolContext) -> str:
        stage.journal.note(stage.clock.now(), context.call.id, "started")
        await stage.clock.sleep(1)
        stage.journal.note(stage.clock.now(), context.call.id, "ended")
        return "fine"

    no_traits: dict[str, Traits] = {}
    stage.tools.append(FreeTool("Odd", run, no_traits))
    stage.tool("Read", Wait(1))

    async with stage, stage.executor() as executor:
        for name, call_id in (("Read", "a"), ("Odd", "b"), ("Read", "c")):
            executor.submit(use(name, call_id))
        await executor.drain()

    assert stage.journal.spans() == {"a": (0.0, 1.0), "b": (1.0, 2.0), "c": (2.0, 3.0)}


async def test_calls_run_at_once_unless_they_touch_the_same(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py", "src2/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    stage = Stage(cwd=str(tmp_path))
    stage.tool("EditA", Wait(1), traits=writes(File("a.py")))
    stage.tool("EditB", Wait(1), traits=writes(File("b.py")))
    stage.tool("ReadC", Wait(1), traits=reads(File("c.py")))
    stage.tool("GrepSrc2", Wait(1), traits=reads(Tree("src2")))
    stage.tool("GrepAll", Wait(1), traits=reads(Tree(".")))
    stage.tool("ReadB", Wait(1), traits=reads(File(str(tmp_path / "b.py"))))

    async with stage, stage.executor() as executor:
        for tool in stage.tools:
            executor.submit(use(tool.name, tool.name))
        answers = await executor.drain()

    assert {name: began for name, (began, _) in stage.journal.spans().items()} == {
        "EditA": 0.0,
        "EditB": 0.0,
        "ReadC": 0.0,
        "GrepSrc2": 0.0,
        "GrepAll": 1.0,
        "ReadB": 1.0,
    }
    assert {answer.call.id: answer.record.waited_for for answer in answers[-2:]} == {
        "GrepAll": ["EditB"],
        "ReadB": ["EditB"],
    }


async def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("x")
    os.link(tmp_path / "one", tmp_path / "two")
    (tmp_path / "three").symlink_to("one")
    stage = Stage(cwd=str(tmp_path))
    for name in ("one", "two", "three"):
        stage.tool(name, Wait(1), traits=writes(File(name)))

    async with stage, stage.executor() as executor:
        for name in ("one", "two", "three"):
            executor.submit(use(name, name))
        await executor.drain()

    assert stage.journal.spans() == {"one": (0.0, 1.0), "two": (1.0, 2.0), "three": (2.0, 3.0)}


async def test_a_waiting_call_does_not_hold_those_behind_it() -> None:
    stage = Stage()
    stage.tool("X", Wait(2), traits=writes(Named("x")))
    stage.tool("Y", Wait(1), traits=writes(Named("y")))

    async with stage, stage.executor() as executor:
        for name, call_id in (("X", "a"), ("X", "b"), ("Y", "c")):
            executor.submit(use(name, call_id))
        await executor.drain()

    assert stage.journal.spans() == {"a": (0.0, 2.0), "b": (2.0, 4.0), "c": (0.0, 1.0)}


@pytest.mark.parametrize("traits", [SAFE, writes(Named("x")), ALONE])
async def test_a_failing_call_disturbs_no_other(traits: Traits) -> None:
    stage = Stage()
    stage.tool("Broken", Wait(1), Fail("No luck. Try again."), traits=traits)
    stage.tool("Read", Wait(2), Return("fine"))

    async with stage, stage.executor() as executor:
        for name, call_id in (("Read", "a"), ("Broken", "b"), ("Read", "c")):
            executor.submit(use(name, call_id))
        answers = await executor.drain()

    assert [answer.block for answer in answers] == [
        ResultBlock("a", "fine"),
        ResultBlock("b", "<tool_use_error>No luck. Try again.</tool_use_error>", is_error=True),
        ResultBlock("c", "fine"),
    ]


async def test_what_a_tool_reports_when_its_call_has_ended_is_not_told() -> None:
    stage = Stage()
    kept: list[ToolContext] = []
    stage.tool("Read", Do(kept.append))

    async with stage, stage.executor() as executor:
        executor.submit(use("Read", "a"))
        await executor.drain()
        kept[0].progress("too late")

    assert stage.told("a") == ["queued", "decided allow", "started", "finished succeeded"]


async def test_an_executor_without_calls_has_nothing_to_wait_for() -> None:
    stage = Stage()

    async with stage, stage.executor() as executor:
        answers = await executor.drain()

    assert (answers, executor.answers(), list(executor.waiting)) == ([], [], [])
