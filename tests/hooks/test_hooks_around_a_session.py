"""Settings that change, notifications, sub-agents, and what a hook's program finds around it."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet import Agent
from gantlet.assembly.hooks import HookParts
from gantlet.config import SettingsRequest
from gantlet.execution import Bodies
from gantlet.hooks import (
    HookEvent,
    HookRunner,
    HookSession,
    Saying,
    at,
    hook_environment,
    parse_hooks,
)
from gantlet.hooks.answering import BadAnswerError, read_answer
from gantlet.hooks.hearing import hear_exit
from gantlet.loop import Loop
from gantlet.messages import Text, TurnEnd, UserMessage
from gantlet.permissions import Question, Yes
from gantlet.rules import Source, SourceKind
from gantlet.system import Environment
from gantlet.tool import AgentIdentity
from hooks_kit import ACT, Stage, hooks, read_by_model, run
from patience import PATIENCE_SECONDS

SETTINGS = Path(".claude/settings.json")


def write(path: Path, settings: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings))


def from_files(stage: Stage, *replies: object, mode: str = "bypassPermissions") -> Agent:
    return stage.agent(
        *replies,
        settings={},
        setting_sources=("user", "project", "local"),
        trust=True,
        mode=mode,
    )


async def test_hooks_of_settings_files_run_and_change_with_them(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    first, second = stage.script("one", "echo one >&2; exit 2"), stage.script("two", "exit 0")
    write(tmp_path / SETTINGS, hooks("PreToolUse", first))
    agent = from_files(stage, ACT, "done", ACT, "done")

    async with agent:
        await run(agent)
        assert stage.ran == []
        write(tmp_path / SETTINGS, hooks("PreToolUse", second, matcher="act|never"))
        await run(agent)

    assert stage.ran == ["a"]


@pytest.mark.parametrize("blocks", [True, False])
async def test_a_change_of_settings_is_told_and_can_be_kept_out(
    tmp_path: Path, blocks: bool
) -> None:
    stage = Stage(tmp_path)
    guard = stage.script("guard", "echo keep it >&2; exit 2" if blocks else "exit 0")
    settings = hooks("ConfigChange", guard, matcher="project_settings")
    write(tmp_path / SETTINGS, settings)
    agent = from_files(stage, ACT, "done", mode="bypassPermissions")

    async with agent:
        write(tmp_path / SETTINGS, {**settings, "permissions": {"deny": ["act(text:a)"]}})
        await run(agent)

    [told] = stage.told()
    assert told["source"] == "project_settings"
    assert told["file_path"] == str(tmp_path / SETTINGS)
    assert stage.ran == (["a"] if blocks else [])
    assert any("keep it" in text for text in stage.notices) is blocks


async def test_a_refused_change_stays_out_when_another_file_changes(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = hooks("ConfigChange", stage.script("guard", "exit 2"), matcher="project_settings")
    write(tmp_path / SETTINGS, settings)
    agent = from_files(stage, ACT, "done", mode="bypassPermissions")
    local = tmp_path / ".claude/settings.local.json"

    async with agent:
        write(tmp_path / SETTINGS, {"permissions": {"deny": ["act(text:a)"]}})
        await agent.configuration.refresh()
        write(local, {"permissions": {"deny": ["act(text:b)"]}})
        await run(agent)

    assert stage.ran == ["a"]
    assert agent.configuration.settings.denied == ["act(text:b)"]


async def test_of_two_files_that_change_at_once_only_the_refused_one_stays_out(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path)
    write(
        tmp_path / SETTINGS,
        hooks("ConfigChange", stage.script("guard", "exit 2"), matcher="project_settings"),
    )
    agent = from_files(stage, "done")

    write(tmp_path / SETTINGS, {"permissions": {"deny": ["act(text:a)"]}})
    write(tmp_path / ".claude/settings.local.json", {"permissions": {"deny": ["act(text:b)"]}})
    await agent.configuration.refresh()

    assert agent.configuration.settings.denied == ["act(text:b)"]


async def test_no_hook_keeps_trust_that_was_taken_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    write(tmp_path / SETTINGS, hooks("ConfigChange", stage.script("guard", "exit 2")))
    (tmp_path / "home").mkdir()
    outside = {"GANTLET_HOME": str(tmp_path.parent / f"{tmp_path.name}-own")}
    variables = {"HOME": str(tmp_path.parent), "PATH": os.environ["PATH"], **outside}
    request = SettingsRequest(tmp_path, Environment(variables=variables))
    request.store.put(str(tmp_path), [part.found for part in request.read().trust.parts])
    agent = stage.agent("done", settings={}, setting_sources=("project",), variables=variables)
    assert agent.configuration.settings.hooks

    request.store.remove(str(tmp_path))
    await agent.configuration.refresh()

    assert not agent.configuration.settings.hooks


async def test_a_hook_program_that_changes_during_a_session_is_not_run(tmp_path: Path) -> None:
    project = tmp_path / "app"
    project.mkdir()
    stage = Stage(project)
    script = stage.script("check.sh", "exit 0")
    write(project / SETTINGS, hooks("PreToolUse", script))
    variables = {"HOME": str(tmp_path / "me"), "GANTLET_HOME": str(tmp_path / "own")}
    request = SettingsRequest(project, Environment(variables=variables))
    request.store.put(str(project), [part.found for part in request.read().trust.parts])
    agent = stage.agent(
        ACT, ACT, "done", settings={}, setting_sources=("project",), variables=variables
    )

    @agent.hook("PostToolUse")
    def spoil(event: object) -> None:
        Path(script).write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")

    await run(agent)

    assert len(stage.told()) == 1
    assert stage.ran == ["a", "a"]
    assert not (tmp_path / "pwned").exists()
    [notice] = stage.notices
    assert "hooks (changed since it was trusted)" in notice


async def test_a_file_that_breaks_during_a_session_is_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    write(tmp_path / SETTINGS, {})
    agent = from_files(stage, ACT, "done", mode="default")

    (tmp_path / SETTINGS).write_text("{,}")
    await run(agent)

    assert stage.ran == []
    assert any("this is no JSON" in notice for notice in stage.notices)


async def test_the_same_handler_in_two_files_runs_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    command = stage.script("h", "exit 0")
    write(tmp_path / SETTINGS, hooks("PreToolUse", command))
    write(tmp_path / ".claude/settings.local.json", hooks("PreToolUse", command, matcher="act"))
    agent = from_files(stage, ACT, "done")

    await run(agent)

    assert len(stage.told()) == 1


async def test_all_hooks_can_be_switched_off(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = {**hooks("PreToolUse", stage.script("h", "exit 2")), "disableAllHooks": True}
    agent = stage.agent(ACT, "done", settings=settings)

    await run(agent)

    assert (stage.told(), stage.ran) == ([], ["a"])


async def test_a_notification_is_told_by_its_kind(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = hooks("Notification", stage.script("h", "exit 0"), matcher="idle_prompt")
    agent = stage.agent("x", settings=settings)

    await agent.hooks.notify("Still there?", "idle_prompt", title="Gantlet")
    await agent.hooks.notify("Signed in.", "auth_success")

    [told] = stage.told()
    assert (told["message"], told["title"], told["notification_type"]) == (
        "Still there?",
        "Gantlet",
        "idle_prompt",
    )


class _Patient:
    """A person who answers once a hook was notified."""

    def __init__(self, sign: Path) -> None:
        self.sign = sign

    async def ask(self, question: Question) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while not self.sign.exists():  # noqa: ASYNC110 - a process of its own makes the file
                await anyio.sleep(0.01)
        question.answer(Yes())

    def quietly(self) -> None:
        return None


async def test_a_question_that_waits_long_is_notified(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    sign = tmp_path / "sign"
    notify = stage.script("h", f"touch {sign}")
    agent = stage.agent(
        ACT,
        "done",
        settings=hooks("Notification", notify, matcher="permission_prompt"),
        mode="default",
        asker=_Patient(sign),
        parts=HookParts(notify_seconds=0.01),
    )

    await run(agent)

    [told] = stage.told()
    assert told["hook_event_name"] == "Notification"
    assert told["notification_type"] == "permission_prompt"
    assert told["message"] == "Permission is needed to use act"
    assert stage.ran == ["a"]


SUB = AgentIdentity("agent-1", "Explore", depth=1)


async def sub_agent(stage: Stage, *replies: object, settings: Mapping[str, object]) -> str:
    """Run a turn of a sub-agent and return what its model read."""
    agent = stage.agent(*replies, settings=settings)
    services = replace(agent._wired.services, agent=SUB)
    with anyio.fail_after(PATIENCE_SECONDS):
        async with agent, Bodies() as bodies:
            loop = Loop(agent._conversation, services, bodies)
            await loop.run_turn(UserMessage((Text("look around"),)))
    return read_by_model(agent)


async def test_a_sub_agent_is_told_when_it_begins(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = (
        'echo \'{"hookSpecificOutput":{"hookEventName":"SubagentStart",'
        '"additionalContext":"mind the tests"}}\''
    )
    settings = hooks("SubagentStart", stage.script("h", body), matcher="Explore")

    read = await sub_agent(stage, "done", settings=settings)

    [told] = stage.told()
    assert (told["agent_id"], told["agent_type"]) == ("agent-1", "Explore")
    assert "mind the tests" in read


async def test_a_sub_agent_can_be_kept_going(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = 'case "$IN" in *\'"stop_hook_active":true\'*) exit 0;; esac; echo more >&2; exit 2'
    settings = {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": stage.script("h", body)}]}]
            for event in ("SubagentStop", "Stop", "UserPromptSubmit")
        }
    }

    read = await sub_agent(stage, "one", "two", settings=settings)

    assert [one["hook_event_name"] for one in stage.told()] == ["SubagentStop"] * 2
    assert [one["agent_type"] for one in stage.told()] == ["Explore"] * 2
    assert [one["last_assistant_message"] for one in stage.told()] == ["one", "two"]
    assert all("agent_transcript_path" in one for one in stage.told())
    assert "more" in read


async def test_a_hook_finds_little_around_it_and_no_secret(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = "env | sort > found; pwd > where; tty >> where 2>&1"
    settings = {**hooks("PreToolUse", stage.script("h", body)), "env": {"MY_TOKEN": "configured"}}
    agent = stage.agent(
        ACT,
        "done",
        settings=settings,
        variables={
            "ANTHROPIC_API_KEY": "sk-secret",
            "OTEL_EXPORTER": "x",
            "GITHUB_TOKEN": "ghp",
            "LC_ALL": "C",
        },
    )

    await run(agent)

    found = dict(line.split("=", 1) for line in (tmp_path / "found").read_text().splitlines())
    assert found["CLAUDE_PROJECT_DIR"] == str(tmp_path)
    assert found["CLAUDECODE"] == "1"
    assert found["CLAUDE_CODE_REMOTE"] == "false"
    assert found["CLAUDE_CODE_SESSION_ID"] == stage.told()[0]["session_id"]
    assert (found["MY_TOKEN"], found["LC_ALL"]) == ("configured", "C")
    assert not {"ANTHROPIC_API_KEY", "OTEL_EXPORTER", "GITHUB_TOKEN", "CLAUDE_ENV_FILE"} & set(
        found
    )
    assert (tmp_path / "where").read_text().splitlines() == [str(tmp_path), "not a tty"]


def test_the_effort_is_told_where_it_is_set() -> None:
    session = HookSession("s", effort="high")

    assert hook_environment({}, {}, session)["CLAUDE_EFFORT"] == "high"
    assert "CLAUDE_EFFORT" not in hook_environment({}, {}, HookSession("s"))


async def test_without_hooks_nothing_is_made(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})

    await run(agent)

    assert (stage.runs, stage.notices) == ([], [])
    runner = HookRunner(HookSession("s"))
    assert not any(runner.wants(event, "Bash") for event in HookEvent)


async def test_an_interrupt_ends_a_hook_that_runs(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = f"echo $$ > {tmp_path}/pid; exec sleep 1000"
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", stage.script("h", body)))

    async def stop() -> None:
        while not (tmp_path / "pid").exists():  # noqa: ASYNC110 - a process makes it
            await anyio.sleep(0.005)
        agent.interrupt()

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop)
            result = await agent.run("go")

    assert result.reason in {TurnEnd.ABORTED_TOOLS, TurnEnd.ABORTED_STREAMING}
    assert [one.outcome for one in stage.runs] == ["cancelled"]
    assert stage.ran == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
NAMES = (
    "continue stopReason systemMessage decision reason hookSpecificOutput hookEventName"
    " permissionDecision updatedInput additionalContext behavior updatedToolOutput retry async"
)
FIELDS = NAMES.split()
ANSWERS = st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from(["block", "allow"]))


@given(st.sampled_from(sorted(HookEvent)), ANSWERS, ANSWERS)
def test_no_answer_in_json_breaks_the_reading(
    event: HookEvent, top: dict[str, object], special: dict[str, object]
) -> None:
    raw = {**top, "hookSpecificOutput": {**special, "hookEventName": str(event)}}

    with suppress(BadAnswerError):
        assert isinstance(read_answer(event, raw), Saying)


@given(
    st.sampled_from(sorted(HookEvent)),
    st.integers(-15, 255).filter(lambda code: code != 0),
    st.text(max_size=40).filter(lambda text: not text.strip().startswith("{")),
)
def test_plain_words_and_a_bad_end_never_allow(event: HookEvent, code: int, words: str) -> None:
    heard = hear_exit(event, code, words, words)

    assert heard.saying.decision is None
    assert heard.saying.context == ()
    assert heard.failure or heard.saying.blocks


def test_a_rule_of_a_hook_stands_where_the_hook_does() -> None:
    read = parse_hooks(
        {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "if": "Read(/a)"}]}]},
        at(Source(SourceKind.PROJECT, "s.json")),
    )

    condition = read.entries[0].handler.condition
    assert condition is not None
    assert condition.source.kind is SourceKind.PROJECT
