"""What a program meets when it uses an agent: rules, refusals, messages sent meanwhile."""

import threading
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from gantlet import (
    Agent,
    AgentParts,
    Environment,
    ScriptedModel,
    ToolDefinitionError,
    UserError,
    script_of,
    tool,
)
from gantlet.messages import (
    Capabilities,
    Event,
    FrozenDict,
    Text,
    ToolsRevealed,
    TurnEnd,
    blocks_of,
    message_from_wire,
    message_to_wire,
)
from gantlet.pool import DEFAULT_FLAGS
from gantlet.testing import VirtualClock
from gantlet.tool import McpIdentity, Mode, Tool, ToolContext

pytestmark = pytest.mark.anyio

HERE = AgentParts(environment=Environment())


@tool(read_only=True)
def look(at: str = "") -> str:
    """Look at something."""
    return f"saw {at}"


@tool
def write(path: str) -> str:
    """Write something."""
    return f"wrote {path}"


def said(agent: Agent) -> list[list[str]]:
    return [
        [block.text for block in blocks_of(message) if isinstance(block, Text)]
        for message in agent.messages
    ]


def writing(**options: object) -> Agent:
    model = ScriptedModel(
        script_of([{"call": "write", "input": {"path": "a"}}], "{{ result.1.text }}")
    )
    return Agent(model, tools=[write], parts=HERE, **options)  # type: ignore[arg-type]


async def test_what_changes_things_is_denied_without_a_rule_and_the_reason_is_told() -> None:
    result = await writing().run("go")

    assert [call.name for call in result.denials] == ["write"]
    assert "Nobody can be asked here" in result.text


async def test_a_rule_lets_a_call_run() -> None:
    result = await writing(settings={"permissions": {"allow": ["write"]}}).run("go")

    assert (result.text, result.denials) == ("wrote a", ())


async def test_a_deny_rule_beats_an_allow_rule_and_hides_the_tool() -> None:
    rules = {"permissions": {"allow": ["write"], "deny": ["write"]}}

    result = await writing(settings=rules).run("go")

    assert "No such tool available: write" in result.text


async def test_bypass_runs_what_no_rule_forbids_and_plan_runs_nothing_that_writes() -> None:
    bypassed = await writing(permission_mode=Mode.BYPASS).run("go")
    planned = await writing(
        permission_mode="plan", settings={"permissions": {"allow": ["write"]}}
    ).run("go")

    assert bypassed.text == "wrote a"
    assert "Permission denied" in planned.text


@pytest.mark.parametrize(
    "settings",
    [
        {"permissions": 5},
        {"permissions": {"allow": "write"}},
        {"permissions": {"deny": [5]}},
        {"permissions": {"alow": ["write"]}},
    ],
)
def test_settings_of_another_form_are_refused(settings: Mapping[str, object]) -> None:
    with pytest.raises(UserError, match="permissions"):
        writing(settings=settings)


def test_a_rule_that_does_not_work_as_written_is_a_problem() -> None:
    agent = writing(settings={"permissions": {"allow": ["write("]}})

    assert [problem.tool_name for problem in agent.problems] == ["write("]


def test_a_mode_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UserError, match="acceptEdits"):
        writing(permission_mode="nope")


@pytest.mark.parametrize("prompt", ["", "  \n", []])
async def test_an_empty_prompt_is_refused_and_changes_nothing(prompt: str) -> None:
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=HERE)

    with pytest.raises(ValueError, match="empty"):
        await agent.run(prompt)

    assert (await agent.run("hi")).text == "Hello."


def test_what_is_no_tool_is_refused() -> None:
    def no_tool() -> None: ...

    with pytest.raises(ToolDefinitionError, match="Put @tool on the function"):
        Agent(ScriptedModel(script_of("x")), tools=[no_tool], parts=HERE)  # type: ignore[list-item]


async def test_a_missing_key_is_one_error_and_no_group() -> None:
    with pytest.raises(UserError):
        await Agent(parts=HERE).run("hi")


async def test_an_error_of_the_reader_comes_out_as_it_is() -> None:
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=HERE)

    with pytest.raises(KeyError, match="mine"):
        async with agent.stream("hi"):
            raise KeyError("mine")


async def test_a_stream_must_be_opened_first() -> None:
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=HERE)

    with pytest.raises(RuntimeError, match="async with"):
        await anext(agent.stream("hi"))


async def test_only_one_prompt_has_the_agent_at_a_time() -> None:
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=HERE)

    async with agent.stream("hi") as events:
        with pytest.raises(RuntimeError, match="running already"):
            async with agent.stream("me too"):
                pytest.fail("not refused")
        heard = [event async for event in events]

    assert heard
    assert said(agent) == [["hi"], ["Hello."]]


