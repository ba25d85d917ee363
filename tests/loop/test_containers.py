"""The container in which the API runs code: what a reply tells of it, the next request names."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import MessageCreateParams
from pydantic import TypeAdapter

from gantlet import Agent, AgentParts
from gantlet.loop.container import with_container
from gantlet.messages import JsonValue
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.scripted import ScriptedModel, ScriptServer, script_of
from gantlet.session import new_session, resumed
from gantlet.system import Environment
from loop_kit import look

NEVER = "2999-01-01T00:00:00Z"
CALL = {"call": "look", "input": {}}


def told(own: str, until: str = NEVER) -> dict[str, object]:
    """Return a piece of a reply that tells of a container."""
    container = {"id": own, "expires_at": until, "skills": None}
    delta = {"stop_reason": None, "stop_sequence": None, "container": container}
    return {"event": {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}}


def agent_of(model: ScriptedModel, parts: AgentParts | None = None, **fields: Any) -> Agent:
    return Agent(
        model,
        tools=[look],
        builtin_tools="",
        request_fields=fields,
        parts=parts or AgentParts(environment=Environment()),
    )


def containers(model: ScriptedModel) -> list[JsonValue]:
    """Return the container of each request."""
    return [request.body.get("container") for request in model.requests]


async def test_a_container_is_named_from_the_next_request_on() -> None:
    model = ScriptedModel(
        script_of([CALL, told("c1")], [CALL], [CALL, told("c2")], "Done.", "Yes.")
    )
    agent = agent_of(model)
    await agent.run("Go")
    await agent.run("And again")

    assert containers(model) == [None, "c1", "c1", "c2", "c2"]


async def test_skills_that_were_asked_for_are_asked_for_again() -> None:
    skills = [{"type": "anthropic", "skill_id": "pptx"}]
    model = ScriptedModel(script_of([CALL, told("c1")], "Done."))
    await agent_of(model, container={"skills": skills}).run("Go")

    assert containers(model) == [{"skills": skills}, {"id": "c1", "skills": skills}]
    for request in model.requests:
        TypeAdapter(MessageCreateParams).validate_python(dict(request.body))


async def test_a_container_of_the_programs_own_stays() -> None:
    model = ScriptedModel(script_of([CALL, told("c1")], "Done."))
    await agent_of(model, container="mine").run("Go")

    assert containers(model) == ["mine", "mine"]


async def test_a_container_whose_time_is_over_is_not_named() -> None:
    model = ScriptedModel(script_of([CALL, told("c1", "2001-01-01T00:00:00Z")], "Done."))
    await agent_of(model).run("Go")

    assert containers(model) == [None, None]


@pytest.mark.parametrize(
    "until", ["soon", None, 7, "2030-01-01T00:00:00", "2030-01-01T00:00:00+02:00"]
)
def test_an_end_that_is_not_known_or_not_reached_keeps_the_container(until: JsonValue) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert with_container({}, {"id": "c", "expires_at": until}, now) == {"container": "c"}


@pytest.mark.parametrize("odd", ["c1", {"id": 7}, {"id": ""}, {}, [], None], ids=str)
async def test_what_is_no_container_is_not_named(odd: JsonValue) -> None:
    delta = {"type": "message_delta", "delta": {"container": odd}, "usage": {"output_tokens": 1}}
    model = ScriptedModel(script_of([CALL, {"event": delta}], "Done."))
    await agent_of(model).run("Go")

    assert containers(model) == [None, None]


async def test_a_session_that_goes_on_names_the_container_again(tmp_path: Path) -> None:
    session = new_session(tmp_path, str(tmp_path), "1")
    first = ScriptedModel(script_of([CALL, told("c1")], "Done."))
    await agent_of(first, AgentParts(environment=Environment(), session=session)).run("Go")
    session.close()

    again = resumed(session.path, str(tmp_path), "1")
    second = ScriptedModel(script_of([CALL], "Done.", "Once more."))
    await agent_of(second, AgentParts(environment=Environment(), session=again)).run("On")
    again.close()

    assert containers(second) == ["c1"]


async def test_a_container_comes_back_over_http_whole_or_streamed() -> None:
    lost = {"say": [CALL, told("c1")], "fault": {"drop": True, "at": "start"}}
    script = script_of(lost, [CALL, told("c2")], "Done.")
    bodies: list[Any] = []
    async with ScriptServer(script, log=lambda entry: bodies.append(entry["body"])) as server:
        model = MessagesApi(Endpoint(server.url, api_key="k"))
        await Agent(model, tools=[look], builtin_tools="").run("Go")
        await model.aclose()

    assert [body.get("container") for body in bodies] == [None, None, "c1", "c2"]
    assert [body["stream"] for body in bodies] == [True, False, True, True]
