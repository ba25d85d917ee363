"""Conversations that are written down while they happen."""

import json
from pathlib import Path
from typing import Any

from gantlet import Agent, AgentParts, Environment, ScriptedModel, script_of, tool
from gantlet.messages import Message, ResultBlock, ToolUse, UserMessage, blocks_of
from gantlet.session import Restored, Session, new_session, read_lines, restore

VERSION = "9.9.9"


@tool(read_only=True)
def look(at: str = "") -> str:
    """Look at something."""
    return f"saw {at}"


@tool(read_only=True)
def big(chars: int) -> str:
    """Say a lot."""
    return "x" * chars


def begin(folder: Path, cwd: Path) -> Session:
    return new_session(folder / "projects", str(cwd), VERSION)


def agent_in(session: Session, *script: Any, **options: Any) -> Agent:
    return Agent(
        ScriptedModel(script_of(*script)),
        tools=[look, big],
        cwd=session.path.parents[2],
        parts=AgentParts(environment=Environment(), session=session),
        **options,
    )


def lines_of(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in session.path.read_text().splitlines()]


def answers(messages: tuple[Message, ...]) -> dict[str, str]:
    return {
        block.tool_use_id: str(block.content)
        for message in messages
        if isinstance(message, UserMessage)
        for block in blocks_of(message)
        if isinstance(block, ResultBlock)
    }


def calls(messages: tuple[Message, ...]) -> list[str]:
    return [
        block.id
        for message in messages
        for block in blocks_of(message)
        if isinstance(block, ToolUse)
    ]


def content(messages: tuple[Message, ...]) -> list[tuple[str, object]]:
    return [(type(message).__name__, blocks_of(message)) for message in messages]


def back(path: Path) -> Restored:
    return restore(read_lines(path)[0])


def results_in(lines: Any) -> dict[str, str]:
    return {
        block["tool_use_id"]: str(block["content"])
        for line in lines
        if line["type"] == "user"
        for block in line["message"]["content"]
        if block["type"] == "tool_result"
    }
