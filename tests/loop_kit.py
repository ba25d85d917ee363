"""What tests of whole turns share: agents with a scripted model, and what they said."""

from collections.abc import Callable

import anyio

from gantlet import Agent, AgentParts, RunResult
from gantlet.loop import History, Limits
from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    Event,
    Message,
    ModelRequest,
    ResultBlock,
    Text,
    blocks_of,
)
from gantlet.models.scripted import ScriptedModel, check_history, script_of
from gantlet.system import Environment
from gantlet.testing import VirtualClock
from gantlet.tool import AnyTool, tool


@tool(read_only=True)
async def look(note: str = "") -> str:
    """Look at something."""
    return f"saw {note}"


class Hanging:
    """A tool's body that never ends, and tells when it has begun."""

    def __init__(self) -> None:
        self.began = anyio.Event()

    @property
    def tool(self) -> AnyTool:
        """The tool, named `hang`."""

        @tool(read_only=True)
        async def hang() -> str:
            """Take for ever."""
            self.began.set()
            await anyio.sleep_forever()
            return ""

        return hang


class Summing(ScriptedModel):
    """A scripted model that gives these answers, or raises them, when it is asked for a summary."""

    def __init__(self, *replies: object, summaries: list[object], context_tokens: int) -> None:
        capabilities = Capabilities(
            context_tokens=context_tokens, input_usd_per_million=1.0, output_usd_per_million=1.0
        )
        super().__init__(script_of(*replies), VirtualClock(), capabilities=capabilities)
        self.summaries = summaries
        self.asked: list[ModelRequest] = []
        self.began = anyio.Event()

    async def complete(self, request: ModelRequest, on_retry: object = None) -> AssistantMessage:
        self.asked.append(request)
        self.began.set()
        given = self.summaries.pop(0)
        if isinstance(given, Exception):
            raise given
        if not isinstance(given, AssistantMessage):
            await anyio.sleep_forever()
        assert isinstance(given, AssistantMessage)
        return given


def agent_of(
    *replies: object,
    tools: tuple[AnyTool, ...] = (look,),
    model: ScriptedModel | None = None,
    clock: VirtualClock | None = None,
    history: History | None = None,
    limits: Limits | None = None,
    listener: Callable[[Event], None] | None = None,
) -> Agent:
    """Return an agent whose model plays these replies."""
    clock = clock or VirtualClock()
    parts = AgentParts(clock=clock, environment=Environment(), history=history, listener=listener)
    return Agent(
        model or ScriptedModel(script_of(*replies), clock),
        tools=tools,
        parts=parts,
        limits=limits,
        builtin_tools="",
    )


async def events_of(agent: Agent, prompt: str) -> tuple[list[Event], RunResult]:
    """Run a prompt; return what was told, and what came of it."""
    async with agent.stream(prompt) as events:
        heard = [event async for event in events]
    return heard, events.result


def results(message: Message) -> list[tuple[str, object]]:
    """Return the results in a message."""
    found = (block for block in blocks_of(message) if isinstance(block, ResultBlock))
    return [(block.tool_use_id, block.content) for block in found]


def texts(message: Message) -> list[str]:
    """Return the texts in a message."""
    return [block.text for block in blocks_of(message) if isinstance(block, Text)]


async def assert_fine(agent: Agent, expected: str) -> None:
    """Check that the conversation is valid, and that the next prompt can follow."""
    assert check_history(agent.messages) == ""
    assert (await agent.run("and now?")).text == expected
    assert check_history(agent.messages) == ""
