"""Handlers that are addresses: the event is posted there."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from gantlet.hooks.handlers import Http
from gantlet.hooks.hearing import Heard, failed, hear_body
from gantlet.hooks.names import HookEvent
from gantlet.rules.globs import TextGlob

#: How much of an answer is read.
MAX_BYTES = 1_000_000
#: A small packed answer could be huge, so none is wanted.
_OURS = {"content-type": "application/json", "accept-encoding": "identity"}
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
#: What programs read differently: one takes it for a part of the host, another for its end.
_STRANGE = re.compile(r"[\\\s\x00-\x1f\x7f]")
_LINE_END = re.compile(r"[\r\n\0]")


def why_not(url: str, allowed: Sequence[str] | None) -> str:
    """Return why an address may not be posted to, or nothing if it may.

    Without a list, https goes anywhere and http only to this machine. A list holds patterns with
    `*`, and nothing else may be posted to.
    """
    try:
        parts = urlsplit(url)
        given = _address(parts)
    except ValueError:
        return "its address makes no sense"
    if _STRANGE.search(url):
        return "its address holds what no address holds"
    if parts.username is not None or parts.password is not None:
        return "its address holds a password; use a header and a variable"
    if allowed is not None:
        fits = any(_fits(pattern, given) for pattern in allowed)
        return "" if fits else "its address is not in allowedHttpHookUrls"
    if parts.scheme == "https" or is_loopback(parts.hostname or ""):
        return ""
    return "plain http goes to this machine only; use https, or list it in allowedHttpHookUrls"


def _fits(pattern: str, given: tuple[str, str, str]) -> bool:
    """Return whether an address fits a pattern. A star in the host stands for no path."""
    scheme, _, rest = pattern.partition("://")
    host, slash, path = rest.partition("/")
    scheme, host = scheme.lower(), host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, " "))
    wanted = (scheme, host, f"{slash}{path}" or "/")
    return all(TextGlob(one).matches(other) for one, other in zip(wanted, given, strict=True))


def _address(parts: SplitResult) -> tuple[str, str, str]:
    """Return scheme, host with port, and path of an address, as whoever connects reads it.

    Raises:
        ValueError: Its port is none.
    """
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port is None else f":{parts.port}"
    if port == _DEFAULT_PORTS.get(parts.scheme):
        port = ""
    path = parts.path or "/"
    return parts.scheme, host + port, f"{path}?{parts.query}" if parts.query else path


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def filled_headers(
    work: Http, variables: Mapping[str, str], allowed: Sequence[str] | None
) -> dict[str, str]:
    """Return the headers with `$NAME` filled in; a variable that is not allowed is empty."""
    names = set(work.variables) if allowed is None else set(work.variables) & set(allowed)

    def fill(found: re.Match[str]) -> str:
        name = found.group(1) or found.group(2)
        return variables.get(name, "") if name in names else ""

    return {
        name: _LINE_END.sub("", _VARIABLE.sub(fill, text)).strip() for name, text in work.headers
    }


async def post(event: HookEvent, url: str, headers: Mapping[str, str], body: bytes) -> Heard:
    """Post an event and return what was answered. Redirects are not followed."""
    import httpx2  # noqa: PLC0415 - heavy, and only for those who have such a hook

    try:
        async with (
            httpx2.AsyncClient(
                trust_env=not is_loopback(urlsplit(url).hostname or ""),
                follow_redirects=False,
                timeout=None,  # the handler's own deadline holds
            ) as client,
            client.stream("POST", url, headers={**headers, **_OURS}, content=body) as response,
        ):
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                return failed("It answered with packed bytes, which nobody asked for.")
            answer = await _read(response)
            status = response.status_code
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        return failed(f"There was no answer: {str(error) or type(error).__name__}.")
    if answer is None:
        return failed(f"It answered with more than {MAX_BYTES:,} bytes.")
    if not 200 <= status < 300:
        return failed(f"It answered with status {status}.")
    return hear_body(event, answer.decode("utf-8", "replace"))


async def _read(response: Any) -> bytes | None:  # noqa: ANN401 - of a library that is not imported yet
    """Return a body, or None if it is too long."""
    parts: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        size += len(chunk)
        if size > MAX_BYTES:
            return None
        parts.append(chunk)
    return b"".join(parts)
