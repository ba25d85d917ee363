"""Servers that live in the program that drives us: each message goes through that program."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from gantlet.messages import Block, FrozenDict, Image, JsonValue, Text, dumps, freeze
from gantlet.messages.value import value
from gantlet.tool import McpIdentity, Tool, ToolContext, ToolError, ToolResult, Traits

PROTOCOL_VERSION = "2025-11-25"
MAX_PAGES = 100
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")

#: Sends one JSON-RPC message to a server of this name and returns its answer.
Send: TypeAlias = Callable[[str, Mapping[str, JsonValue]], Awaitable[Mapping[str, JsonValue]]]


class ServerError(Exception):
    """A server that answers with an error, or with something that is no answer."""


@value
class ServerStatus:
    """How a server stands."""

    name: str
    status: str
    tools: tuple[str, ...] = ()
    error: str = ""


class DrivenServer:
    """One server, reached through the program that drives us."""

    def __init__(self, name: str, send: Send, version: str) -> None:
        self.name = name
        self._send = send
        self._version = version
        self._ids = count(1)

    async def connect(self) -> list["DrivenTool"]:
        """Shake hands and return the tools it has.

        Raises:
            ServerError: It does not answer as a server does.
        """
        await self._request(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "gantlet", "version": self._version},
            },
        )
        await self._notify("notifications/initialized")
        tools: list[DrivenTool] = []
        cursor: JsonValue = None
        for _ in range(MAX_PAGES):
            page = await self._request("tools/list", {"cursor": cursor} if cursor else {})
            listed = page.get("tools")
            tools += [
                DrivenTool(self, told)
                for told in (listed if isinstance(listed, list) else [])
                if isinstance(told, dict) and isinstance(told.get("name"), str)
            ]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        return tools

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Run a tool of the server's.

        Raises:
            ServerError: The server refused.
        """
        return await self._request("tools/call", {"name": tool, "arguments": dict(arguments)})

    async def _request(
        self, method: str, params: Mapping[str, JsonValue]
    ) -> Mapping[str, JsonValue]:
        """Send a request and return its result."""
        message: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        message["params"] = dict(params)
        answer = await self._send(self.name, message)
        error = answer.get("error")
        if isinstance(error, dict):
            raise ServerError(f"{self.name}: {error.get('message') or error}")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise ServerError(f"{self.name} gave no result for {method}.")
        return result

    async def _notify(self, method: str) -> None:
        """Send a message that needs no answer."""
        await self._send(self.name, {"jsonrpc": "2.0", "method": method})


class DrivenTool(Tool[Mapping[str, JsonValue]]):
    """A tool of a driven server."""

    mcp: McpIdentity

    def __init__(self, server: DrivenServer, told: Mapping[str, JsonValue]) -> None:
        self._server = server
        self._hints = _object(told.get("annotations"))
        own = str(told["name"])
        self.mcp = McpIdentity(server.name, own)
        self.name = f"mcp__{_NOT_IN_NAMES.sub('_', server.name)}__{_NOT_IN_NAMES.sub('_', own)}"
        self.description = str(told.get("description") or own)
        self.input_schema = freeze(_schema(told.get("inputSchema")))
        meta = _object(told.get("_meta"))
        self.always_load = meta.get("anthropic/alwaysLoad") is True
        most = meta.get("anthropic/maxResultSizeChars")
        if isinstance(most, int) and 0 < most <= 500_000:
            self.max_result_chars = most

    def traits(self, args: Mapping[str, JsonValue]) -> Traits:
        """Believe the server's hints only as far as who runs beside whom."""
        read_only = self._hints.get("readOnlyHint") is True
        destructive = not read_only and self._hints.get("destructiveHint") is True
        return Traits(read_only=read_only, concurrency_safe=read_only, destructive=destructive)

    async def ask(self, arguments: Mapping[str, JsonValue]) -> str:
        """Return what the tool says, as text.

        Raises:
            ServerError: The server refused, or the tool failed.
        """
        answer = await self._server.call(self.mcp.tool, arguments)
        parts = [block.text for block in _content(answer.get("content")) if isinstance(block, Text)]
        text = "\n".join(parts)
        if answer.get("isError") is True:
            raise ServerError(text or f"{self.name} failed.")
        return text

    async def run(self, args: Mapping[str, JsonValue], context: ToolContext) -> object:
        """Have the server do it."""
        try:
            answer = await self._server.call(self.mcp.tool, args)
        except ServerError as error:
            raise ToolError(str(error)) from error
        blocks = _content(answer.get("content"))
        if answer.get("isError") is True:
            text = "\n".join(block.text for block in blocks if isinstance(block, Text))
            raise ToolError(text or f"{self.name} failed and did not say why.")
        structured = answer.get("structuredContent")
        if not blocks and structured is not None:
            blocks = [Text(dumps(structured).decode())]
        return ToolResult(blocks or [Text("(no output)")], structured=structured)


def _schema(given: JsonValue) -> dict[str, JsonValue]:
    """Return a schema with an object at its root, as the model must get it."""
    schema = dict(_object(given))
    schema.setdefault("type", "object")
    return schema


def _object(item: JsonValue) -> Mapping[str, JsonValue]:
    """Return an object, or an empty one."""
    return item if isinstance(item, dict | FrozenDict) else {}


def _content(listed: JsonValue) -> list[Block]:
    """Return the content of an answer as blocks; what has no form for the model is named."""
    blocks: list[Block] = []
    for one in listed if isinstance(listed, Sequence) and not isinstance(listed, str) else []:
        part = _object(one)
        match part.get("type"):
            case "text":
                blocks.append(Text(str(part.get("text") or "")))
            case "image":
                source = freeze(
                    {
                        "type": "base64",
                        "media_type": part.get("mimeType"),
                        "data": part.get("data"),
                    }
                )
                blocks.append(Image(source))
            case "resource":
                inner = _object(part.get("resource"))
                text = inner.get("text")
                blocks.append(Text(str(text) if text is not None else str(inner.get("uri"))))
            case "resource_link":
                blocks.append(Text(f"{part.get('name') or ''} {part.get('uri')}".strip()))
            case other:
                blocks.append(Text(f"[content of type {other}]"))
    return blocks
