"""What we need of HTTP: send one request, read one response as it comes."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import anyio

from gantlet.models.messages_api.failures import RequestError


def now() -> float:
    """Return the event loop's time, by which `until` is meant."""
    return asyncio.get_running_loop().time()


class LateError(Exception):
    """What was waited for did not come in time."""


class Response(Protocol):
    """A response whose headers have come. Whoever opened it closes it."""

    @property
    def status(self) -> int:
        """The HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by lower-case name."""

    @property
    def is_at_end(self) -> bool:
        """Whether it is certain that all of the body has been read."""

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the server asks us to wait before we try again."""

    async def read(self, until: float = math.inf) -> bytes:
        """Return the next bytes of the body, decompressed; nothing at its end.

        Raises:
            RequestError: The connection broke.
            LateError: Nothing came until that time of the event loop.
        """

    async def aclose(self) -> None:
        """Let go of the connection, even when cancelled.

        It serves again only if the body was read to its end.
        """


class Transport(Protocol):
    """A way to the server that keeps connections."""

    async def post(
        self,
        path: str,
        headers: Mapping[str, str],
        parts: Sequence[bytes],
        until: float = math.inf,
    ) -> Response:
        """Send a request and return the response once its headers have come.

        Raises:
            RequestError: There was no response.
            LateError: There was none until that time of the event loop.
            UserError: The address cannot be used.
        """

    async def aclose(self) -> None:
        """Close each connection."""


async def read_up_to(response: Response, limit: int) -> bytes:
    """Return the body, or somewhat more than its first `limit` bytes.

    Raises:
        RequestError: The connection broke.
    """
    body = bytearray()
    while len(body) <= limit and (chunk := await response.read()):
        body += chunk
    return bytes(body)


async def read_what_comes(response: Response, limit: int, seconds: float) -> bytes:
    """Return what can be had of a body that is only good to know, in so much time."""
    body = bytearray()
    try:
        with anyio.move_on_after(seconds):
            while len(body) <= limit and (chunk := await response.read()):
                body += chunk
    except RequestError:  # nobody will miss the rest
        return bytes(body)
    return bytes(body)


def media_type(response: Response) -> str:
    """Return what the body is said to be, in lower case, without parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()
