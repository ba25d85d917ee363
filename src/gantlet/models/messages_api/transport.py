"""HTTP by httpx2. Only the seam in `client` imports this module, with the first request."""

import math
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import anyio
import httpx2
from anyio.lowlevel import checkpoint

from gantlet.messages import ModelErrorKind
from gantlet.models.messages_api.endpoint import Endpoint
from gantlet.models.messages_api.exchange import LateError
from gantlet.models.messages_api.failures import RequestError, plain, unasked_encoding
from gantlet.models.messages_api.http1 import ProtocolError
from gantlet.models.messages_api.inflating import ACCEPTED, EncodingError, encoding_of
from gantlet.models.messages_api.retry_after import retry_after_seconds
from gantlet.tool import UserError

KEEP_ALIVE_SECONDS: Final = 60.0
"""How long an idle connection waits for the next step, while tools run."""
CLOSE_SECONDS: Final = 2.0
"""How long closing may take, when everything else is cancelled."""

#: Failures that the same request would meet again.
_LASTING = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.DecodingError)


class HttpResponse:
    """A response that httpx2 received."""

    def __init__(self, response: httpx2.Response, host: str) -> None:
        self.status: int = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.is_at_end = False  # httpx2 does not tell before it is asked for more
        self._host = host
        self._response = response
        self._inflate = encoding_of(response.headers)
        self._chunks: AsyncGenerator[bytes, None] = response.aiter_raw()

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the server asks us to wait before we try again."""
        return retry_after_seconds(self.headers, time.time())

    async def read(self, until: float = math.inf) -> bytes:
        """Return the next bytes of the body; nothing at its end.

        Raises:
            RequestError: The connection broke.
            LateError: Nothing came until that time of the event loop.
        """
        try:
            with _in_time(until):
                return await self._content()
        except httpx2.HTTPError as error:
            raise self._broke(_words(error), may_retry=not isinstance(error, _LASTING)) from error
        except ProtocolError as error:
            raise self._broke(str(error), may_retry=False) from error

    async def _content(self) -> bytes:
        """Return the next bytes of the body, decompressed where they are compressed."""
        inflate = self._inflate
        if inflate is None:
            return await anext(self._chunks, b"")
        content = b""
        if inflate.has_more:
            await checkpoint()  # nothing is waited for, and others are to have their turn
            content = inflate.feed()
        while not content:
            came = await anext(self._chunks, b"")
            if not came:
                break
            content = inflate.feed(came)
        if not (content or inflate.is_complete):
            raise ProtocolError("the compressed body ends in the middle")
        return content

    def _broke(self, why: str, *, may_retry: bool) -> RequestError:
        """Return the error for a body that did not come whole."""
        return RequestError(
            f"The connection to {self._host} broke during the reply: {why}. "
            "Send the request again.",
            ModelErrorKind.BROKEN_STREAM,
            may_retry=may_retry,
        )

    async def aclose(self) -> None:
        """Let go of the connection, even when cancelled."""
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._chunks.aclose()
            await self._response.aclose()


class HttpTransport:
    """One client for one endpoint. Redirects are not followed: they would take the key along."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._host = endpoint.host
        self._base_url = endpoint.base_url
        self._client = httpx2.AsyncClient(
            headers={"user-agent": endpoint.user_agent, "accept-encoding": ACCEPTED},
            verify=httpx2.create_ssl_context(),
            trust_env=not endpoint.is_local,  # no proxy for a server on this machine
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=endpoint.connect_timeout_seconds),
            limits=httpx2.Limits(
                max_connections=None,
                max_keepalive_connections=20,
                keepalive_expiry=KEEP_ALIVE_SECONDS,
            ),
        )

    async def post(
        self,
        path: str,
        headers: Mapping[str, str],
        parts: Sequence[bytes],
        until: float = math.inf,
    ) -> HttpResponse:
        """Send a request, its body in parts, and return the response once its headers have come.

        Raises:
            RequestError: There was no response.
            LateError: There was none until that time of the event loop.
            UserError: The address cannot be used.
        """
        try:
            request = self._client.build_request(
                "POST", self._base_url + path, headers=headers, content=b"".join(parts)
            )
            with _in_time(until):
                response = await self._client.send(request, stream=True)
        except httpx2.InvalidURL as error:
            raise UserError(
                f"The base URL for {self._host!r} cannot be used: {plain(str(error))}. "
                "Check ANTHROPIC_BASE_URL."
            ) from error
        except httpx2.HTTPError as error:
            raise RequestError(
                f"There was no response from {self._host}: {_words(error)}. "
                "Check the network and ANTHROPIC_BASE_URL.",
                ModelErrorKind.CONNECTION,
                may_retry=not isinstance(error, _LASTING),
            ) from error
        try:
            return HttpResponse(response, self._host)
        except EncodingError as error:
            with anyio.move_on_after(CLOSE_SECONDS, shield=True):
                await response.aclose()
            raise unasked_encoding(self._host, error) from error

    async def aclose(self) -> None:
        """Close each connection, even when cancelled."""
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._client.aclose()


@contextmanager
def _in_time(until: float) -> Iterator[None]:
    """Raise `LateError` if what is waited for meanwhile is not there in time."""
    with anyio.CancelScope(deadline=until) as scope:
        yield
    if scope.cancelled_caught:
        raise LateError


def _words(error: httpx2.HTTPError) -> str:
    """Return what httpx2 says about a failure, or at least its name."""
    return plain(str(error)).rstrip(".") or type(error).__name__
