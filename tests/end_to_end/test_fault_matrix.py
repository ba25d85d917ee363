"""Every way a stream can fail, at every moment, over real HTTP: nothing lost, nothing twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from gantlet import Agent, AgentParts, RunResult
from gantlet.loop import History
from gantlet.messages import (
    Event,
    Notice,
    ResultBlock,
    Retrying,
    Text,
    ToolUse,
    TurnEnd,
    blocks_of,
)
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.scripted import Script, ScriptServer, script_of
from gantlet.models.scripted.script import Say, Stall
from gantlet.system import Environment
from gantlet.tool import Access, File, FunctionTool, tool

from fakes.permissions import AllowingPermission  # isort: skip

pytestmark = pytest.mark.anyio

FAULTS: dict[str, dict[str, Any]] = {
    "overloaded event": {"error": "overloaded"},
    "api error event": {"error": "api"},
    "dropped socket": {"drop": True},
    "stalled stream": {"stall": "forever"},
    "half an event": {"garble": "half_event"},
    "no json": {"garble": "not_json"},
    "no chunk": {"garble": "wrong_chunk"},
    "rate limit event": {"error": "rate_limit"},
    "lasting error event": {"error": "invalid_request"},
}
#: With which a request may be answered that succeeds when it is made again.
STATUSES = [408, 409, 429, 500, 502, 503, 529]
UNKNOWN = ["event", "delta", "block"]
MOMENTS = ["before", "start", "mid_text", "mid_json", "after_call", "end"]


def writes(done: list[str], had: anyio.Event | None = None) -> FunctionTool[Any, Any]:
    @tool(name="Put", access=lambda args: Access(writes={File(args["path"])}))
    async def write(path: str) -> str:
        """Write a file."""
        done.append(path)
        if had is not None:
            had.set()
        return f"wrote {path}"

    return write


def conversation(fault: dict[str, Any], *, pause: float = 0.0) -> Script:
    """A reply with two calls that fails once, and a last word."""
    calls: list[object] = [
        "I will write ",
        {"call": "Put", "input": {"path": "a"}, "id": "c1", "chunks": 3},
        {"call": "Put", "input": {"path": "b"}, "id": "c2", "chunks": 3, "pause": pause},
        "both.",
    ]
    once: dict[str, Any] = {"times": 1, **fault}
    return script_of({"say": calls, "fault": once}, "Done.")


@dataclass
class AfterAnEffect:
    """A clock of the server's whose waits end when a call has had its effect."""

    done: list[str]
    had: anyio.Event = field(default_factory=anyio.Event)

    def now(self) -> float:
        return 0.0

    async def sleep_until(self, moment: float) -> None:
        with anyio.fail_after(30):
            await self.had.wait()


@asynccontextmanager
async def agent_for(
    script: Script, done: list[str], *, max_retries: int = 3, clock: AfterAnEffect | None = None
) -> AsyncIterator[Agent]:
    """Return an agent that has patience, except where it has to run out."""
    said = [one.reply for one in script.program if isinstance(one, Say)]
    faults = [fault.what for reply in said for fault in reply.faults]
    is_patient = not any(isinstance(what, Stall) for what in faults)
    async with ScriptServer(script, clock=clock) as server:
        endpoint = Endpoint(
            server.url,
            api_key="k",
            idle_seconds=30.0 if is_patient else 0.3,
            timeout_seconds=30.0 if is_patient else 1.0,
            max_retries=max_retries,
        )
        model = MessagesApi(endpoint)
        parts = AgentParts(permission=AllowingPermission(), environment=Environment())
        yield Agent(model, tools=[writes(done, None if clock is None else clock.had)], parts=parts)
        await model.aclose()


async def run(agent: Agent) -> tuple[list[Event], RunResult]:
    async with agent.stream("go") as events:
        heard = [event async for event in events]
    return heard, events.result


def check(agent: Agent, result: RunResult, done: list[str]) -> None:
    """Make sure that all was done, nothing twice, and that history says so."""
    assert (result.text, result.reason) == ("Done.", TurnEnd.COMPLETED)
    assert sorted(done) == ["a", "b"]
    assert History.of(agent.messages).messages == agent.messages
    answers = [block for block in blocks_of(agent.messages[2]) if isinstance(block, ResultBlock)]
    assert [block.tool_use_id for block in answers] == ["c1", "c2"]
    assert "wrote a" in str(answers[0].content)
    assert "wrote b" in str(answers[1].content)


def was_told(heard: list[Event]) -> bool:
    return any(isinstance(event, Notice | Retrying) for event in heard)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_failed_stream_loses_nothing_and_does_nothing_twice(
    fault: dict[str, Any], moment: str
) -> None:
    done: list[str] = []

    async with agent_for(conversation({**fault, "at": moment}), done) as agent:
        heard, result = await run(agent)

    if (fault, moment) == ({"error": "invalid_request"}, "before"):
        assert (result.reason, done) == (TurnEnd.API_ERROR, [])  # no retry would help
        assert result.errors
        return
    check(agent, result, done)
    assert was_told(heard)


