"""Every way a stream can fail, at every moment, over real HTTP: nothing lost, nothing twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gantlet import Agent, AgentParts
from gantlet.loop import History
from gantlet.messages import (
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
}
MOMENTS = ["before", "start", "mid_text", "mid_json", "after_call", "end"]


def writes(done: list[str]) -> FunctionTool[Any, Any]:
    @tool(name="Put", access=lambda args: Access(writes={File(args["path"])}))
    async def write(path: str) -> str:
        """Write a file."""
        done.append(path)
        return f"wrote {path}"

    return write


def conversation(fault: dict[str, Any]) -> Script:
    """A reply with two calls that fails once, and a last word."""
    calls: list[object] = [
        "I will write ",
        {"call": "Put", "input": {"path": "a"}, "id": "c1", "chunks": 3},
        {"call": "Put", "input": {"path": "b"}, "id": "c2", "chunks": 3},
        "both.",
    ]
    once: dict[str, Any] = {**fault, "times": 1}
    return script_of({"say": calls, "fault": once}, "Done.")


@asynccontextmanager
async def agent_for(
    script: Script, done: list[str], *, max_retries: int = 1
) -> AsyncIterator[Agent]:
    async with ScriptServer(script) as server:
        endpoint = Endpoint(
            server.url,
            api_key="k",
            idle_seconds=0.3,
            timeout_seconds=1.0,
            max_retries=max_retries,
        )
        model = MessagesApi(endpoint)
        parts = AgentParts(permission=AllowingPermission(), environment=Environment())
        yield Agent(model, tools=[writes(done)], parts=parts)
        await model.aclose()


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_failed_stream_loses_nothing_and_does_nothing_twice(
    fault: dict[str, Any], moment: str
) -> None:
    done: list[str] = []

    async with (
        agent_for(conversation({**fault, "at": moment}), done) as agent,
        agent.stream("go") as events,
    ):
        heard = [event async for event in events]

    result = events.result
    assert (result.text, result.reason) == ("Done.", TurnEnd.COMPLETED)
    assert sorted(done) == ["a", "b"]
    assert History.of(agent.messages).messages == agent.messages
    answers = [block for block in blocks_of(agent.messages[2]) if isinstance(block, ResultBlock)]
    assert [block.tool_use_id for block in answers] == ["c1", "c2"]
    assert "wrote a" in str(answers[0].content)
    assert "wrote b" in str(answers[1].content)
    assert any(isinstance(event, Notice | Retrying) for event in heard)


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal"])
async def test_a_reply_cut_off_inside_a_call_never_runs_it(reason: str) -> None:
    done: list[str] = []
    fault = {"truncate": reason, "at": "mid_json", "nth": 2}

    async with agent_for(conversation(fault), done) as agent:
        await agent.run("go")

    assert done == ["a"]
    calls = [b for m in agent.messages for b in blocks_of(m) if isinstance(b, ToolUse)]
    assert [call.id for call in calls] == ["c1"]
    assert History.of(agent.messages).messages == agent.messages


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
