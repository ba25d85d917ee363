"""Where the Messages API is reached, who we are there, and how long we wait."""

import math
import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from gantlet.messages import FrozenDict, JsonValue, freeze
from gantlet.messages.value import lazy, value
from gantlet.models.messages_api.headers import (
    Headers,
    check_beta,
    check_credential,
    check_header,
)
from gantlet.models.messages_api.variables import Variables
from gantlet.system import Environment
from gantlet.tool import UserError

PUBLIC_BASE_URL: Final = "https://api.anthropic.com"
DEFAULT_API_VERSION: Final = "2023-06-01"
MAX_RETRIES: Final = 15

_LOOPBACK = re.compile(r"127(?:\.\d{1,3}){1,3}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CREDENTIAL_HEADERS = frozenset({"authorization", "x-api-key"})
#: What the request itself writes into its body; a second copy would make the JSON ambiguous.
_BODY_OF_THE_REQUEST = frozenset({"messages", "stream", "system", "tools"})


class KeyHeader(StrEnum):
    """How an API key travels. An auth token is always a bearer."""

    X_API_KEY = "x-api-key"
    BEARER = "bearer"


@value
class Endpoint:
    """A server that speaks the Messages API. Secrets are not part of its `repr`.

    Attributes:
        auth_token: Goes as a bearer, and instead of the key if there are both.
        custom_headers: Sent with each request; they win over ours.
        extra_body: Further fields of each request's body; they win over the request's.
        timeout_seconds: How long to wait for the first sign of a reply, or for a whole one.
        idle_seconds: How long a stream may go without an event.
        max_retries: At most 15, whatever is asked.
        full_api: Whether the server knows strict and deferred tools and examples; `None` means
            that the public API does and nobody else.

    Raises:
        UserError: A value makes no sense.
    """

    base_url: str = PUBLIC_BASE_URL
    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    key_header: KeyHeader = KeyHeader.X_API_KEY
    api_version: str = DEFAULT_API_VERSION
    betas: tuple[str, ...] = ()
    custom_headers: Headers = field(default=(), repr=False)
    extra_body: Mapping[str, JsonValue] = field(default_factory=FrozenDict, repr=False)
    timeout_seconds: float = 600.0
    connect_timeout_seconds: float = 10.0
    idle_seconds: float = 90.0
    max_retries: int = 10
    full_api: bool | None = None
    user_agent: str = "gantlet"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _checked_url(self.base_url))
        object.__setattr__(self, "extra_body", freeze(self.extra_body))
        object.__setattr__(self, "max_retries", min(self.max_retries, MAX_RETRIES))
        check_header("user-agent", self.user_agent, "The user agent")
        check_credential(self.api_key, "The API key")
        check_credential(self.auth_token, "The auth token")
        for name, text in self.custom_headers:
            check_header(name, text, "The custom headers")
        for beta in self.betas:
            check_beta(beta, "The betas")
        self._check_numbers()
        if not _DATE.fullmatch(self.api_version):
            raise UserError(
                f"The API version {self.api_version!r} is no date. Write it as 2023-06-01."
            )
        if taken := _BODY_OF_THE_REQUEST & self.extra_body.keys():
            raise UserError(
                f"The extra body sets {', '.join(sorted(taken))}, which each request sets itself. "
                "Remove it."
            )

    @classmethod
    def from_environment(
        cls, environment: Environment, *, base_url: str | None = None, api_key: str | None = None
    ) -> "Endpoint":
        """Return the endpoint that the environment describes, but for what is given.

        Raises:
            UserError: A variable cannot be read; it is named.
        """
        variables = Variables(environment.variables)
        told_url = _checked_url(variables.text("ANTHROPIC_BASE_URL") or PUBLIC_BASE_URL)
        told_key = variables.text("ANTHROPIC_API_KEY")
        check_credential(told_key, "The API key")
        return cls(
            base_url=told_url if base_url is None else base_url,
            api_key=told_key if api_key is None else api_key,
            auth_token=variables.text("ANTHROPIC_AUTH_TOKEN"),
            key_header=variables.choice("GANTLET_KEY_HEADER", KeyHeader, KeyHeader.X_API_KEY),
            api_version=variables.text("GANTLET_API_VERSION") or DEFAULT_API_VERSION,
            betas=variables.names("ANTHROPIC_BETAS"),
            custom_headers=variables.headers("ANTHROPIC_CUSTOM_HEADERS"),
            extra_body=variables.json_object("CLAUDE_CODE_EXTRA_BODY"),
            timeout_seconds=variables.milliseconds("API_TIMEOUT_MS", 600_000),
            idle_seconds=variables.milliseconds("CLAUDE_STREAM_IDLE_TIMEOUT_MS", 90_000),
            max_retries=variables.count("CLAUDE_CODE_MAX_RETRIES", 10),
        )

    @lazy
    def host(self) -> str:
        """The name of the machine, without its port."""
        return urlsplit(self.base_url).hostname or ""

    @lazy
    def is_public(self) -> bool:
        """Whether this is the vendor's own API, which nobody uses without a key."""
        return self.host == "anthropic.com" or self.host.endswith(".anthropic.com")

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, where no proxy and no certificate is needed."""
        name = self.host
        return name in {"localhost", "::1"} or _LOOPBACK.fullmatch(name) is not None

    @property
    def is_plain(self) -> bool:
        """Whether a bare socket is all it takes: a server on this machine, without TLS."""
        return self.is_local and self.base_url.startswith("http:") and self.base_url.isascii()

    @property
    def has_full_api(self) -> bool:
        """Whether requests may use all that the public API knows."""
        return self.is_public if self.full_api is None else self.full_api

    @property
    def has_credential(self) -> bool:
        """Whether a request says who sends it."""
        names = {name.lower() for name, _ in self.custom_headers}
        return bool(self.api_key or self.auth_token or names & _CREDENTIAL_HEADERS)

    def request_headers(self, betas: tuple[str, ...] = ()) -> dict[str, str]:
        """Return what each request carries, by lower-case name, with the betas it asks for."""
        headers = {"anthropic-version": self.api_version}
        if self.auth_token:
            headers["authorization"] = f"Bearer {self.auth_token}"
        elif self.api_key and self.key_header is KeyHeader.BEARER:
            headers["authorization"] = f"Bearer {self.api_key}"
        elif self.api_key:
            headers["x-api-key"] = self.api_key
        headers |= {name.lower(): value for name, value in self.custom_headers}
        added = [name.strip() for name in headers.pop("anthropic-beta", "").split(",")]
        if wanted := dict.fromkeys(filter(None, (*self.betas, *betas, *added))):
            headers["anthropic-beta"] = ",".join(wanted)
        return headers

    def masked(self, text: str) -> str:
        """Return `text` without our credentials, should a server have repeated them.

        Any header that a user added may be one: gateways have names of their own for them.
        """
        written = [value for _, value in self.custom_headers]
        for secret in " ".join([self.api_key or "", self.auth_token or "", *written]).split():
            if len(secret) >= 8:
                text = text.replace(secret, "***")
        return text

    def _check_numbers(self) -> None:
        """Make sure that each wait has an end and each count is one."""
        for name in ("timeout_seconds", "connect_timeout_seconds", "idle_seconds"):
            seconds: float = getattr(self, name)
            if not (seconds > 0 and math.isfinite(seconds)):
                raise UserError(f"{name} is {seconds}. Give a number of seconds above zero.")
        if self.max_retries < 0:
            raise UserError(f"max_retries is {self.max_retries}. Give zero or more.")


def _checked_url(url: str) -> str:
    """Return a base URL without the slash at its end.

    Raises:
        UserError: Nothing can be reached there. The message never shows more than scheme and host.
    """
    if url == PUBLIC_BASE_URL:
        return url
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:  # its text may quote a password that stands in the wrong place
        raise UserError("The base URL cannot be read. Check ANTHROPIC_BASE_URL.") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise UserError(
            "The base URL must begin with http:// or https:// and name a host. "
            "Check ANTHROPIC_BASE_URL."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            f"The base URL for {parts.hostname!r} may hold neither credentials nor a query. "
            "Put credentials into ANTHROPIC_AUTH_TOKEN or ANTHROPIC_CUSTOM_HEADERS."
        )
    return parts.geturl().rstrip("/")
