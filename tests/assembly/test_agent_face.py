"""What a program meets when it uses an agent: rules, refusals, messages sent meanwhile."""

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest

from gantlet import (
    Agent,
    AgentParts,
    Environment,
    RunResult,
    ScriptedModel,
    ToolDefinitionError,
    UserError,
    script_of,
    tool,
)
from gantlet.loop import CompactionSettings, Limits
from gantlet.messages import (
    Capabilities,
    Event,
    FrozenDict,
    Image,
    ResultBlock,
    Text,
    Thinking,
    ToolsRevealed,
    ToolUse,
    TurnEnd,
    UserMessage,
    blocks_of,
    message_from_wire,
    message_to_wire,
)
from gantlet.pool import DEFAULT_FLAGS
from gantlet.testing import VirtualClock
from gantlet.tool import McpIdentity, Mode, Tool, ToolContext
from patience import PATIENCE_SECONDS

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
        started.wait(PATIENCE_SECONDS)
        agent.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    result = agent.run_sync("go")
    thread.join(PATIENCE_SECONDS)

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


async def test_a_prompt_may_be_blocks_texts_and_blocks_as_on_the_wire() -> None:
    source = FrozenDict({"type": "url", "url": "https://example.org/a.png"})
    agent = Agent(ScriptedModel(script_of("Fine.")), parts=HERE)

    await agent.run(
        ["see", Image(source), Text(" "), {"type": "text", "text": "this"}],
    )

    assert agent.messages[0] == UserMessage((Text("see"), Image(source), Text("this")))


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        ([Text(" "), ""], ValueError),
        ([ToolUse("a", "look", {})], ValueError),
        ([ResultBlock("a", "b")], ValueError),
        ([Thinking("hm", "sig")], ValueError),
        ([None], TypeError),
        (5, TypeError),
        (b"bytes", TypeError),
    ],
    ids=["blank", "call", "result", "thinking", "nothing", "number", "bytes"],
)
async def test_what_no_user_may_say_is_refused_and_changes_nothing(
    prompt: object, error: type[Exception]
) -> None:
    agent = Agent(ScriptedModel(script_of("Fine.")), parts=HERE)

    with pytest.raises(error):
        await agent.run(prompt)  # type: ignore[arg-type]

    assert (await agent.run("go")).text == "Fine."
    assert len(agent.messages) == 2


@pytest.mark.parametrize(
    "given",
    [
        {"max_turns": -1},
        {"max_turns": 1.5},
        {"max_turns": True},
        {"max_turns": "3"},
        {"max_budget_usd": float("nan")},
        {"max_budget_usd": -0.5},
    ],
    ids=["negative", "half", "bool", "text", "nan", "negative budget"],
)
def test_what_is_no_limit_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UserError, match="0 or more"):
        Agent(ScriptedModel(script_of("Fine.")), parts=HERE, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["max_seconds", "max_output_tokens"])
def test_no_limit_can_be_one_that_nothing_reaches(name: str) -> None:
    with pytest.raises(UserError, match=name):
        Limits(**{name: float("nan")})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["max_turns", "max_output_tokens"])
async def test_a_limit_may_be_larger_than_any_fraction(name: str) -> None:
    limits = Limits(**{name: 10**400})

    result = await Agent(ScriptedModel(script_of("Fine.")), parts=HERE, limits=limits).run("Go")

    assert (result.text, result.limit) == ("Fine.", "")


@pytest.mark.parametrize("name", ["max_seconds", "max_budget_usd"])
def test_what_cannot_be_reckoned_with_is_no_limit(name: str) -> None:
    with pytest.raises(UserError, match=f"{name} is larger"):
        Limits(**{name: 10**400})


@pytest.mark.parametrize(("one", "other"), [(2, 5), (5, 2)], ids=["first", "second"])
async def test_of_two_limits_the_smaller_one_holds(one: int, other: int) -> None:
    looks = {"repeat": 9, "do": [{"call": "look", "input": {"at": "a"}}]}
    agent = Agent(
        ScriptedModel(script_of(looks)),
        tools=[look],
        parts=HERE,
        max_turns=one,
        limits=Limits(max_turns=other),
    )

    assert (await agent.run("go")).turns == 2


