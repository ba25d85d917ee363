"""The official Agent SDK asks our command: one question, one stream of answers."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from real_clients.sdk_kit import of, results, sdk, stage, words

pytestmark = [pytest.mark.anyio, pytest.mark.clients]


async def test_a_question_is_answered(tmp_path: Path) -> None:
    async with stage(tmp_path, "Four.") as desk:
        messages = await desk.ask("What is two and two?")

    assert type(messages[0]).__name__ == "SystemMessage"
    assert messages[0].subtype == "init"
    assert words(messages) == ["Four."]
    result = messages[-1]
    assert (result.subtype, result.is_error, result.result) == ("success", False, "Four.")
    assert result.session_id == messages[0].data["session_id"]
    assert result.usage["output_tokens"] > 0
    assert desk.stderr == []


async def test_the_start_tells_what_there_is(tmp_path: Path) -> None:
    async with stage(tmp_path, "Yes.") as desk:
        told = (await desk.ask(model="claude-opus-5-5"))[0].data

    assert told["cwd"] == str(desk.cwd)
    assert told["model"] == "claude-opus-5-5"
    assert told["permissionMode"] == "default"
    assert told["output_style"] == "default"
    assert isinstance(told["agents"], list)
    assert "clear" in told["slash_commands"]


async def test_partial_messages_come_before_the_whole(tmp_path: Path) -> None:
    reply = [{"thinking": "Let me see.", "signature": "c2ln"}, {"text": "Four.", "chunks": 2}]
    async with stage(tmp_path, reply) as desk:
        messages = await desk.ask(include_partial_messages=True)

    assert messages[0].subtype == "init"
    kinds = [one.event["type"] for one in of("StreamEvent", messages)]
    for kind in ("message_start", "content_block_start", "content_block_delta", "message_stop"):
        assert kind in kinds
    deltas = [one.event.get("delta", {}).get("type") for one in of("StreamEvent", messages)]
    assert "thinking_delta" in deltas
    said = [
        type(block).__name__ for one in of("AssistantMessage", messages) for block in one.content
    ]
    assert said == ["ThinkingBlock", "TextBlock"]
    assert messages[-1].subtype == "success"


async def test_no_stream_event_without_the_option(tmp_path: Path) -> None:
    async with stage(tmp_path, "Four.") as desk:
        assert of("StreamEvent", await desk.ask()) == []


async def test_a_stream_of_questions_is_answered_one_by_one(tmp_path: Path) -> None:
    async def questions() -> AsyncIterator[dict[str, Any]]:
        for text in ("one", "two"):
            yield {"type": "user", "message": {"role": "user", "content": text}}

    async with stage(tmp_path, "First.", "Second.") as desk:
        messages = await desk.ask(questions())

    assert [one.result for one in of("ResultMessage", messages)] == ["First.", "Second."]
    assert len([one for one in of("SystemMessage", messages) if one.subtype == "init"]) == 2


async def test_the_origin_of_a_message_comes_back(tmp_path: Path) -> None:
    async def questions() -> AsyncIterator[dict[str, Any]]:
        yield {
            "type": "user",
            "message": {"role": "user", "content": "one"},
            "origin": {"kind": "human"},
        }

    async with stage(tmp_path, "First.") as desk:
        frames = of("ResultMessage", await desk.ask(questions()))

    assert frames[0].origin == {"kind": "human"}


async def test_a_model_that_is_not_there_is_an_error_with_words(tmp_path: Path) -> None:
    fault = {
        "say": "x",
        "fault": {"error": "not_found", "message": "model: nope", "times": "always"},
    }
    async with stage(tmp_path, fault) as desk:
        heard, error = await desk.fail(model="nope")

    assert "nope" in error
    result = of("ResultMessage", heard)[0]
    assert (result.is_error, result.subtype) == (True, "success")
    assert result.terminal_reason == "api_error"
    assert "nope" in result.result


async def test_too_many_turns_are_an_error_of_their_own(tmp_path: Path) -> None:
    reply = [{"call": "ToolSearch", "input": {"query": "x"}}]
    async with stage(tmp_path, reply, reply, reply) as desk:
        heard, error = await desk.fail(max_turns=2, env={"ENABLE_TOOL_SEARCH": "true"})

    assert error
    assert of("ResultMessage", heard)[0].subtype == "error_max_turns"


async def test_an_answer_in_the_form_that_was_asked_for(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "size": {"enum": ["small", "large"]},
            "mayor": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        "required": ["city", "size"],
    }
    answer = {"city": "Bern", "size": "small", "mayor": {"name": "A"}}
    async with stage(
        tmp_path,
        "It is Bern.",
        [{"call": "StructuredOutput", "input": {"city": "Bern", "size": "huge"}}],
        [{"call": "StructuredOutput", "input": answer}],
        "Given.",
    ) as desk:
        messages = await desk.ask(output_format={"type": "json_schema", "schema": schema})

    assert messages[-1].structured_output == answer
    assert messages[-1].subtype == "success"


async def test_clear_begins_another_conversation(tmp_path: Path) -> None:
    async def questions() -> AsyncIterator[dict[str, Any]]:
        for text in ("one", "/clear", "two"):
            yield {"type": "user", "message": {"role": "user", "content": text}}

    async with stage(tmp_path, "First.") as desk:
        messages = await desk.ask(questions())

    ends = of("ResultMessage", messages)
    reset = [one for one in messages if type(one).__name__ == "ConversationResetMessage"]
    assert len({one.session_id for one in ends}) == 2
    assert ends[1].session_id == ends[2].session_id
    assert [one.new_conversation_id for one in reset] == [ends[1].session_id]


async def test_settings_sources_and_styles_and_commands(tmp_path: Path) -> None:
    async with stage(tmp_path, "Yes.", "Yes.") as desk:
        folder = desk.cwd / ".claude"
        (folder / "commands").mkdir(parents=True)
        (folder / "agents").mkdir()
        (folder / "commands" / "greet.md").write_text("Greet $ARGUMENTS.")
        (folder / "agents" / "a.md").write_text("---\nname: helper-one\ndescription: x\n---\nHi")
        (folder / "settings.local.json").write_text(json.dumps({"outputStyle": "local-style"}))

        everything = (await desk.ask())[0].data
        users = (await desk.ask(setting_sources=["user"]))[0].data

    assert everything["output_style"] == "local-style"
    assert "greet" in everything["slash_commands"]
    assert "helper-one" in everything["agents"]
    assert users["output_style"] == "default"
    assert "greet" not in users["slash_commands"]


async def test_a_big_set_of_agents_is_taken(tmp_path: Path) -> None:
    agents = {
        f"agent-{number}": sdk.AgentDefinition(description="d" * 1000, prompt="p" * 2000)
        for number in range(100)
    }
    async with stage(tmp_path, "Yes.") as desk:
        told = (await desk.ask(agents=agents))[0].data

    assert set(agents) <= set(told["agents"])


async def test_results_of_calls_are_told(tmp_path: Path) -> None:
    async with stage(tmp_path, [{"call": "Nowhere", "input": {}}], "Well.") as desk:
        messages = await desk.ask()

    assert "No such tool available: Nowhere" in results(messages)[0]
