"""The first lines that a program sends to a proxy, read strictly: what is unclear is refused."""

import re

from gantlet.messages.value import value

#: How long the head of a request may be.
MAX_HEAD_BYTES = 65_536
_LINE = re.compile(r"([A-Z]{1,20}) (\S{1,8000}) HTTP/1\.[01]")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_.-]{1,253})(?::([0-9]{1,5}))?")
_OURS = frozenset({"host", "connection", "proxy-connection", "keep-alive", "upgrade"})
_PLAIN_PORT = 80
_MAX_PORT = 65_535


class BadRequestError(Exception):
    """A request that two readers could read differently."""


@value
class ProxyRequest:
    """What a program wants of the proxy.

    Attributes:
        host: The host, lower-case, without a final dot; an IPv6 address without its brackets.
        port: The port.
        head: What is sent on before anything else; empty for a tunnel.
        body_bytes: How much of the request follows its head; None for a tunnel.
    """

    host: str
    port: int
    head: bytes = b""
    body_bytes: int | None = None


def read_request(head: bytes) -> ProxyRequest:
    """Return what a request's head asks for.

    Raises:
        BadRequestError: It is not one that we can pass on safely.
    """
    try:
        lines = head.decode("ascii").split("\r\n")
    except UnicodeDecodeError as error:
        raise BadRequestError("The request has characters that are not ASCII.") from error
    first = _LINE.fullmatch(lines[0])
    if first is None:
        raise BadRequestError("The first line is not one of HTTP/1.1.")
    headers = [_read_header(line) for line in lines[1:] if line]
    method, target = first.groups()
    if method == "CONNECT":
        host, port = _read_authority(target, None)
        return ProxyRequest(host, port)
    return _plain(method, target, headers)


def _plain(method: str, target: str, headers: list[tuple[str, str]]) -> ProxyRequest:
    """Return a request that is passed on in the form that servers expect, and only once."""
    scheme, _, rest = target.partition("://")
    if scheme.lower() != "http":
        raise BadRequestError("Only http:// addresses and CONNECT are understood.")
    authority, slash, path = rest.partition("/")
    host, port = _read_authority(authority, _PLAIN_PORT)
    named = {name.lower() for name, _ in headers}
    if "transfer-encoding" in named:
        raise BadRequestError("A body must say its length: send Content-Length.")
    kept = [
        f"{name}: {text}"
        for name, text in headers
        if name.lower() not in _OURS and not name.lower().startswith("proxy-")
    ]
    shown = f"[{host}]" if ":" in host else host
    lines = [
        f"{method} /{path if slash else ''} HTTP/1.1",
        f"Host: {shown}" if port == _PLAIN_PORT else f"Host: {shown}:{port}",
        *kept,
        "Connection: close",
        "\r\n",
    ]
    return ProxyRequest(host, port, "\r\n".join(lines).encode("ascii"), _body_bytes(headers))


def _body_bytes(headers: list[tuple[str, str]]) -> int:
    """Return how long the body is."""
    stated = {text.strip() for name, text in headers if name.lower() == "content-length"}
    if not stated:
        return 0
    length = stated.pop()
    if stated or not length.isdecimal() or len(length) > 15:
        raise BadRequestError("The length of the body is not clear.")
    return int(length)


def _read_header(line: str) -> tuple[str, str]:
    """Return a header's name and text."""
    found = _HEADER.fullmatch(line)
    if found is None:
        raise BadRequestError("A header is not well formed.")
    return found[1], found[2]


def _read_authority(text: str, port: int | None) -> tuple[str, int]:
    """Return a host and a port."""
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        raise BadRequestError("The host is not a plain host name.")
    stated = int(found[2]) if found[2] else port
    if stated is None or not 0 < stated <= _MAX_PORT:
        raise BadRequestError("The port is missing or no port.")
    return found[1].strip("[]").lower().removesuffix("."), stated
