"""A model whose API key is printed by a helper command of the settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from gantlet.config import Setting, Settings
from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    RetryListener,
    StreamEvent,
)
from gantlet.messages.value import replace, value
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.system import Clock, Environment, RealClock, run_child
from gantlet.tool import UserError

KEY_HELPER = "apiKeyHelper"
TTL_VARIABLE = "CLAUDE_CODE_API_KEY_HELPER_TTL_MS"
_DEFAULT_TTL_SECONDS = 300.0
_HELPER_SECONDS = 60.0
_MAX_KEY_BYTES = 65_536
#: What of our environment a project's helper gets.
_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TERM", "TMPDIR")


@value
class KeyHelper:
    """A command that prints a key, and where it is run.

    Attributes:
        setting: The command, with where it stands.
        ttl_seconds: How long a key is good for.
    """

    setting: Setting
    cwd: str
    environment: Environment
    ttl_seconds: float = _DEFAULT_TTL_SECONDS

    @classmethod
    def of(cls, settings: Settings, environment: Environment) -> "KeyHelper | None":
        """Return the helper that settings name, if they name one that counts."""
        setting = settings.one(KEY_HELPER)
        if setting is None:
            return None
        cwd = settings.workspace.original_cwd.path
        return cls(setting, cwd, environment, _ttl(environment))

    async def key(self) -> str:
        """Run the command and return what it prints.

        Raises:
            ModelError: It failed, took too long, or printed nothing.
        """
        try:
            result = await run_child(
                str(self.setting.content),
                env=self._variables(),
                cwd=self.cwd,
                seconds=_HELPER_SECONDS,
                max_bytes=_MAX_KEY_BYTES,
            )
        except (OSError, ValueError) as error:
            raise self.failed(f"could not be started: {error}") from error
        if result.timed_out:
            raise self.failed(f"took longer than {_HELPER_SECONDS:g} seconds")
        if result.exit_code != 0:
            raise self.failed(f"ended with exit code {result.exit_code}")
        key = result.stdout.decode("utf-8", "replace").strip()
        if not key:
            raise self.failed("printed nothing")
        return key

    def _variables(self) -> dict[str, str]:
        """Return its environment: ours for a helper of the user's own, little for a project's."""
        variables = dict(self.environment.variables)
        if self.setting.source.kind.is_repository:
            variables = {name: variables[name] for name in _PASSED if name in variables}
        return {**variables, **self.environment.for_children}

    def failed(self, what: str) -> ModelError:
        """Return that there is no key, without a word of what the helper printed."""
        message = f"The command in {KEY_HELPER!r} ({self.setting.source}) {what}."
        return ModelError(message, ModelErrorKind.AUTHENTICATION_FAILED)


class HelpedModel:
    """A Messages API whose key comes from a helper: asked for when needed, kept for a while."""

    def __init__(self, endpoint: Endpoint, helper: KeyHelper, clock: Clock | None = None) -> None:
        self._endpoint = endpoint
        self._helper = helper
        self._clock = clock or RealClock()
        self._lock = anyio.Lock()
        self._api = MessagesApi(endpoint)
        self._opened = [self._api]
        self._key = ""
        self._good_until = float("-inf")

    def capabilities(self, model: str) -> Capabilities:
        """Return what the named model can do."""
        return self._api.capabilities(model)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AsyncIterator[AsyncIterator[StreamEvent]]:
        """Send a request and read the reply as it comes."""
        api = await self._ready()
        try:
            async with api.stream(request, on_retry) as events:
                yield events
        except ModelError as error:
            self._note(error)
            raise

    async def complete(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AssistantMessage:
        """Send a request and wait for the whole reply."""
        api = await self._ready()
        try:
            return await api.complete(request, on_retry)
        except ModelError as error:
            self._note(error)
            raise

    async def aclose(self) -> None:
        """Let go of connections."""
        opened, self._opened = self._opened, [self._api]
        for api in opened:
            await api.aclose()

    async def _ready(self) -> MessagesApi:
        """Return the API with a key that is good."""
        async with self._lock:
            if self._clock.now() < self._good_until:
                return self._api
            key = await self._helper.key()
            self._good_until = self._clock.now() + self._helper.ttl_seconds
            if key != self._key:
                self._use(key)
            return self._api

    def _use(self, key: str) -> None:
        """Take another key; replies that are being read go on with the one they began with."""
        try:
            endpoint = replace(self._endpoint, api_key=key)
        except UserError as error:
            self._good_until = float("-inf")
            raise self._helper.failed("printed something that cannot be a key") from error
        self._key, self._api = key, MessagesApi(endpoint)
        self._opened.append(self._api)

    def _note(self, error: ModelError) -> None:
        """Ask for another key at the next request if this one was refused."""
        if error.kind is ModelErrorKind.AUTHENTICATION_FAILED:
            self._good_until = float("-inf")


def _ttl(environment: Environment) -> float:
    """Return how long a key is good for, in seconds."""
    text = environment.variables.get(TTL_VARIABLE, "").strip()
    return int(text) / 1000 if text.isascii() and text.isdigit() else _DEFAULT_TTL_SECONDS