@pytest.mark.parametrize("moment", ["mid_json", "after_call", "mid_text", "end"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_stream_that_fails_after_a_call_has_run_does_not_run_it_again(
    fault: dict[str, Any], moment: str
) -> None:
    done: list[str] = []
    clock = AfterAnEffect(done)
    second = {} if moment == "end" else {"nth": 2}
    script = conversation({**fault, "at": moment, **second}, pause=1.0)

    async with agent_for(script, done, clock=clock) as agent:
        heard, result = await run(agent)

    check(agent, result, done)
    assert was_told(heard)
    answered = blocks_of(agent.messages[2])[0]
    assert isinstance(answered, ResultBlock)
    if "stall" not in fault:  # patience may run out before the call has run
        assert "already ran" in str(answered.content)


@pytest.mark.parametrize("status", STATUSES)
async def test_a_status_that_may_pass_is_tried_again(status: int) -> None:
    done: list[str] = []

    async with agent_for(conversation({"status": status, "retry_after": 0}), done) as agent:
        heard, result = await run(agent)

    check(agent, result, done)
    assert [event.status for event in heard if isinstance(event, Retrying)] == [status]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("what", UNKNOWN)
async def test_what_nobody_has_heard_of_changes_nothing(what: str, moment: str) -> None:
    done: list[str] = []

    async with agent_for(conversation({"unknown": what, "at": moment}), done) as agent:
        heard, result = await run(agent)

    check(agent, result, done)
    assert not was_told(heard)


@pytest.mark.parametrize("closes", [True, False], ids=["closed", "left open"])
@pytest.mark.parametrize(
    ("moment", "nth", "expected"),
    [
        ("start", 1, []),
        ("mid_text", 1, []),
        ("mid_json", 1, []),
        ("after_call", 1, []),
        ("mid_json", 2, ["a"]),
        ("after_call", 2, ["a"]),
        ("mid_text", 2, ["a", "b"]),
        ("end", 1, ["a", "b"]),
    ],
)
@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
async def test_a_reply_cut_off_inside_a_call_never_runs_it(
    reason: str, moment: str, nth: int, expected: list[str], closes: bool
) -> None:
    done: list[str] = []
    fault = {"truncate": reason, "at": moment, "nth": nth, "closes": closes}

    async with agent_for(conversation(fault), done) as agent:
        heard, result = await run(agent)

    assert sorted(done) == expected
    calls = [b for m in agent.messages for b in blocks_of(m) if isinstance(b, ToolUse)]
    assert [call.id for call in calls] == ["c1", "c2"][: len(expected)]
    assert History.of(agent.messages).messages == agent.messages
    if reason != "model_context_window_exceeded":
        assert was_told(heard)
    elif not expected:  # there is nothing yet to be summed up
        assert result.reason is TurnEnd.PROMPT_TOO_LONG


@pytest.mark.parametrize("reason", ["tool_use", "end_turn", "pause_turn"])
@pytest.mark.parametrize("closes", [True, False], ids=["closed", "left open"])
async def test_a_call_of_half_a_json_is_answered_and_never_run(reason: str, closes: bool) -> None:
    done: list[str] = []
    fault = {"truncate": reason, "at": "mid_json", "nth": 2, "closes": closes}

    async with agent_for(conversation(fault), done) as agent:
        _, result = await run(agent)

    assert (result.text, result.reason, done) == ("Done.", TurnEnd.COMPLETED, ["a"])
    answers = [block for block in blocks_of(agent.messages[2]) if isinstance(block, ResultBlock)]
    assert [(block.tool_use_id, bool(block.is_error)) for block in answers] == [
        ("c1", False),
        ("c2", True),
    ]
    assert "not valid JSON" in str(answers[1].content)
    assert History.of(agent.messages).messages == agent.messages


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("moment", ["mid_json", "after_call", "end"])
async def test_broken_json_and_a_broken_stream_together_lose_nothing(
    fault: dict[str, Any], moment: str
) -> None:
    done: list[str] = []
    calls: list[object] = [
        {"call": "Put", "input": {"path": "a"}, "id": "c1"},
        {"call": "Put", "input_json": '{"path": "b', "id": "c2"},
        {"call": "Put", "input": {"path": "c"}, "id": "c3"},
    ]
    third: dict[str, Any] = {} if moment == "end" else {"nth": 3}
    struck: dict[str, Any] = {**fault, "at": moment, **third}
    script = script_of({"say": calls, "fault": struck}, "Done.")

    async with agent_for(script, done) as agent:
        heard, result = await run(agent)

    assert (result.text, sorted(done)) == ("Done.", ["a", "c"])
    answers = [block for block in blocks_of(agent.messages[2]) if isinstance(block, ResultBlock)]
    assert [block.tool_use_id for block in answers] == ["c1", "c2", "c3"]
    assert [bool(block.is_error) for block in answers] == [False, True, False]
    assert was_told(heard)


async def test_what_a_lost_reply_did_is_told_when_the_model_can_be_reached_again() -> None:
    done: list[str] = []
    calls = [{"call": "Put", "input": {"path": "a"}, "id": "c1"}, "there."]
    broken = {"say": calls, "fault": {"drop": True, "at": "end", "times": "always"}}
    branch = {"when": {"user": {"contains": "again"}}, "then": ["Sorry."], "else": [broken]}

    async with agent_for(script_of(branch, "Fine."), done, max_retries=0) as agent:
        failed = await agent.run("go")
        after = await agent.run("again")

    assert (failed.reason, after.reason) == (TurnEnd.API_ERROR, TurnEnd.COMPLETED)
    assert done == ["a"]
    said = [b.text for m in agent.messages for b in blocks_of(m) if isinstance(b, Text)]
    assert any("already started" in text and "Put" in text for text in said)
