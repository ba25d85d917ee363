"""The official Agent SDK with our command as its engine, and the scripted server as the model."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from gantlet.models.scripted import ScriptServer, script_of

sdk: Any = pytest.importorskip("claude_agent_sdk", reason="run make test-clients")

COMMAND = shutil.which("gantlet", path=str(Path(sys.executable).parent))
SECONDS = 60


class Stage:
    """A folder to work in, and a model that says what a script says."""

    def __init__(self, folder: Path, url: str) -> None:
        self.home = folder / "home"
        self.cwd = folder / "work"
        self.own = folder / "gantlet"
        for one in (self.home, self.cwd, self.own):
            one.mkdir(exist_ok=True)
        self.url = url
        self.stderr: list[str] = []

    def options(self, **given: Any) -> Any:
        environment = {
            "HOME": str(self.home),
            "GANTLET_HOME": str(self.own),
            "CLAUDE_CONFIG_DIR": "",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "sk-scripted-key",
            "ENABLE_TOOL_SEARCH": "false",
            "PATH": os.environ["PATH"],
        }
        environment |= given.pop("env", {})
        given.setdefault("stderr", self.stderr.append)
        return sdk.ClaudeAgentOptions(cli_path=COMMAND, cwd=self.cwd, env=environment, **given)

    async def fail(self, **given: Any) -> tuple[list[Any], str]:
        heard: list[Any] = []
        try:
            with anyio.fail_after(SECONDS):
                async for one in sdk.query(prompt="Go", options=self.options(**given)):
                    heard.append(one)
        except sdk.ClaudeSDKError as error:
            return heard, str(error)
        return heard, ""

    @asynccontextmanager
    async def client(self, **given: Any) -> AsyncIterator[Any]:
        async with sdk.ClaudeSDKClient(options=self.options(**given)) as client:
            yield client

    async def ask(self, prompt: Any = "Go", **given: Any) -> list[Any]:
        with anyio.fail_after(SECONDS):
            return [one async for one in sdk.query(prompt=prompt, options=self.options(**given))]


@asynccontextmanager
async def stage(folder: Path, *replies: Any, **options: Any) -> AsyncIterator[Stage]:
    async with ScriptServer(script_of(*replies), **options) as server:
        yield Stage(folder, server.url)


def of(kind: str, messages: list[Any]) -> list[Any]:
    return [one for one in messages if type(one).__name__ == kind]


def words(messages: list[Any]) -> list[str]:
    return [
        block.text
        for one in of("AssistantMessage", messages)
        for block in one.content
        if type(block).__name__ == "TextBlock"
    ]


def results(messages: list[Any]) -> list[str]:
    return [
        str(block.content)
        for one in of("UserMessage", messages)
        if isinstance(one.content, list)
        for block in one.content
        if type(block).__name__ == "ToolResultBlock"
    ]
