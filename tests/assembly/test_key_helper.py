"""`apiKeyHelper`: a command prints the key, and it is asked for only when it is needed."""

from pathlib import Path

import pytest

from config.settings_kit import Desk
from gantlet import Agent, AgentParts
from gantlet.assembly.key_helper import HelpedModel, KeyHelper
from gantlet.messages import ModelError
from gantlet.testing import VirtualClock
from models.messages_api_kit import (
    START,
    STOP,
    RawServer,
    end,
    endpoint_of,
    refusal,
    request,
    streamed,
    text_block,
)

REPLY = (START, *text_block(0, "Hello."), end(), STOP)
COUNTING = 'echo x >> "$HOME/asked"; echo key-$(wc -l < "$HOME/asked")'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a project and a home."""
    return Desk(tmp_path.resolve())


def helper(desk: Desk, command: str, kind: str = "user") -> KeyHelper:
    """Return the helper that a settings file names."""
    desk.write(kind, {"apiKeyHelper": command})
    found = KeyHelper.of(desk.read(trusts=True), desk.environment)
    assert found is not None
    return found


def keys(server: RawServer) -> list[str | None]:
    """Return the keys that came with the requests."""
    return [one.headers.get("x-api-key") for one in server.requests]


async def asked(model: HelpedModel) -> None:
    """Send a request and read the reply."""
    async with model.stream(request()) as events:
        async for _ in events:
            pass


async def test_a_key_is_kept_until_its_time_is_over(desk: Desk) -> None:
    async with RawServer([streamed(*REPLY)] * 3) as server, VirtualClock() as clock:
        model = HelpedModel(endpoint_of(server, api_key=None), helper(desk, COUNTING), clock)
        await asked(model)
        await asked(model)
        await clock.sleep_until(clock.now() + 301)
        await asked(model)
        await model.aclose()

        assert keys(server) == ["key-1", "key-1", "key-2"]


async def test_a_key_that_is_refused_is_asked_for_again(desk: Desk) -> None:
    scripts = [[refusal(401, "authentication_error")], streamed(*REPLY)]
    async with RawServer(scripts) as server:
        model = HelpedModel(endpoint_of(server, api_key=None), helper(desk, COUNTING))
        with pytest.raises(ModelError):
            await asked(model)
        await asked(model)
        await model.aclose()

        assert keys(server) == ["key-1", "key-2"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("exit 3", "ended with exit code 3"),
        ("true", "printed nothing"),
        ("echo two words", "printed something that cannot be a key"),
        ("head -c 100000 /dev/zero", "ended with exit code"),
    ],
)
async def test_a_helper_that_fails_is_told_with_where_it_stands(
    desk: Desk, command: str, told: str
) -> None:
    async with RawServer([]) as server:
        model = HelpedModel(endpoint_of(server, api_key=None), helper(desk, command))
        with pytest.raises(ModelError, match=told) as caught:
            await asked(model)
        await model.aclose()

        assert f"{desk.file('user')}:2" in str(caught.value)
        assert "two words" not in str(caught.value)
        assert server.requests == []


async def test_a_projects_helper_gets_little_of_our_environment(desk: Desk) -> None:
    desk.variables["MY_SECRET"] = "hidden"
    command = 'echo "k${MY_SECRET}"'

    assert await helper(desk, command).key() == "khidden"
    desk.file("user").unlink()
    assert await helper(desk, command, "project").key() == "k"


def test_a_helper_of_a_folder_that_is_not_trusted_is_none(desk: Desk) -> None:
    desk.write("project", {"apiKeyHelper": "touch canary"})

    assert KeyHelper.of(desk.read(), desk.environment) is None


async def test_an_agent_asks_the_helper_only_where_nobody_gives_a_key(desk: Desk) -> None:
    desk.write("user", {"apiKeyHelper": COUNTING})
    async with RawServer([streamed(*REPLY)] * 2) as server:
        desk.variables["ANTHROPIC_BASE_URL"] = server.url
        for given in (None, "mine"):
            agent = Agent(
                "m",
                api_key=given,
                cwd=desk.cwd,
                builtin_tools="",
                setting_sources="user",
                parts=AgentParts(environment=desk.environment),
            )
            await agent.run("hi")

        assert keys(server) == ["key-1", "mine"]