def test_ones_own_tools_are_there_without_any_built_in_one() -> None:
    model = ScriptedModel(script_of("Fine."))

    agent = Agent(model, tools=[look, write], builtin_tools="", parts=HERE)

    assert agent.tool_names == ("look", "write")


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda agent: agent.interrupt(), TurnEnd.ABORTED_STREAMING),
        (lambda agent: agent.send("and then", "later"), TurnEnd.COMPLETED),
    ],
    ids=["interrupt", "send"],
)
async def test_what_is_wanted_of_a_prompt_that_is_still_opening_is_not_lost(
    act: Callable[[Agent], None], reason: TurnEnd
) -> None:
    agent = Agent(ScriptedModel(script_of("One.", "Two.")), parts=HERE)
    results: list[RunResult] = []

    async def run() -> None:
        results.append(await agent.run("go"))

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        while not agent._is_busy:
            await anyio.lowlevel.checkpoint()
        act(agent)

    assert results[0].reason is reason
    assert results[0].text == ("Two." if reason is TurnEnd.COMPLETED else "")


def test_another_thread_can_say_something() -> None:
    began = threading.Event()

    @tool(read_only=True)
    async def wait() -> str:
        """Wait."""
        began.set()
        await anyio.sleep_forever()
        return ""

    agent = Agent(
        ScriptedModel(script_of([{"call": "wait"}], "{{ user.text }}")), tools=[wait], parts=HERE
    )

    def say() -> None:
        began.wait(PATIENCE_SECONDS)
        agent.send("from afar", "now")

    other = threading.Thread(target=say)
    other.start()
    result = agent.run_sync("go")
    other.join()

    assert (result.text, result.reason) == ("from afar", TurnEnd.COMPLETED)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"cwd": "/no/such/folder"}, "no directory '/no/such/folder'"),
        ({"allowed_tools": "Bash(ls)"}, "allowed_tools is the text"),
        ({"disallowed_tools": "Bash"}, "disallowed_tools is the text"),
        ({"fallback_models": "other"}, "fallback_models is the text"),
        ({"betas": "one"}, "betas is the text"),
        ({"directories": "/tmp"}, "directories is the text"),
        ({"max_tokens": -5}, "max_tokens is -5"),
        ({"model": 5}, "5 is no model"),
    ],
    ids=["cwd", "allowed", "disallowed", "fallback", "betas", "directories", "tokens", "model"],
)
def test_an_argument_that_cannot_be_meant_is_refused_with_words(
    given: dict[str, object], complaint: str
) -> None:
    arguments: dict[str, object] = {"model": ScriptedModel(script_of("Fine.")), "parts": HERE}

    with pytest.raises(UserError, match=re.escape(complaint)):
        Agent(**{**arguments, **given})  # type: ignore[arg-type]


async def test_a_system_prompt_may_be_none() -> None:
    agent = Agent(ScriptedModel(script_of("Fine.")), system=None, parts=HERE)

    assert (await agent.run("go")).text == "Fine."


async def test_a_stream_is_read_once() -> None:
    agent = Agent(ScriptedModel(script_of("Fine.")), parts=HERE)
    stream = agent.stream("go")

    async with stream as events:
        assert [event async for event in events]
    with pytest.raises(RuntimeError, match="read once"):
        async with stream:
            pass

    assert len(agent.messages) == 2


@pytest.mark.parametrize(
    ("variables", "settings", "expected"),
    [
        ({}, {}, CompactionSettings()),
        ({"DISABLE_COMPACT": "1"}, {}, CompactionSettings(is_possible=False)),
        ({"DISABLE_AUTO_COMPACT": "1"}, {}, CompactionSettings(is_automatic=False)),
        ({}, {"autoCompactEnabled": False}, CompactionSettings(is_automatic=False)),
        ({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}, {}, CompactionSettings(share=0.5)),
        ({}, {"autoCompactWindow": 9_000}, CompactionSettings(window_tokens=9_000)),
        (
            {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "7000", "CLAUDE_CODE_MAX_CONTEXT_TOKENS": "8000"},
            {"autoCompactWindow": 9_000},
            CompactionSettings(window_tokens=7_000, context_tokens=8_000),
        ),
    ],
    ids=["nothing", "never", "not by itself", "setting", "share", "window", "variables"],
)
def test_the_environment_and_the_settings_say_when_room_is_made(
    variables: dict[str, str], settings: dict[str, object], expected: CompactionSettings
) -> None:
    parts = AgentParts(environment=Environment(variables=variables))

    agent = Agent(ScriptedModel(script_of("Fine.")), settings=settings, parts=parts)

    assert agent._conversation.settings.compaction == expected


@pytest.mark.parametrize("given", ["0", "101", "most"])
def test_a_share_of_the_context_that_is_none_is_refused(given: str) -> None:
    parts = AgentParts(
        environment=Environment(variables={"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": given})
    )

    with pytest.raises(UserError, match="CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"):
        Agent(ScriptedModel(script_of("Fine.")), parts=parts)
