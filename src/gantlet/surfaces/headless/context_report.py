"""How full the context is, as programs and people are told."""

from collections.abc import Sequence

from gantlet.assembly.context_usage import ContextUsage, tokens_in
from gantlet.config import MemoryFile
from gantlet.messages import JsonValue
from gantlet.surfaces.headless.frames import Frame

_KINDS = {"policy": "Managed", "user": "User", "project": "Project", "local": "Local"}


def context_report(usage: ContextUsage, memory: Sequence[MemoryFile]) -> Frame:
    """Return what each part of the next request takes."""
    files = [(file, tokens_in(len(file.text.strip()))) for file in memory]
    instructions = min(usage.system, sum(tokens for _, tokens in files))
    mcp = [tool for tool in usage.tools if tool.server]
    own = sum(tool.tokens for tool in usage.tools if not tool.server)
    parts = {
        "System prompt": (usage.system - instructions, "promptBorder"),
        "System tools": (own, "inactive"),
        "MCP tools": (sum(tool.tokens for tool in mcp), "cyan"),
        "Memory files": (instructions, "orange"),
        "Messages": (usage.messages, "purple"),
    }
    listed: list[JsonValue] = [
        {"name": name, "tokens": tokens, "color": colour}
        for name, (tokens, colour) in parts.items()
        if tokens
    ]
    free = max(0, usage.most - usage.used)
    return {
        "categories": [*listed, {"name": "Free space", "tokens": free, "color": "gray"}],
        "totalTokens": usage.used,
        "maxTokens": usage.most,
        "rawMaxTokens": usage.most,
        "percentage": _share(usage),
        "gridRows": [],
        "memoryFiles": [
            {"path": str(file.path), "type": _KINDS.get(file.kind.value, ""), "tokens": tokens}
            for file, tokens in files
        ],
        "mcpTools": [
            {"name": tool.name, "serverName": tool.server, "tokens": tool.tokens} for tool in mcp
        ],
    }


def _share(usage: ContextUsage) -> float:
    """Return how much of the context is taken, in percent."""
    return round(100 * usage.used / usage.most, 1) if usage.most else 0.0


def in_words(usage: ContextUsage) -> str:
    """Return how full the context is, for a person."""
    tools = sum(tool.tokens for tool in usage.tools)
    return (
        f"About {usage.used:,} of {usage.most:,} tokens of the context are taken: {usage.system:,}"
        f" by the system prompt, {tools:,} by tools, {usage.messages:,} by messages."
    )
