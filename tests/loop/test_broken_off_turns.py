"""Turns that break off in the middle: every call is answered, and the next prompt can follow."""

import anyio
import pytest

from gantlet import Agent
from gantlet.loop import Limits
from gantlet.loop.attachments import INTERRUPTED_TOOLS, OUT_OF_TIME
from gantlet.messages import (
    AssistantMessage,
    Message,
    ResultBlock,
    Text,
    Thinking,
    ToolUse,
    TurnEnd,
    UserMessage,
    blocks_of,
)
from gantlet.testing import VirtualClock
from gantlet.tool import ToolResult, tool
from loop_kit import Hanging, agent_of, assert_fine, look, results, texts

pytestmark = pytest.mark.anyio

CALL = {"call": "look", "id": "c1", "input": {"note": "x"}}


async def test_a_cancellation_while_hooks_look_at_results_keeps_the_results() -> None:
    agent = agent_of(CALL, "Fine.")
    began = anyio.Event()

    @agent.hook("PostToolBatch")
    async def wait(given: object) -> None:
        began.set()
        await anyio.sleep_forever()

    async with anyio.create_task_group() as group:
        group.start_soon(agent.run, "go")
        with anyio.fail_after(5):
            await began.wait()
        group.cancel_scope.cancel()

    assert results(agent.messages[2]) == [("c1", "saw x")]
    assert texts(agent.messages[2]) == [INTERRUPTED_TOOLS]


async def test_an_interrupt_while_hooks_look_at_results_ends_the_turn_at_once() -> None:
    agent = agent_of(CALL, "Fine.")
    waits = [True]

    @agent.hook("PostToolBatch")
    async def interrupt(given: object) -> None:
        if waits.pop():
            agent.interrupt()
            await anyio.sleep_forever()

    with anyio.fail_after(5):
        result = await agent.run("go")

    assert result.reason is TurnEnd.ABORTED_TOOLS
    assert results(agent.messages[2]) == [("c1", "saw x")]
    await assert_fine(agent, "Fine.")


async def test_an_interrupt_while_hooks_look_at_the_end_of_a_turn_ends_it() -> None:
    agent = agent_of("One.", "Fine.")
    waits = [False, True]

    @agent.hook("Stop")
    async def interrupt(given: object) -> None:
        if waits.pop():
            agent.interrupt()
            await anyio.sleep_forever()

    with anyio.fail_after(5):
        result = await agent.run("go")

    assert result.reason is TurnEnd.ABORTED_STREAMING
    await assert_fine(agent, "Fine.")


@pytest.mark.parametrize(
    "added",
    [
        UserMessage(""),
        UserMessage((Text(" \n"),)),
        UserMessage((ToolUse("x", "look", {}),)),
        UserMessage((ResultBlock("x", "y"),)),
        AssistantMessage((Thinking("hm", "sig"),)),
    ],
    ids=["empty", "blank", "call", "result", "thinking"],
)
async def test_what_a_tool_adds_that_no_user_may_say_is_left_out(added: Message) -> None:
    @tool(read_only=True)
    async def talk() -> ToolResult[str]:
        """Add a message."""
        return ToolResult("ok", new_messages=(added, UserMessage("words")))

    agent = agent_of({"call": "talk", "id": "c1"}, "Done.", "Fine.", tools=(talk,))

    result = await agent.run("go")

    assert result.text == "Done."
    assert agent.messages[2] == UserMessage((ResultBlock("c1", "ok"), Text("words")))
    await assert_fine(agent, "Fine.")


async def test_a_call_of_a_reply_that_was_asked_for_again_is_kept_when_cancelled() -> None:
    hanging = Hanging()
    lost = {"say": [{"call": "hang", "id": "c1"}, "and"], "fault": {"drop": True, "at": "mid_text"}}
    agent = agent_of(lost, "Fine.", tools=(hanging.tool, look))

    async with anyio.create_task_group() as group:
        group.start_soon(agent.run, "go")
        with anyio.fail_after(5):
            await hanging.began.wait()
        group.cancel_scope.cancel()

    assert [one for one, _ in results(agent.messages[2])] == ["c1"]
    await assert_fine(agent, "Fine.")


