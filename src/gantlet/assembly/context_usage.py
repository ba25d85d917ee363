"""What the next request is made of: how much of the context each part takes, about."""

from collections.abc import Iterable

from gantlet.loop import CHARS_PER_TOKEN, Conversation
from gantlet.messages import dumps, loads
from gantlet.messages.value import value


@value
class ToolSize:
    """How many tokens the definition of a tool takes; `server` is empty for a tool of ours."""

    name: str
    tokens: int
    server: str = ""


@value
class ContextUsage:
    """How many tokens each part of the next request takes, about, and how many there may be."""

    system: int
    tools: tuple[ToolSize, ...]
    messages: int
    most: int

    @property
    def used(self) -> int:
        """How many tokens the next request takes."""
        return self.system + sum(tool.tokens for tool in self.tools) + self.messages


def tokens_in(size: int) -> int:
    """Return about how many tokens so many characters are."""
    return int(size / CHARS_PER_TOKEN)


def usage_of(conversation: Conversation) -> ContextUsage:
    """Measure the request that a conversation would make next."""
    request = conversation.request()
    return ContextUsage(
        system=tokens_in(len(conversation.system)),
        tools=tuple(_sizes(conversation, request.tools)),
        messages=tokens_in(conversation.history.chars),
        most=conversation.capabilities.context_tokens,
    )


def _sizes(conversation: Conversation, part: bytes) -> Iterable[ToolSize]:
    """Yield the size of each definition in the tools part of a request."""
    listed = loads(part) if part else []
    for definition in listed if isinstance(listed, list) else []:
        name = str(definition.get("name")) if isinstance(definition, dict) else ""
        tool = conversation.toolbox.pool.find(name)
        server = tool.mcp.server if tool is not None and tool.mcp is not None else ""
        yield ToolSize(name, tokens_in(len(dumps(definition))), server)
