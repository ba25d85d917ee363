"""Every event of the loop, through a whole turn: what is told, and what answers do."""

from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from gantlet import tool
from gantlet.hooks.firing import AT_ONCE
from gantlet.messages import (
    HookInfo,
    StopHookSummary,
    TurnEnd,
    TurnStarted,
)
from hooks_kit import ACT, Stage, answer, hooks, read_by_model, results, run, says
from patience import PATIENCE_SECONDS

BASE = {"session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name"}

BLOCK = says({"decision": "block", "reason": "no"})


def fields(told: dict[str, object]) -> dict[str, object]:
    """Return what is told beside what every hook is told."""
    assert set(told) >= BASE
    return {name: one for name, one in told.items() if name not in BASE}


async def test_after_a_call_hooks_are_told_what_came_of_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=hooks("PostToolUse", stage.script("h", "")))

    await run(agent)

    [told] = map(fields, stage.told())
    assert told.pop("tool_use_id")
    assert isinstance(told.pop("duration_ms"), int)
    assert told == {"tool_name": "act", "tool_input": {"text": "a"}, "tool_response": "did a"}


@pytest.mark.parametrize(
    ("body", "result", "beside"),
    [
        pytest.param("echo hm >&2; exit 2", "did a", "objects to this call: hm", id="exit-2"),
        pytest.param(
            says({"decision": "block", "reason": "no"}),
            "did a",
            "A hook objects to this call: no",
            id="block",
        ),
        pytest.param(answer("PostToolUse", additionalContext="so"), "did a", "so", id="context"),
        pytest.param(
            answer("PostToolUse", updatedToolOutput="other"), "other", "", id="updated-output"
        ),
        pytest.param(
            answer("PostToolUse", updatedMCPToolOutput="mcp"), "mcp", "", id="updated-mcp-output"
        ),
    ],
)
async def test_after_a_call_hooks_speak_of_it_or_replace_it(
    tmp_path: Path, body: str, result: str, beside: str
) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=hooks("PostToolUse", stage.script("h", body)))

    await run(agent)

    assert results(agent) == [result]
    assert beside in read_by_model(agent)


