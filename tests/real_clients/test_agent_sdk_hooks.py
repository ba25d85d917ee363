"""Hooks that live in a program with the official Agent SDK."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from real_clients.sdk_kit import of, results, sdk, stage, words

pytestmark = [pytest.mark.anyio, pytest.mark.clients]

CALL = [{"call": "Glob", "input": {"pattern": "*.txt"}}]


class Hook:
    """Answers always the same, and keeps what it is told."""

    def __init__(self, **answer: Any) -> None:
        self.answer = answer
        self.heard: list[tuple[dict[str, Any], str | None]] = []

    async def __call__(
        self, told: dict[str, Any], call: str | None, context: Any
    ) -> dict[str, Any]:
        self.heard.append((told, call))
        return self.answer

    def on(self, matcher: str | None = None, **given: Any) -> list[Any]:
        return [sdk.HookMatcher(matcher=matcher, hooks=[self], **given)]


async def run(tmp_path: Path, hooks: dict[str, Any], *replies: Any, **given: Any) -> list[Any]:
    async def prompt() -> Any:
        yield {"type": "user", "message": {"role": "user", "content": "Go"}}

    async with stage(tmp_path, *(replies or (CALL, "Done."))) as desk:
        (desk.cwd / "a.txt").touch()
        return await desk.ask(prompt(), hooks=hooks, **given)


def specific(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


async def test_a_hook_denies_a_call(tmp_path: Path) -> None:
    hook = Hook(
        **specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="No globs")
    )
    messages = await run(tmp_path, {"PreToolUse": hook.on("Glob")})

    assert "No globs" in results(messages)[0]
    told, call = hook.heard[0]
    assert told["tool_name"] == "Glob"
    assert told["tool_input"] == {"pattern": "*.txt"}
    assert call
    assert told["hook_event_name"] == "PreToolUse"
    assert told["session_id"] == messages[-1].session_id


async def test_a_hook_for_another_tool_is_not_asked(tmp_path: Path) -> None:
    hook = Hook()
    await run(tmp_path, {"PreToolUse": hook.on("Bash")})

    assert hook.heard == []


async def test_a_hook_after_a_call_stops_the_turn(tmp_path: Path) -> None:
    hook = Hook(continue_=False, stopReason="Enough")
    messages = await run(tmp_path, {"PostToolUse": hook.on()})

    assert words(messages) == []
    assert messages[-1].terminal_reason == "hook_stopped"
    told, call = hook.heard[0]
    assert call
    assert "tool_response" in told


async def test_a_hook_adds_context(tmp_path: Path) -> None:
    hook = Hook(**specific("PostToolUse", additionalContext="It is Tuesday"))
    messages = await run(tmp_path, {"PostToolUse": hook.on()})

    assert messages[-1].subtype == "success"
    assert len(hook.heard) == 1


async def test_several_events_in_one_run(tmp_path: Path) -> None:
    before, prompt, stop = Hook(), Hook(), Hook()
    messages = await run(
        tmp_path,
        {"PreToolUse": before.on(), "UserPromptSubmit": prompt.on(), "Stop": stop.on()},
    )

    assert [len(hook.heard) for hook in (before, prompt, stop)] == [1, 1, 1]
    assert prompt.heard[0][0]["prompt"] == "Go"
    assert words(messages) == ["Done."]


async def test_a_hook_changes_the_input(tmp_path: Path) -> None:
    hook = Hook(
        **specific("PreToolUse", permissionDecision="allow", updatedInput={"pattern": "*.md"})
    )
    messages = await run(tmp_path, {"PreToolUse": hook.on("Glob")})

    assert "a.txt" not in results(messages)[0]


async def test_hook_events_are_told_on_demand(tmp_path: Path) -> None:
    hook = Hook()
    messages = await run(tmp_path, {"PreToolUse": hook.on()}, include_hook_events=True)

    kinds = [one.subtype for one in of("HookEventMessage", messages)]
    kinds += [one.subtype for one in of("SystemMessage", messages)]
    assert "hook_started" in kinds
    assert "hook_response" in kinds


async def test_a_notification_says_of_what_kind_it_is(tmp_path: Path) -> None:
    notified = anyio.Event()
    kinds = []

    async def hear(told: dict[str, Any], call: str | None, context: Any) -> dict[str, Any]:
        kinds.append(told["notification_type"])
        notified.set()
        return {}

    async def allow(name: str, given: dict[str, Any], context: Any) -> Any:
        await notified.wait()  # a person who takes long
        return sdk.PermissionResultAllow()

    touch = [{"call": "Bash", "input": {"command": "touch made.txt"}}]
    hooks = {"Notification": [sdk.HookMatcher(hooks=[hear])]}
    await run(tmp_path, hooks, touch, "Done.", can_use_tool=allow)

    assert kinds == ["permission_prompt"]
