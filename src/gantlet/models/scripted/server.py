"""The scripted model over HTTP: a Messages API for everyone who can be pointed at an address."""

import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from itertools import count
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import ByteStream, SocketAttribute

from gantlet.messages import JsonValue, freeze, loads
from gantlet.models.scripted.api_errors import api_error
from gantlet.models.scripted.http import Connection, HttpError, HttpRequest
from gantlet.models.scripted.player import Player
from gantlet.models.scripted.received import MAX_DEPTH, InvalidRequestError, receive
from gantlet.models.scripted.script import ApiError, Script
from gantlet.models.scripted.stage import Stage, error_body
from gantlet.system import MASK, Clock, RealClock
from gantlet.tool import UserError

_LOG = logging.getLogger(__name__)
_METHODS = {
    "/": ("GET", "HEAD"),
    "/v1/messages": ("POST",),
    "/v1/messages/count_tokens": ("POST",),
}
#: What is raised when the client has gone; its end of the connection may fail in any of these ways.
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError)
_KEY_HEADERS = ("x-api-key", "authorization")
#: Headers, or how their names begin, whose values are logged: any other may be a secret.
_PLAIN_HEADERS = ("accept", "anthropic-", "connection", "content-", "host", "user-agent", "x-stai")


class ScriptServer:
    """Serves a script as long as its context lasts: `async with ScriptServer(script) as server`.

    It keeps no conversation: where the script stands is found from the messages of each request,
    so any number of clients can be served at once. Their API keys tell them apart where a fault
    happens only so many times.

    Attributes:
        played: Set when a reply has been sent after which the script has no other.
    """

    def __init__(
        self,
        script: Script,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Clock | None = None,
        log: Callable[[Mapping[str, JsonValue]], None] | None = None,
    ) -> None:
        self.played = anyio.Event()
        self._host = host
        self._port = port
        self._player = Player(script)
        self._clock = clock or RealClock()
        self._log = log or (lambda entry: None)
        self._numbers = count(1)
        self._stack = AsyncExitStack()

    @property
    def url(self) -> str:
        """The address that clients use."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    async def __aenter__(self) -> Self:
        try:
            listener = await anyio.create_tcp_listener(local_host=self._host, local_port=self._port)
        except (OSError, OverflowError) as error:
            raise UserError(
                f"Nothing can listen at {self._host}, port {self._port}: {error}. Port 0 takes a "
                "free one."
            ) from error
        self._port = listener.extra(SocketAttribute.local_port)
        await self._stack.enter_async_context(listener)
        group = await self._stack.enter_async_context(anyio.create_task_group())
        self._stack.callback(group.cancel_scope.cancel)
        group.start_soon(listener.serve, self._converse)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What failed inside the context is not the group's: it must not come out wrapped in one.
        await self._stack.aclose()

    async def _converse(self, stream: ByteStream) -> None:
        """Answer the requests of one connection until it ends; no failure of ours gets out."""
        try:
            async with stream:
                connection = Connection(stream)
                while await self._exchange(connection):
                    pass
        except _GONE:
            return

    async def _exchange(self, connection: Connection) -> bool:
        """Answer one request; return whether another may follow on this connection."""
        try:
            request = await connection.read_request()
        except HttpError as error:
            refusal = api_error(status=error.status, message=str(error))
            await self._refuse(connection, refusal, {"connection": "close"})
            await connection.drain()
            return False
        if request is None:
            return False
        headers = {"request-id": f"req_{next(self._numbers)}"}
        if not request.keeps_alive:
            headers["connection"] = "close"
        try:
            self._log(_entry(request))
            is_whole = await self._answer(connection, request, headers)
        except _GONE:
            raise
        except Exception:  # noqa: BLE001 - a bug of ours: whole in the log, never to the client
            _LOG.exception("A request could not be answered.")
            await self._refuse(connection, api_error("api"), {"connection": "close"})
            return False
        return is_whole and request.keeps_alive

    async def _answer(
        self, connection: Connection, request: HttpRequest, headers: Mapping[str, str]
    ) -> bool:
        """Answer a request; return whether the answer is whole."""
        refusal = _refusal(request)
        if refusal is not None:
            allowed = {"allow": ", ".join(_METHODS.get(request.path, ()))}
            more = allowed if refusal.status == 405 else {}
            has_body = request.method != "HEAD"
            await self._refuse(connection, refusal, {**headers, **more}, has_body=has_body)
            return True
        if request.path == "/":
            status: JsonValue = {"status": "ok", "script": self._player.script.name}
            has_body = request.method != "HEAD"
            await connection.send_json(200, status, headers, has_body=has_body)
            return True
        try:
            return await self._play(connection, request, headers)
        except InvalidRequestError as error:
            refusal = api_error("invalid_request", message=str(error))
            await self._refuse(connection, refusal, headers)
            return True

    async def _play(
        self, connection: Connection, request: HttpRequest, headers: Mapping[str, str]
    ) -> bool:
        """Answer with what the script says, or count the tokens of the question."""
        betas = request.headers.get("anthropic-beta", "").replace(" ", "").split(",")
        is_count = request.path.endswith("/count_tokens")
        received = receive(request.body, betas=tuple(filter(None, betas)), for_counting=is_count)
        if is_count:
            await connection.send_json(200, {"input_tokens": received.tokens}, headers)
            return True
        answer = self._player.answer(received, _key(request))
        stage = Stage(connection, self._clock, headers, is_old=request.is_old)
        play = stage.stream if received.wants_stream else stage.send_whole
        is_whole = await play(answer.steps)
        if answer.is_last and is_whole:
            self.played.set()
        return is_whole

    @staticmethod
    async def _refuse(
        connection: Connection,
        error: ApiError,
        headers: Mapping[str, str],
        *,
        has_body: bool = True,
    ) -> None:
        """Answer that it cannot be done."""
        body = error_body(error, headers.get("request-id"))
        await connection.send_json(error.status, body, headers, has_body=has_body)


def _refusal(request: HttpRequest) -> ApiError | None:
    """Return why a request is not even looked into, if so."""
    methods = _METHODS.get(request.path)
    if methods is None:
        return api_error("not_found", message=f"There is nothing at {request.path}.")
    if request.method not in methods:
        wanted = " or ".join(methods)
        message = f"{request.path} takes {wanted}, not {request.method}."
        return api_error("invalid_request", status=405, message=message)
    if request.path == "/":
        return None
    if not _key(request):
        return api_error("authentication", message="x-api-key header is required")
    if not request.headers.get("anthropic-version"):
        return api_error("invalid_request", message="anthropic-version: header is required")
    return None


def _key(request: HttpRequest) -> str:
    """Return the key a client names itself by; as at the API, `x-api-key` comes first."""
    bearer = request.headers.get("authorization", "")
    return request.headers.get("x-api-key") or bearer.removeprefix("Bearer ").strip()


def _entry(request: HttpRequest) -> dict[str, JsonValue]:
    """Return a request as it is logged: without keys, and without what else may be one."""
    try:
        body = freeze(loads(request.body), max_depth=MAX_DEPTH) if request.body else None
    except ValueError:
        body = str(request.body, "utf-8", "replace")
    headers: dict[str, JsonValue] = {
        name: value if name.startswith(_PLAIN_HEADERS) else MASK
        for name, value in request.headers.items()
        if name not in _KEY_HEADERS
    }
    return {"method": request.method, "path": request.path, "headers": headers, "body": body}
