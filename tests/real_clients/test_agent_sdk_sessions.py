"""The official Agent SDK talks at length: modes, models, interrupts, sessions taken up again."""

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from gantlet.session import project_key
from real_clients.sdk_kit import SECONDS, Stage, of, sdk, stage, words

pytestmark = [pytest.mark.anyio, pytest.mark.clients]


async def answers(client: Any) -> list[Any]:
    with anyio.fail_after(SECONDS):
        return [one async for one in client.receive_response()]


async def test_a_conversation_goes_on(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk, desk.client() as client:
        await client.query("one")
        first = await answers(client)
        await client.query("two")
        second = await answers(client)

    assert (words(first), words(second)) == (["First."], ["Second."])
    assert first[-1].session_id == second[-1].session_id


async def test_mode_and_model_change_on_the_way(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.", "Third.") as desk, desk.client() as client:
        await client.set_permission_mode("acceptEdits")
        await client.set_model("claude-haiku-5-5")
        await client.query("one")
        first = await answers(client)
        await client.set_permission_mode("default")
        await client.set_model(None)
        await client.query("two")
        second = await answers(client)

    told = [of("SystemMessage", one) for one in (first, second)]
    inits = [next(one.data for one in part if one.subtype == "init") for part in told]
    assert [init["permissionMode"] for init in inits] == ["acceptEdits", "default"]
    assert inits[0]["model"] == "claude-haiku-5-5"
    assert inits[1]["model"] != "claude-haiku-5-5"


async def test_an_interrupt_ends_the_turn_and_the_next_one_works(tmp_path: Path) -> None:
    slow = [{"text": "I am thinking about it", "chunks": 20, "pause": 0.5}]
    async with stage(tmp_path, slow, "Fine.") as desk:
        options = desk.options(include_partial_messages=True)
        async with sdk.ClaudeSDKClient(options=options) as client:
            await client.query("one")
            first: list[Any] = []
            with anyio.fail_after(SECONDS):
                async for one in client.receive_response():
                    first.append(one)
                    if type(one).__name__ == "StreamEvent" and len(of("StreamEvent", first)) == 3:
                        await client.interrupt()
            await client.query("two")
            second = await answers(client)

    assert first[-1].terminal_reason == "aborted_streaming"
    assert words(second) == ["Fine."]


async def test_the_state_of_the_context_and_of_servers(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.") as desk, desk.client() as client:
        await client.query("one")
        await answers(client)
        usage = await client.get_context_usage()
        servers = await client.get_mcp_status()

    assert 0 < usage["totalTokens"] < usage["maxTokens"]
    assert servers == {"mcpServers": []}


async def two_turns(desk: Stage) -> tuple[str, list[Any]]:
    first = await desk.ask("one")
    own = first[-1].session_id
    second = await desk.ask("two", resume=own)
    return own, [*first, *second]


async def test_a_session_is_taken_up_again(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk:
        own, messages = await two_turns(desk)

    assert words(messages) == ["First.", "Second."]
    assert messages[-1].session_id == own


async def test_the_latest_session_is_continued(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk:
        first = await desk.ask("one")
        second = await desk.ask("two", continue_conversation=True)

    assert words(second) == ["Second."]
    assert second[-1].session_id == first[-1].session_id


async def test_a_session_of_a_given_id(tmp_path: Path) -> None:
    own = "11111111-2222-4333-8444-555555555555"
    async with stage(tmp_path, "First.") as desk:
        messages = await desk.ask("one", session_id=own)

    assert messages[-1].session_id == own


async def test_a_fork_at_a_point_keeps_what_came_before(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk:
        own, messages = await two_turns(desk)
        path = transcript(desk, own)
        before = path.read_bytes()
        point = of("AssistantMessage", messages)[0].uuid
        third = await desk.ask("other two", resume=own, fork_session=True, resume_session_at=point)

    assert words(third) == ["Second."]  # the script stands where the conversation does
    assert third[-1].session_id != own
    assert path.read_bytes() == before


async def test_the_wrong_turn_is_not_dropped(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk:
        own, messages = await two_turns(desk)
        point = of("AssistantMessage", messages)[0].uuid
        with pytest.raises(Exception, match=r"exit|Resume"):
            await desk.ask(
                "x",
                resume=own,
                fork_session=True,
                resume_session_at=point,
                resume_drops_turn="99999999-2222-4333-8444-555555555555",
            )

    assert "Resume rejected by --resume-drops-turn:" in "".join(desk.stderr)


async def test_the_sdk_reads_our_transcripts(tmp_path: Path) -> None:
    calls = [
        "Look:",
        {"call": "ToolSearch", "input": {"query": "a"}},
        {"call": "ToolSearch", "input": {"query": "b"}},
    ]
    async with stage(tmp_path, calls, "First.", "Second.") as desk:
        given = {"env": {"ENABLE_TOOL_SEARCH": "true"}}
        first = await desk.ask("one", **given)
        own = first[-1].session_id
        await desk.ask("two", resume=own, **given)
        os.environ["CLAUDE_CONFIG_DIR"] = str(desk.own)
        try:
            listed = sdk.list_sessions(directory=str(desk.cwd))
            messages = sdk.get_session_messages(own, directory=str(desk.cwd))
        finally:
            del os.environ["CLAUDE_CONFIG_DIR"]

    assert [one.session_id for one in listed] == [own]
    assert listed[0].first_prompt == "one"
    assert listed[0].cwd == str(desk.cwd)
    kinds = [one.type for one in messages]
    assert kinds.count("assistant") == 5
    contents = [block for one in messages for block in blocks(one)]
    asked = [block["id"] for block in contents if block.get("type") == "tool_use"]
    told = [block["tool_use_id"] for block in contents if block.get("type") == "tool_result"]
    assert sorted(asked) == sorted(told)


async def test_a_session_from_another_home_is_resumed_there(tmp_path: Path) -> None:
    async with stage(tmp_path, "First.", "Second.") as desk:
        own = (await desk.ask("one"))[-1].session_id
        elsewhere = tmp_path / "elsewhere"
        folder = elsewhere / "projects" / project_key(desk.cwd)
        folder.mkdir(parents=True)
        transcript(desk, own).rename(folder / f"{own}.jsonl")
        (elsewhere / "settings.json").write_text('{"outputStyle": "theirs"}')
        messages = await desk.ask("two", resume=own, env={"CLAUDE_CONFIG_DIR": str(elsewhere)})

    assert words(messages) == ["Second."]
    assert messages[-1].session_id == own
    assert messages[0].data["output_style"] == "theirs"


def transcript(desk: Stage, own: str) -> Path:
    return desk.own / "projects" / project_key(desk.cwd) / f"{own}.jsonl"


def blocks(message: Any) -> list[dict[str, Any]]:
    content = message.message["content"]
    return content if isinstance(content, list) else []