@pytest.mark.parametrize("settings", [{}, {"sandbox": {"enabled": True}}], ids=["plain", "sandbox"])
async def test_a_prompt_cancelled_before_it_begins_leaves_the_agent_free(
    settings: Mapping[str, object], tmp_path: Path
) -> None:
    home = AgentParts(environment=Environment(variables={"HOME": str(tmp_path)}))
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=home, settings=settings, cwd=tmp_path)

    with anyio.CancelScope() as scope:
        scope.cancel()
        await agent.run("too late")
    result = await agent.run("hi")

    assert result.text == "Hello."


async def test_what_is_said_for_later_gets_a_turn_of_its_own() -> None:
    agent = Agent(ScriptedModel(script_of("One.", "Two.")), parts=HERE)

    async with agent.stream("first") as events:
        agent.send("second", "later")
        async for _ in events:
            pass

    assert said(agent) == [["first"], ["One."], ["second"], ["Two."]]
    with pytest.raises(RuntimeError, match="Nothing is running"):
        agent.send("too late")


async def test_the_result_is_that_of_the_whole_run() -> None:
    priced = Capabilities(input_usd_per_million=1.0, output_usd_per_million=1.0)
    usage = {"input_tokens": 1_000_000, "output_tokens": 2_000_000}
    script = script_of({"say": "One.", "usage": usage}, {"say": "Two.", "usage": usage})
    agent = Agent(ScriptedModel(script, capabilities=priced), parts=HERE)

    async with agent.stream("first") as events:
        agent.send("second", "later")
        async for _ in events:
            pass

    result = events.result
    assert (result.text, result.turns, result.cost_usd) == ("Two.", 2, 6.0)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (2_000_000, 4_000_000)


async def test_what_was_said_before_an_interrupt_is_kept() -> None:
    clock = VirtualClock()
    model = ScriptedModel(script_of(["Once upon", {"wait": 100}, "a time."]), clock)
    agent = Agent(model, parts=AgentParts(environment=Environment(), clock=clock))

    async with agent.stream("go") as events:
        async for event in events:
            if "Once" in str(event):
                agent.send("and another thing")
                agent.interrupt()

    assert said(agent)[-1][0] == "and another thing"


def test_another_thread_can_interrupt() -> None:
    started = threading.Event()

    @tool(read_only=True)
    async def wait() -> None:
        """Wait."""
        started.set()
        await anyio.sleep_forever()

    agent = Agent(
        ScriptedModel(script_of([{"call": "wait"}, {"call": "wait"}], "no")),
        tools=[wait],
        parts=HERE,
    )

    def interrupt() -> None:
        started.wait(10)
        agent.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    result = agent.run_sync("go")
    thread.join(10)

    assert result.reason in {TurnEnd.ABORTED_TOOLS, TurnEnd.ABORTED_STREAMING}


async def test_a_streamed_reply_survives_its_wire_form() -> None:
    agent = Agent(ScriptedModel(script_of("Hello.")), parts=HERE)

    await agent.run("hi")

    assert message_from_wire(message_to_wire(agent.messages[1])) == agent.messages[1]


class FromServer(Tool[Mapping[str, object]]):
    """A tool of a server."""

    description = "Sends a message."
    input_schema = FrozenDict({"type": "object", "properties": {}})
    mcp = McpIdentity("chat", "send")
    name = "mcp__chat__send"

    async def run(self, args: Mapping[str, object], context: ToolContext) -> str:
        return "sent"


async def test_a_deferred_tool_is_announced_found_revealed_and_told() -> None:
    model = ScriptedModel(
        script_of([{"call": "ToolSearch", "input": {"query": "send message"}}], "Found.")
    )
    parts = AgentParts(environment=Environment(flags=DEFAULT_FLAGS))
    agent = Agent(model, mcp_tools=[FromServer()], parts=parts)

    heard: list[Event] = []
    async with agent.stream("go") as events:
        heard += [event async for event in events]

    assert "mcp__chat__send" in said(agent)[0][0]
    assert ToolsRevealed(("mcp__chat__send",)) in heard
    assert [tool["name"] for tool in model.requests[1].body["tools"]][-1] == "mcp__chat__send"  # type: ignore[union-attr,call-overload,index]


@pytest.mark.parametrize(("told", "asked"), [(0, 700), (300, 300)], ids=["as set", "as told"])
async def test_the_environment_says_how_long_a_reply_may_be(told: int, asked: int) -> None:
    model = ScriptedModel(script_of("Hi."))
    parts = AgentParts(environment=Environment(variables={"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "700"}))

    await Agent(model, parts=parts, max_tokens=told).run("go")

    assert [request.body["max_tokens"] for request in model.requests] == [asked]


def test_a_length_of_replies_that_is_no_number_is_named() -> None:
    parts = AgentParts(environment=Environment(variables={"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "lots"}))

    with pytest.raises(UserError, match="CLAUDE_CODE_MAX_OUTPUT_TOKENS is 'lots'"):
        Agent(ScriptedModel(script_of("Hi.")), parts=parts)
