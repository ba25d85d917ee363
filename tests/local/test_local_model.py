"""A real model drives the real loop. It is small, so nothing here depends on what it says."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

from gantlet import Agent, AgentParts, Environment, tool
from gantlet.messages import (
    MessageStart,
    MessageStop,
    StreamAdvanced,
    TextSpoken,
    TurnEnd,
    TurnFinished,
)
from gantlet.models.local import LocalModel, missing_packages
from gantlet.models.scripted import check_history

MISSING = ", ".join(missing_packages())

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(
        bool(MISSING), reason=f"make local-model installs what is missing: {MISSING}"
    ),
]


@pytest.fixture(scope="module")
def local() -> Iterator[LocalModel]:
    with LocalModel() as model:
        yield model


@tool(read_only=True)
def population(city: str) -> str:
    """Tell how many people live in a city."""
    return f"{city} has 717,000 people."


def agent_of(local: LocalModel, home: Path) -> Agent:
    """Return an agent that asks the model and nobody else, and not for long."""
    environment = Environment(variables={"GANTLET_HOME": str(home)})
    return Agent(
        local.name,
        base_url=local.base_url,
        tools=[population],
        builtin_tools="",
        system="You are a helpful assistant. Answer in one short sentence.",
        max_tokens=16,
        max_turns=2,
        parts=AgentParts(environment=environment),
    )


async def test_a_real_model_answers_and_the_prompt_ends_with_a_reason(
    local: LocalModel, tmp_path: Path
) -> None:
    agent = agent_of(local, tmp_path)
    with anyio.fail_after(100):
        async with agent, agent.stream("How many people live in Oslo?") as events:
            seen = [event async for event in events]

    streamed = [event.event for event in seen if isinstance(event, StreamAdvanced)]
    assert isinstance(streamed[0], MessageStart)
    assert isinstance(streamed[-1], MessageStop)
    assert any(isinstance(event, TextSpoken) for event in seen)
    assert isinstance(seen[-1], TurnFinished)
    assert events.result.reason in {TurnEnd.COMPLETED, TurnEnd.MAX_TURNS}
    assert events.result.usage.output_tokens
    assert check_history(agent.messages) == ""


async def test_a_prompt_that_is_left_early_leaves_a_valid_history(
    local: LocalModel, tmp_path: Path
) -> None:
    agent = agent_of(local, tmp_path)
    with anyio.fail_after(100):
        async with agent, agent.stream("Tell me a long story about a fox.") as events:
            async for event in events:
                if isinstance(event, TextSpoken):
                    break

    assert events.result.reason is TurnEnd.ABORTED_STREAMING
    assert check_history(agent.messages) == ""


def test_the_model_is_gone_when_its_context_ends() -> None:
    with LocalModel() as model:
        address = urlsplit(model.base_url)
        socket.create_connection(("127.0.0.1", address.port or 0), timeout=5).close()

    assert address.hostname == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", address.port), timeout=5)
    with pytest.raises(RuntimeError, match="not running"):
        _ = model.base_url
