"""An agent with hooks: real scripts, real processes, a scripted model."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio

from gantlet import Agent, AgentParts, Environment, ScriptedModel, tool
from gantlet.assembly.hooks import HookParts
from gantlet.assembly.run_result import RunResult
from gantlet.messages import (
    Event,
    HookRan,
    Notice,
    ResultBlock,
    Text,
    UserMessage,
    blocks_of,
    dumps,
)
from gantlet.models.scripted import Script, parse_script
from gantlet.permissions import Asker
from gantlet.tool import AnyTool, ToolError
from patience import PATIENCE_SECONDS

_E = TypeVar("_E")


@dataclass
class Stage:
    """A folder in which hooks write down what they were told, and an agent that runs there."""

    folder: Path
    events: list[Event] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """Where hooks write what they were told, a line each."""
        return self.folder / "told.jsonl"

    def told(self) -> list[dict[str, object]]:
        """Return what hooks were told, in order."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def script(self, name: str, body: str) -> str:
        """Write a hook; it first writes down what it is told. Return the command."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\nread -r IN; printf '%s\\n' \"$IN\" >> {self.log}\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def tools(self) -> list[AnyTool]:
        """Return tools that write down their calls."""
        ran = self.ran

        @tool
        def act(text: str = "") -> str:
            """Do something."""
            ran.append(text)
            return f"did {text}"

        @tool
        def fail(text: str = "") -> str:
            """Fail at something."""
            ran.append(text)
            raise ToolError(f"No {text}.")

        return [act, fail]

    def agent(
        self,
        *replies: object,
        settings: Mapping[str, object],
        mode: str = "bypassPermissions",
        tools: list[AnyTool] | None = None,
        asker: Asker | None = None,
        parts: HookParts | None = None,
        variables: Mapping[str, str] | None = None,
        asides: list[tuple[str, str]] | None = None,
        setting_sources: tuple[str, ...] = (),
        trust: bool = False,
        **options: object,
    ) -> Agent:
        """Return an agent whose model says the given replies."""
        variables = {"PATH": os.environ["PATH"], **(variables or {})}
        home = {"GANTLET_HOME": str(self.folder / "home"), "HOME": str(self.folder / "me")}
        return Agent(
            ScriptedModel(_script(replies, asides or [])),
            tools=self.tools() if tools is None else tools,
            settings=settings,
            permission_mode=mode,
            cwd=self.folder,
            setting_sources=setting_sources,
            trust=trust,
            parts=AgentParts(
                environment=Environment(variables={**home, **variables}),
                listener=self.events.append,
                asker=asker,
                hook_parts=parts or HookParts(),
                **options,  # type: ignore[arg-type]
            ),
        )

    def heard(self, kind: type[_E]) -> list[_E]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def notices(self) -> list[str]:
        """What the user was told."""
        return [notice.text for notice in self.heard(Notice)]

    @property
    def runs(self) -> list[HookRan]:
        """The hooks that ran."""
        return self.heard(HookRan)


def _script(replies: tuple[object, ...], asides: list[tuple[str, str]]) -> Script:
    """Return a script; each aside is what the user says in it, and the answer."""
    told = [{"when": {"user": user}, "say": text} for user, text in asides]
    return parse_script(dumps({"replies": replies} | ({"asides": told} if told else {})))


ACT = [{"call": "act", "input": {"text": "a"}}]


def hooks(
    event: str, *commands: str | Mapping[str, object], matcher: str = ""
) -> dict[str, object]:
    """Return settings with the hooks of one event."""
    handlers = [
        {"type": "command", "command": one} if isinstance(one, str) else dict(one)
        for one in commands
    ]
    return {"hooks": {event: [{"matcher": matcher, "hooks": handlers}]}}


def answer(event: str, **special: object) -> str:
    """Return a line of shell that answers in JSON for an event."""
    return says({"hookSpecificOutput": {"hookEventName": event, **special}})


def says(raw: object) -> str:
    """Return a line of shell that answers in JSON."""
    return f"cat <<'EOT'\n{json.dumps(raw)}\nEOT"


async def run(agent: Agent, prompt: str = "go") -> RunResult:
    """Run a prompt, within reason."""
    with anyio.fail_after(PATIENCE_SECONDS):
        return await agent.run(prompt)


def results(agent: Agent) -> list[str]:
    """Return what the model read of its calls."""
    return [
        block.content if isinstance(block.content, str) else repr(block.content)
        for message in agent.messages
        for block in blocks_of(message)
        if isinstance(block, ResultBlock)
    ]


def read_by_model(agent: Agent) -> str:
    """Return every text the model was given, calls' results apart."""
    return "\n".join(
        block.text
        for message in agent.messages
        if isinstance(message, UserMessage)
        for block in blocks_of(message)
        if isinstance(block, Text)
    )


def is_running(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in {"Z", "X"}


def number_in(path: Path) -> int:
    """Return the number that a process has written down, or 0 if it has not."""
    text = path.read_text() if path.exists() else ""
    return int(text) if text.endswith("\n") else 0


async def pid_in(path: Path) -> int:
    """Wait until a process has written down its number."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while not number_in(path):  # noqa: ASYNC110 - a process makes it
            await anyio.sleep(0.005)
    return number_in(path)