async def test_after_a_failure_hooks_are_told_why(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer("PostToolUseFailure", additionalContext="try a ladder")
    agent = stage.agent(
        [{"call": "fail", "input": {"text": "roof"}}],
        "done",
        settings=hooks("PostToolUseFailure", stage.script("h", body)),
    )

    await run(agent)

    [told] = map(fields, stage.told())
    assert (told["error"], told["is_interrupt"]) == ("No roof.", False)
    assert "try a ladder" in read_by_model(agent)


async def test_an_interrupted_call_is_told_as_one(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    @tool(read_only=True)
    async def wait() -> str:
        """Wait for ever."""
        agent.interrupt()
        await anyio.sleep_forever()
        return ""

    agent = stage.agent(
        [{"call": "wait"}],
        "done",
        settings=hooks("PostToolUseFailure", stage.script("h", "")),
        tools=[wait],
    )

    result = await run(agent)

    assert result.reason in {TurnEnd.ABORTED_TOOLS, TurnEnd.ABORTED_STREAMING}
    [told] = map(fields, stage.told())
    assert told["is_interrupt"] is True


async def test_a_batch_is_told_once_with_all_its_calls(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer("PostToolBatch", additionalContext="both done")
    calls = [{"call": "act", "input": {"text": "a"}}, {"call": "act", "input": {"text": "b"}}]
    agent = stage.agent(calls, "done", settings=hooks("PostToolBatch", stage.script("h", body)))

    await run(agent)

    [told] = map(fields, stage.told())
    batch = told["tool_calls"]
    assert isinstance(batch, list)
    assert [(one["tool_input"], one["tool_response"]) for one in batch] == [
        ({"text": "a"}, "did a"),
        ({"text": "b"}, "did b"),
    ]
    assert "both done" in read_by_model(agent)


@pytest.mark.parametrize(
    "body",
    ["echo stop here >&2; exit 2", says({"decision": "block", "reason": "stop here"})],
    ids=["exit-2", "block"],
)
async def test_a_batch_can_end_the_turn_before_the_model_is_asked_again(
    tmp_path: Path, body: str
) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "never", settings=hooks("PostToolBatch", stage.script("h", body)))

    result = await run(agent)

    assert (result.reason, result.errors, result.turns) == (
        TurnEnd.HOOK_STOPPED,
        ("stop here",),
        1,
    )
    assert results(agent) == ["did a"]


async def test_a_prompt_is_told_and_added_to(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(
        "hello", settings=hooks("UserPromptSubmit", stage.script("h", "echo it is Sunday"))
    )

    assert (await run(agent, "what day?")).text == "hello"

    [told] = map(fields, stage.told())
    assert told == {"prompt": "what day?"}
    assert "it is Sunday" in read_by_model(agent)


@pytest.mark.parametrize(
    "body",
    [
        "echo not this >&2; exit 2",
        says({"decision": "block", "reason": "not this"}),
        says({"continue": False, "stopReason": "not this"}),
    ],
    ids=["exit-2", "block", "stop"],
)
async def test_a_prompt_that_is_turned_away_never_reaches_the_model(
    tmp_path: Path, body: str
) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent("never", settings=hooks("UserPromptSubmit", stage.script("h", body)))

    result = await run(agent)

    assert (result.reason, result.errors) == (TurnEnd.HOOK_STOPPED, ("not this",))
    assert agent.messages == ()
    assert stage.heard(TurnStarted) == []


async def test_the_users_own_words_can_be_kept_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer(
        "UserPromptSubmit", additionalContext="in other words", suppressOriginalPrompt=True
    )
    agent = stage.agent("ok", settings=hooks("UserPromptSubmit", stage.script("h", body)))

    await run(agent, "secret words")

    read = read_by_model(agent)
    assert "in other words" in read
    assert "secret words" not in read


async def test_what_the_user_says_meanwhile_is_looked_at_too(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    @tool
    def act() -> str:
        """Do something while the user goes on talking."""
        agent.send("good words")
        agent.send("bad words")
        return "done"

    body = 'case "$IN" in *"bad words"*) echo no >&2; exit 2;; esac'
    agent = stage.agent(
        [{"call": "act"}],
        "done",
        settings=hooks("UserPromptSubmit", stage.script("h", body)),
        tools=[act],
    )

    await run(agent)

    read = read_by_model(agent)
    assert "good words" in read
    assert "bad words" not in read
    assert stage.notices == ["A hook turned a message away: no"]


@pytest.mark.parametrize(
    "body",
    [
        "echo more >&2; exit 2",
        says({"decision": "block", "reason": "more"}),
        answer("Stop", additionalContext="more"),
    ],
    ids=["exit-2", "block", "context"],
)
async def test_a_turn_goes_on_if_a_hook_wants_it_to(tmp_path: Path, body: str) -> None:
    stage = Stage(tmp_path)
    once = f'case "$IN" in *\'"stop_hook_active":true\'*) exit 0;; esac\n{body}'
    agent = stage.agent("first", "second", settings=hooks("Stop", stage.script("h", once)))

    result = await run(agent)

    assert result.text == "second"
    assert [one["stop_hook_active"] for one in stage.told()] == [False, True]
    assert [one["last_assistant_message"] for one in stage.told()] == ["first", "second"]
    assert "more" in read_by_model(agent)
    summaries = stage.heard(StopHookSummary)
    assert [one.continues for one in summaries] == [True, False]
    assert [one.hook_count for one in summaries] == [1, 1]


async def test_a_hook_cannot_keep_a_turn_going_for_ever(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(
        *[f"reply {number}" for number in range(12)],
        settings=hooks("Stop", stage.script("h", "echo more >&2; exit 2")),
    )

    result = await run(agent)

    assert (result.reason, result.text) == (TurnEnd.COMPLETED, "reply 8")
    assert stage.notices == ["Stop hooks kept this turn going 8 times in a row; it ends now."]


async def test_the_guard_can_be_set(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(
        *[f"reply {number}" for number in range(5)],
        settings=hooks("Stop", stage.script("h", "exit 2")),
        variables={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"},
    )

    assert (await run(agent)).text == "reply 2"


async def test_a_stop_hook_can_end_the_turn_for_good(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    block = stage.script("a", "echo more >&2; exit 2")
    stop = stage.script("b", says({"continue": False, "stopReason": "enough"}))
    broken = stage.script("c", "echo oh >&2; exit 1")
    agent = stage.agent("first", "never", settings=hooks("Stop", block, stop, broken))

    result = await run(agent)

    assert (result.reason, result.errors) == (TurnEnd.STOP_HOOK_PREVENTED, ("enough",))
    [summary] = stage.heard(StopHookSummary)
    assert (summary.hook_count, summary.prevented_continuation, summary.reason) == (
        3,
        True,
        "enough",
    )
    assert summary.errors == ("Failed with non-blocking status code: oh",)
    assert [type(info) for info in summary.hooks] == [HookInfo] * 3


async def test_a_session_begins_once_and_ends_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    log = stage.script("h", "echo the house rules")
    settings = {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": log, "timeout": 60}]}]
            for event in ("SessionStart", "SessionEnd")
        }
    }
    agent = stage.agent("one", "two", settings=settings)

    async with agent:
        await run(agent)
        await run(agent)

    assert [fields(one) for one in stage.told()] == [
        {"source": "startup", "model": "model"},
        {"reason": "other"},
    ]
    assert "the house rules" in read_by_model(agent)


@pytest.mark.parametrize(
    ("matcher", "count"), [("startup", 1), ("resume", 0), ("startup|resume", 1)]
)
async def test_the_source_of_a_session_is_matched(tmp_path: Path, matcher: str, count: int) -> None:
    stage = Stage(tmp_path)
    settings = hooks("SessionStart", stage.script("h", ""), matcher=matcher)

    await run(stage.agent("one", settings=settings))

    assert len(stage.told()) == count


async def test_a_session_can_be_given_a_title_and_first_words(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer("SessionStart", sessionTitle="Work", initialUserMessage="Hello there")
    agent = stage.agent("one", settings=hooks("SessionStart", stage.script("h", body)))

    await run(agent, "go")

    assert agent.title == "Work"
    assert read_by_model(agent) == "Hello there\ngo"


async def test_a_session_that_must_not_begin_does_not(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = says({"continue": False, "stopReason": "closed today"})
    agent = stage.agent("never", settings=hooks("SessionStart", stage.script("h", body)))

    assert (await run(agent)).errors == ("closed today",)


async def test_variables_for_later_commands_have_a_file_of_their_own(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = 'echo "export A=1" >> "$CLAUDE_ENV_FILE"; ls -l "$CLAUDE_ENV_FILE" | cut -c1-10'
    agent = stage.agent("one", settings=hooks("SessionStart", stage.script("h", body)))

    await run(agent)

    [file] = (tmp_path / "home" / "hook-env").iterdir()
    assert file.read_text() == "export A=1\n"
    assert "-rw-------" in read_by_model(agent)


async def compacted(stage: Stage, event: str, body: str) -> bool:
    settings = hooks(event, stage.script("h", body))
    agent = stage.agent("one", "two", settings=settings)
    async with agent:
        await run(agent)
        await run(agent)
        with anyio.fail_after(PATIENCE_SECONDS):
            return await agent.compact("keep names")


async def test_compaction_is_told_before(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    assert await compacted(stage, "PreCompact", "")

    [told] = map(fields, stage.told())
    assert told == {"trigger": "manual", "custom_instructions": "keep names"}


@pytest.mark.parametrize(
    "body",
    ["echo not now >&2; exit 2", says({"decision": "block", "reason": "not now"})],
    ids=["exit-2", "block"],
)
async def test_compaction_can_be_kept_from_happening(tmp_path: Path, body: str) -> None:
    stage = Stage(tmp_path)

    assert not await compacted(stage, "PreCompact", body)
    assert stage.notices == ["A hook kept the conversation from being summed up: not now"]


async def test_compaction_is_told_afterwards(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    assert await compacted(stage, "PostCompact", "echo seen >&2; exit 2")

    [told] = map(fields, stage.told())
    assert told == {"trigger": "manual", "compact_summary": "one"}
    assert stage.notices == ["seen"]


async def test_a_session_goes_on_after_compaction_with_what_hooks_add(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = hooks("SessionStart", stage.script("h", "echo remember"), matcher="compact")
    agent = stage.agent("one", "two", "the summary", "three", settings=settings)

    async with agent:
        await run(agent)
        await run(agent)
        await agent.compact()
        await run(agent)

    assert [one["source"] for one in stage.told()] == ["compact"]
    assert "remember" in read_by_model(agent)


async def test_no_secret_leaves_a_hook(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer(
        "PreToolUse", permissionDecision="deny", permissionDecisionReason="no: s3cret-s3cret"
    )
    told = says({"systemMessage": "s3cret-s3cret"})
    first = hooks("PreToolUse", stage.script("h", f"echo s3cret-s3cret >&2\n{body}"))["hooks"]
    last = hooks("Stop", stage.script("t", told))["hooks"]
    assert isinstance(first, dict)
    assert isinstance(last, dict)
    settings = {"hooks": {**first, **last}}
    agent = stage.agent(ACT, "done", settings=settings, variables={"DB_PASSWORD": "s3cret-s3cret"})

    await run(agent)

    assert "no: " in results(agent)[0]
    assert "s3cret" not in f"{results(agent)} {stage.events}"


async def test_a_long_reason_is_spilled_as_context_is(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="x" * 50_000)
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", stage.script("h", body)))

    await run(agent)

    assert len(results(agent)[0]) < 10_000


async def test_hundreds_of_hooks_take_turns(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})
    running, most, answered = 0, 0, []

    def hook(number: int) -> None:
        @agent.hook("PreToolUse")
        async def one(event: object) -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await checkpoint()
            running -= 1
            answered.append(number)

    for number in range(300):
        hook(number)
    await run(agent)

    assert sorted(answered) == list(range(300))
    assert 2 <= most <= AT_ONCE


async def test_a_permission_request_tells_of_the_call_but_not_its_id(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = hooks("PermissionRequest", stage.script("h", ""))
    agent = stage.agent(ACT, "done", settings=settings, mode="default")

    await run(agent)

    [told] = map(fields, stage.told())
    assert set(told) == {"tool_name", "tool_input", "permission_suggestions"}