def put_off_once(agent: Agent) -> None:
    """Have a hook put the first call off, and allow it when it is asked again."""
    defers = [False, True]

    @agent.hook("PreToolUse")
    async def put_off(given: object) -> object:
        decision = "defer" if defers.pop() else "allow"
        return {
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}
        }


async def test_a_call_that_was_put_off_is_answered_when_it_is_cancelled() -> None:
    hanging = Hanging()
    agent = agent_of({"call": "hang", "id": "c1"}, "Fine.", tools=(hanging.tool,))
    put_off_once(agent)
    assert (await agent.run("go")).reason is TurnEnd.TOOL_DEFERRED
    async with anyio.create_task_group() as group:
        group.start_soon(agent.run)
        with anyio.fail_after(5):
            await hanging.began.wait()
        group.cancel_scope.cancel()

    assert [one for one, _ in results(agent.messages[2])] == ["c1"]
    assert texts(agent.messages[2]) == [INTERRUPTED_TOOLS]
    await assert_fine(agent, "Fine.")


async def test_an_interrupt_of_a_call_that_was_put_off_is_told_to_the_model() -> None:
    hanging = Hanging()
    agent = agent_of({"call": "hang", "id": "c1"}, "Fine.", tools=(hanging.tool,))
    put_off_once(agent)
    await agent.run("go")
    async with anyio.create_task_group() as group:
        group.start_soon(agent.run, "go on")
        with anyio.fail_after(5):
            await hanging.began.wait()
        agent.interrupt()

    assert texts(agent.messages[2]) == ["go on", INTERRUPTED_TOOLS]
    await assert_fine(agent, "Fine.")


async def test_the_time_of_a_turn_ends_a_call_that_never_would() -> None:
    clock = VirtualClock()
    hanging = Hanging()
    agent = agent_of(
        [{"call": "hang", "id": "c1"}],
        "Fine.",
        tools=(hanging.tool,),
        clock=clock,
        limits=Limits(max_seconds=30),
    )

    async with clock:
        result = await agent.run("go")

    assert (result.reason, result.errors) == (
        TurnEnd.BUDGET_EXHAUSTED,
        ("Stopped after 30 s; 30 were allowed.",),
    )
    (own, said) = results(agent.messages[2])[0]
    assert own == "c1"
    assert "time for this turn was over" in str(said)
    assert texts(agent.messages[2]) == [OUT_OF_TIME]
    await assert_fine(agent, "Fine.")


async def test_the_time_of_a_turn_ends_what_is_being_said() -> None:
    clock = VirtualClock()
    agent = agent_of(
        ["Once upon", {"wait": 100}, "a time."], clock=clock, limits=Limits(max_seconds=30)
    )

    async with clock:
        result = await agent.run("go")

    assert result.reason is TurnEnd.BUDGET_EXHAUSTED
    assert [texts(message) for message in agent.messages] == [["go"], ["Once upon"], [OUT_OF_TIME]]


async def test_after_a_pause_only_results_are_said_and_the_rest_later() -> None:
    @tool(read_only=True)
    async def talk() -> ToolResult[str]:
        """Add a message."""
        return ToolResult("ok", new_messages=(UserMessage("words"),))

    agent = agent_of(
        {"say": {"call": "talk", "id": "c1"}, "stop_reason": "pause_turn"},
        {"call": "look", "id": "c2", "input": {"note": "y"}},
        "Done.",
        tools=(talk, look),
    )
    says = [False, True]

    @agent.hook("PostToolBatch")
    async def say(given: object) -> None:
        if says.pop():
            agent.send("and hurry")

    await agent.run("go")

    assert blocks_of(agent.messages[2]) == (ResultBlock("c1", "ok"),)
    assert results(agent.messages[4]) == [("c2", "saw y")]
    assert texts(agent.messages[4]) == ["words", "and hurry"]


async def test_a_hook_can_stop_a_turn_after_the_calls_of_a_pause() -> None:
    agent = agent_of({"say": CALL, "stop_reason": "pause_turn"}, "never said")

    @agent.hook("PostToolUse")
    async def stop(given: object) -> object:
        return {"continue": False, "stopReason": "enough"}

    result = await agent.run("go")

    assert (result.reason, result.errors) == (TurnEnd.HOOK_STOPPED, ("enough",))
