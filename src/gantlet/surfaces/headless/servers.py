"""The servers a command line names: those of the driving program are connected through it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from gantlet import __version__
from gantlet.mcp.driven import DrivenServer, DrivenTool, ServerError, ServerStatus
from gantlet.messages import JsonValue, loads
from gantlet.permissions import Asker, Question, Unanswered
from gantlet.surfaces.headless.asking import read_answer
from gantlet.surfaces.headless.control import Control, ControlError
from gantlet.surfaces.headless.flags import FlagError, Flags
from gantlet.tool import UserError

CONNECT_SECONDS = 30.0
CALL_SECONDS = 100_000.0
_MAX_CONFIG_BYTES = 2_000_000


class Servers:
    """The servers of one run."""

    def __init__(self, flags: Flags, control: Control) -> None:
        self._control = control
        self._configs = _read_configs(flags.mcp_config)
        self._tools: dict[str, DrivenTool] = {}
        self.statuses: list[ServerStatus] = [
            ServerStatus(name, "pending") for name in self._configs
        ]

    def add_driven(self, names: list[str]) -> None:
        """Take note of servers that the driving program has, unless they are known."""
        for name in names:
            self._configs.setdefault(name, {"type": "sdk", "name": name})

    async def connect(self) -> list[DrivenTool]:
        """Connect every server; return all their tools. One that fails costs only its own."""
        self._tools.clear()
        self.statuses = []
        for name, config in self._configs.items():
            if config.get("type") != "sdk":
                text = "servers of this kind are not supported yet"
                self.statuses.append(ServerStatus(name, "failed", error=text))
                continue
            server = DrivenServer(name, self._send, __version__)
            try:
                tools = await server.connect()
            except (ServerError, ControlError) as error:
                self.statuses.append(ServerStatus(name, "failed", error=str(error)))
                continue
            names = tuple(tool.name for tool in tools)
            self.statuses.append(ServerStatus(name, "connected", names))
            self._tools |= {tool.name: tool for tool in tools}
        return list(self._tools.values())

    def asker(self, name: str, interrupt: Callable[[], None]) -> Asker:
        """Return the way to ask a server's tool whether a call may run.

        Raises:
            UserError: No server has that tool.
        """
        if name not in self._tools:
            known = ", ".join(self._tools) or "none"
            raise UserError(
                f"--permission-prompt-tool {name} was not found. Tools of servers: {known}."
            )
        return _ToolAsker(self._tools[name], interrupt)

    async def call(self, server: str, tool: str, given: Mapping[str, JsonValue]) -> str:
        """Return what a server's tool answers a hook, as text.

        Raises:
            LookupError: No such server is connected, or it has no such tool.
            ServerError: The server refused, or the tool failed.
        """
        own = {one.mcp.tool: one for one in self._tools.values() if one.mcp.server == server}
        if not own:
            raise LookupError(f"no server {server!r} is connected")
        if tool not in own:
            raise LookupError(f"its tools are {', '.join(sorted(own))}")
        return await own[tool].ask(given)

    def complaints(self) -> list[str]:
        """Return why servers are missing, in words for a person."""
        failed = [one for one in self.statuses if one.status == "failed"]
        return [f"The server '{one.name}' is left out: {one.error}." for one in failed]

    def told(self) -> list[JsonValue]:
        """Return how the servers stand, in short."""
        return [{"name": one.name, "status": one.status} for one in self.statuses]

    def told_at_length(self) -> list[JsonValue]:
        """Return how the servers stand, with their tools and what is wrong."""
        listed: list[JsonValue] = []
        for one in self.statuses:
            entry: dict[str, JsonValue] = {"name": one.name, "status": one.status}
            entry["config"] = {"type": "sdk", "name": one.name}
            entry["tools"] = [{"name": name.split("__", 2)[-1]} for name in one.tools]
            if one.error:
                entry["error"] = one.error
            listed.append(entry)
        return listed

    async def _send(self, server: str, message: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Send one message to a server through the driving program."""
        is_call = message.get("method") == "tools/call"
        seconds = CALL_SECONDS if is_call else CONNECT_SECONDS
        ask = partial(self._control.ask, "mcp_message", seconds=seconds)
        try:
            answer = await ask(server_name=server, message=dict(message))
        except ControlError as error:
            raise ServerError(f"{server} cannot be reached: {error}") from error
        response = answer.get("mcp_response")
        return response if isinstance(response, dict) else {}


class _ToolAsker:
    """Asks a server's tool whether a call may run."""

    def __init__(self, tool: DrivenTool, interrupt: Callable[[], None]) -> None:
        self._tool = tool
        self._interrupt = interrupt

    async def ask(self, question: Question) -> None:
        """Ask, and pass the answer on; what is no answer is no yes."""
        call = question.request.call
        given: dict[str, JsonValue] = {
            "tool_name": question.request.tool.name,
            "input": dict(call.input),
            "tool_use_id": call.id,
        }
        try:
            text = await self._tool.ask(given)
            parsed = loads(text)
            if not isinstance(parsed, dict):
                raise ValueError("it is no object")  # noqa: TRY004, TRY301 - same fate as other nonsense
            answer, stops = read_answer(parsed)
        except (ServerError, ValueError) as error:
            answer, stops = Unanswered(f"{self._tool.name} gave no answer ({error})"), False
        if question.answer(answer) and stops:
            self._interrupt()

    def quietly(self) -> Asker | None:
        """Return None: a person may sit behind the tool."""
        return None


def _read_configs(given: tuple[str, ...]) -> dict[str, Mapping[str, JsonValue]]:
    """Return the servers that flags name, by name; later ones win.

    Raises:
        FlagError: A file is not there, or what is given has another form.
    """
    found: dict[str, Mapping[str, JsonValue]] = {}
    for text in given:
        where = "--mcp-config"
        if not text.lstrip().startswith("{"):
            where = f"--mcp-config {text}"
            try:
                with Path(text).open("rb") as file:
                    text = file.read(_MAX_CONFIG_BYTES).decode("utf-8")
            except (OSError, ValueError) as error:
                raise FlagError(f"{where} cannot be read: {error}") from None
        try:
            parsed = loads(text)
        except ValueError as error:
            raise FlagError(f"{where} is not JSON: {error}") from None
        servers = parsed.get("mcpServers") if isinstance(parsed, dict) else None
        if not isinstance(servers, dict):
            raise FlagError(f"{where} needs an object 'mcpServers'.")
        for name, config in servers.items():
            if not isinstance(config, dict):
                raise FlagError(f"{where}: the server '{name}' is no object.")
            found[name] = config
    return found
