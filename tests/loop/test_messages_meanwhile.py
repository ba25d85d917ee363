"""What the user says during a turn: hooks look at it once, and nothing of it is lost unsaid."""

import pytest

from gantlet import Priority
from gantlet.messages import CallStarted, Event, Notice, StepStarted, TurnEnd
from loop_kit import Hanging, agent_of, events_of, texts

pytestmark = pytest.mark.anyio

CALL = {"call": "look", "id": "c1", "input": {"note": "x"}}


def heard_by(agent: object, refused: str = "") -> list[str]:
    """Have a hook look at what the user says, and return where it writes that down."""
    heard: list[str] = []

    @agent.hook("UserPromptSubmit")  # type: ignore[attr-defined,untyped-decorator]
    async def look_at(given: dict[str, str]) -> object:
        heard.append(given["prompt"])
        return {"decision": "block", "reason": "no"} if given["prompt"] == refused else None

    return heard


async def test_hooks_look_at_a_message_that_interrupts_and_may_turn_it_away() -> None:
    hanging = Hanging()
    agent = agent_of({"call": "hang", "id": "c1"}, "Fine.", tools=(hanging.tool,))
    heard = heard_by(agent, refused="secret")

    async with agent.stream("go") as events:
        async for event in events:
            if isinstance(event, CallStarted):
                agent.send("secret", Priority.NOW)

    assert heard == ["go", "secret"]
    assert events.result.text == "Fine."
    assert "secret" not in str(agent.messages)


async def test_hooks_look_at_a_message_that_comes_while_they_look_at_results() -> None:
    agent = agent_of(CALL, "Fine.")
    heard = heard_by(agent, refused="secret")

    @agent.hook("PostToolBatch")
    async def say(given: object) -> None:
        agent.send("secret")

    result = await agent.run("go")

    assert heard == ["go", "secret"]
    assert result.text == "Fine."
    assert "secret" not in str(agent.messages)


async def test_hooks_look_only_once_at_a_message_for_later() -> None:
    agent = agent_of(CALL, {**CALL, "id": "c2"}, "Fine.", "Later.")
    heard = heard_by(agent)
    says = [False, True]

    @agent.hook("PostToolBatch")
    async def say(given: object) -> None:
        if says.pop():
            agent.send("and then", Priority.LATER)

    result = await agent.run("go")

    assert heard == ["go", "and then"]
    assert result.text == "Later."


async def test_what_was_said_is_kept_when_the_api_fails() -> None:
    def listen(event: Event) -> None:
        if isinstance(event, StepStarted) and event.step == 2:
            agent.send("and hurry")

    failing = {"say": "lost", "fault": {"error": "authentication", "times": 9}}
    agent = agent_of(CALL, failing, listener=listen)

    result = await agent.run("go")

    assert result.reason is TurnEnd.API_ERROR
    assert texts(agent.messages[-1]) == ["and hurry"]


async def test_what_cannot_be_delivered_any_more_is_told() -> None:
    agent = agent_of(CALL, {"say": "lost", "fault": {"error": "authentication", "times": 9}}, "x")

    @agent.hook("PostToolBatch")
    async def say(given: object) -> None:
        agent.send("and then", Priority.LATER)

    heard, result = await events_of(agent, "go")

    assert result.reason is TurnEnd.API_ERROR
    told = [event.text for event in heard if isinstance(event, Notice)]
    assert told == ["A message was not delivered, because the turn ended before that."]


async def test_an_urgent_message_between_two_steps_costs_no_request() -> None:
    agent = agent_of(CALL, "Fine.")

    @agent.hook("PostToolBatch")
    async def say(given: object) -> None:
        agent.send("now", Priority.NOW)

    result = await agent.run("go")

    assert (result.text, result.turns) == ("Fine.", 2)
    assert texts(agent.messages[2]) == ["now"]
