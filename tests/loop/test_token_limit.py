"""The limit of output tokens: no request asks for more than is left, and a cut there is its end."""

import json
from pathlib import Path

import pytest

from end_to_end.program_kit import Desk
from gantlet.loop import Limits
from gantlet.loop.continuing import MIN_THINKING_TOKENS, with_less_thinking
from gantlet.messages import AssistantMessage, Capabilities, Notice, Text, TurnEnd, Usage
from gantlet.models.scripted import ScriptedModel, check_history, script_of
from gantlet.testing import VirtualClock
from loop_kit import Summing, agent_of, events_of, texts

CALL = {"call": "look", "input": {"note": "a"}}


def reply(say: object, tokens: int, **more: object) -> dict[str, object]:
    return {"say": say, "usage": {"input_tokens": 1, "output_tokens": tokens}, **more}


def allowed(model: ScriptedModel) -> list[object]:
    """Return how many tokens each request allows its reply."""
    return [request.body["max_tokens"] for request in model.requests]


def model_of(*replies: object) -> ScriptedModel:
    able = Capabilities(max_output_tokens=1_000)
    return ScriptedModel(script_of(*replies), VirtualClock(), capabilities=able)


async def test_a_request_asks_for_no_more_than_is_left() -> None:
    model = model_of(reply(CALL, 300), reply(CALL, 500), reply("Done.", 100))
    agent = agent_of(model=model, limits=Limits(max_output_tokens=1_200))

    result = await agent.run("Go")

    assert (result.text, result.reason) == ("Done.", TurnEnd.COMPLETED)
    assert allowed(model) == [1_000, 900, 400]


@pytest.mark.parametrize("tokens", [400, 0], ids=["counted", "not counted"])
async def test_a_reply_that_is_cut_off_there_ends_the_turn(tokens: int) -> None:
    cut = reply("I will now tell", tokens, stop_reason="max_tokens")
    model = model_of(reply(CALL, 800), cut, "never said")
    agent = agent_of(model=model, limits=Limits(max_output_tokens=1_200))

    heard, result = await events_of(agent, "Go")

    assert result.reason is TurnEnd.BUDGET_EXHAUSTED
    assert result.errors == (f"Stopped after {800 + tokens} output tokens; 1200 were allowed.",)
    assert allowed(model) == [1_000, 400]
    assert [event for event in heard if isinstance(event, Notice)] == []
    assert texts(agent.messages[-1]) == ["I will now tell"]
    assert check_history(agent.messages) == ""


async def test_calls_of_a_reply_that_is_cut_off_there_are_answered_first() -> None:
    cut = reply([CALL, CALL], 400, fault={"truncate": "max_tokens", "at": "mid_json", "nth": 2})
    model = model_of(reply(CALL, 800), cut, "never said")
    agent = agent_of(model=model, limits=Limits(max_output_tokens=1_200))

    result = await agent.run("Go")

    assert result.reason is TurnEnd.BUDGET_EXHAUSTED
    assert len(model.requests) == 2
    assert check_history(agent.messages) == ""


async def test_a_reply_that_is_cut_off_earlier_is_continued() -> None:
    cut = reply("I will", 1_000, stop_reason="max_tokens")
    model = model_of(cut, reply(" tell.", 10))
    agent = agent_of(model=model, limits=Limits(max_output_tokens=5_000))

    result = await agent.run("Go")

    assert (result.text, result.reason) == ("I will tell.", TurnEnd.COMPLETED)


async def test_each_prompt_has_its_own_limit() -> None:
    model = model_of(reply("One.", 900), reply("Two.", 1))
    agent = agent_of(model=model, limits=Limits(max_output_tokens=950))

    await agent.run("Go")
    await agent.run("Go")

    assert allowed(model) == [950, 950]


@pytest.mark.parametrize(
    ("budget", "room", "expected"),
    [
        (2_000, 2_001, {"type": "enabled", "budget_tokens": 2_000}),
        (2_000, 2_000, {"type": "enabled", "budget_tokens": 1_024}),
        (9_000, 5_000, {"type": "enabled", "budget_tokens": 2_500}),
        (2_000, MIN_THINKING_TOKENS, {"type": "disabled"}),
    ],
)
def test_the_model_thinks_less_where_little_is_left(
    budget: int, room: int, expected: dict[str, object]
) -> None:
    asked = {"thinking": {"type": "enabled", "budget_tokens": budget}, "metadata": {}}

    assert with_less_thinking(asked, room) == {"thinking": expected, "metadata": {}}


@pytest.mark.parametrize("thinking", [{"type": "adaptive"}, {"type": "disabled"}, None, "x"])
def test_thinking_without_a_length_stays_as_it_is(thinking: object) -> None:
    assert with_less_thinking({"thinking": thinking}, 10) == {"thinking": thinking}


async def test_half_a_summary_is_none() -> None:
    half = AssistantMessage(
        (Text("<summary>We saw"),), stop_reason="max_tokens", usage=Usage(1, 100)
    )
    model = Summing(reply(CALL, 50), "never", summaries=[half] * 9, context_tokens=3_000)
    agent = agent_of(model=model, limits=Limits(max_output_tokens=150))

    await agent.run("x" * 20_000)

    assert [request.max_tokens for request in model.asked[:1]] == [100]
    assert not any("We saw" in text for message in agent.messages for text in texts(message))


SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}'


def test_an_answer_in_a_form_is_asked_for_again_within_the_same_limits(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *["No."] * 9)

    ended = desk.run("How many?", "--json-schema", SCHEMA, "--output-format", "json")
    limited = desk.run(
        *("How many?", "--json-schema", SCHEMA, "--output-format", "json", "--max-turns", "3")
    )

    told, less = json.loads(ended.stdout), json.loads(limited.stdout)
    assert (told["subtype"], told["num_turns"]) == ("error_max_structured_output_retries", 6)
    assert (less["subtype"], less["num_turns"]) == ("error_max_turns", 3)
    assert less["errors"] == ["Stopped after 3 requests, the most that were allowed (max turns)."]
