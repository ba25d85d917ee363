"""Calls through the official Agent SDK: who may run them, and servers that live in the SDK."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from real_clients.sdk_kit import of, results, sdk, stage, words

types: Any = import_module("claude_agent_sdk.types")

pytestmark = [pytest.mark.anyio, pytest.mark.clients]


class Calculator:
    """A server in the SDK's own process."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

        @sdk.tool("add", "Adds two numbers", {"a": float, "b": float})  # type: ignore[untyped-decorator]
        async def add(given: dict[str, Any]) -> dict[str, Any]:
            self.ran.append(given)
            return {"content": [{"type": "text", "text": f"= {given['a'] + given['b']:g}"}]}

        @sdk.tool("fail", "Fails", {})  # type: ignore[untyped-decorator]
        async def fail(given: dict[str, Any]) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": "cannot"}], "is_error": True}

        self.server = sdk.create_sdk_mcp_server("calc", tools=[add, fail])


ADD = [{"call": "mcp__calc__add", "input": {"a": 2, "b": 3}}]


async def test_a_tool_of_the_sdk_runs_when_it_is_allowed(tmp_path: Path) -> None:
    calc = Calculator()
    async with stage(tmp_path, ADD, "{{ result.1.text }}") as desk:
        messages = await desk.ask(
            mcp_servers={"calc": calc.server}, allowed_tools=["mcp__calc__add"]
        )

    assert calc.ran == [{"a": 2, "b": 3}]
    assert words(messages)[-1] == "= 5"
    assert {"name": "calc", "status": "connected"} in messages[0].data["mcp_servers"]


async def test_a_tool_of_the_sdk_does_not_run_when_it_is_not_allowed(tmp_path: Path) -> None:
    calc = Calculator()
    async with stage(tmp_path, ADD, "Well.") as desk:
        messages = await desk.ask(mcp_servers={"calc": calc.server})

    assert calc.ran == []
    assert [one["tool_name"] for one in messages[-1].permission_denials] == ["mcp__calc__add"]


async def test_a_tool_of_the_sdk_does_not_run_when_it_is_disallowed(tmp_path: Path) -> None:
    calc = Calculator()
    async with stage(tmp_path, ADD, "Well.") as desk:
        messages = await desk.ask(
            mcp_servers={"calc": calc.server},
            allowed_tools=["mcp__calc"],
            disallowed_tools=["mcp__calc__add"],
        )

    assert calc.ran == []
    assert "mcp__calc__add" not in messages[0].data["tools"]
    assert "mcp__calc__fail" in messages[0].data["tools"]


async def test_two_tools_in_one_run_and_a_failure_is_told(tmp_path: Path) -> None:
    calc = Calculator()
    async with stage(tmp_path, [*ADD, {"call": "mcp__calc__fail", "input": {}}], "Well.") as desk:
        messages = await desk.ask(mcp_servers={"calc": calc.server}, allowed_tools=["mcp__calc"])

    assert "= 5" in results(messages)[0]
    assert "cannot" in results(messages)[1]


async def asked(
    tmp_path: Path, answer: Any, *replies: Any, **given: Any
) -> tuple[list[Any], list[tuple[str, dict[str, Any], Any]], Calculator]:
    calc = Calculator()
    questions: list[tuple[str, dict[str, Any], Any]] = []

    async def can_use_tool(name: str, given: dict[str, Any], context: Any) -> Any:
        questions.append((name, given, context))
        return answer

    async def prompt() -> Any:
        yield {"type": "user", "message": {"role": "user", "content": "Go"}}

    async with stage(tmp_path, *(replies or (ADD, "{{ result.1.text }}"))) as desk:
        messages = await desk.ask(
            prompt(), can_use_tool=can_use_tool, mcp_servers={"calc": calc.server}, **given
        )
    return messages, questions, calc


async def test_the_host_allows_a_call(tmp_path: Path) -> None:
    messages, questions, calc = await asked(tmp_path, sdk.PermissionResultAllow())

    assert [(name, given) for name, given, _ in questions] == [("mcp__calc__add", {"a": 2, "b": 3})]
    assert len(calc.ran) == 1
    assert words(messages)[-1] == "= 5"


async def test_the_host_denies_a_call(tmp_path: Path) -> None:
    messages, _, calc = await asked(tmp_path, sdk.PermissionResultDeny(message="Not today"))

    assert calc.ran == []
    assert "Not today" in results(messages)[0]
    assert messages[-1].subtype == "success"


async def test_the_host_denies_and_stops(tmp_path: Path) -> None:
    denied = sdk.PermissionResultDeny(message="Stop", interrupt=True)
    messages, _, calc = await asked(tmp_path, denied)

    assert calc.ran == []
    assert messages[-1].terminal_reason in ("aborted_tools", "aborted_streaming")


async def test_the_host_changes_the_input(tmp_path: Path) -> None:
    changed = sdk.PermissionResultAllow(updated_input={"a": 20, "b": 30})
    messages, questions, calc = await asked(tmp_path, changed)

    assert calc.ran == [{"a": 20, "b": 30}]
    assert len(questions) == 1
    assert words(messages)[-1] == "= 50"


async def test_what_the_host_allows_for_ever_is_not_asked_again(tmp_path: Path) -> None:
    rule = types.PermissionRuleValue(tool_name="mcp__calc__add")
    update = sdk.PermissionUpdate(
        type="addRules", rules=[rule], behavior="allow", destination="session"
    )
    always = sdk.PermissionResultAllow(updated_permissions=[update])
    again = [{"call": "mcp__calc__add", "input": {"a": 1, "b": 1}}]
    messages, questions, calc = await asked(tmp_path, always, ADD, again, "Done.")

    assert len(calc.ran) == 2
    assert len(questions) == 1
    assert words(messages)[-1] == "Done."


async def test_the_host_is_told_why_it_is_asked(tmp_path: Path) -> None:
    _, questions, _ = await asked(tmp_path, sdk.PermissionResultAllow())

    context = questions[0][2]
    assert context.tool_use_id
    assert context.decision_reason


async def test_a_shell_command_is_asked_about_and_runs(tmp_path: Path) -> None:
    touch = [{"call": "Bash", "input": {"command": "touch made.txt", "description": "make"}}]
    messages, questions, _ = await asked(tmp_path, sdk.PermissionResultAllow(), touch, "Done.")

    assert [name for name, _, _ in questions] == ["Bash"]
    assert (tmp_path / "work" / "made.txt").exists()
    assert messages[-1].subtype == "success"


async def test_writing_is_asked_about_and_runs(tmp_path: Path) -> None:
    path = tmp_path / "work" / "note.txt"
    write = [{"call": "Write", "input": {"file_path": str(path), "content": "hi"}}]
    messages, questions, _ = await asked(
        tmp_path, sdk.PermissionResultAllow(), write, "Done.", disallowed_tools=["Bash"]
    )

    assert [name for name, _, _ in questions] == ["Write"]
    assert path.read_text() == "hi"
    assert of("ResultMessage", messages)[0].permission_denials in (None, [])
