"""The headers a user may add to each request, and the credentials that travel in one."""

import re
from typing import Final, TypeAlias

from gantlet.tool import UserError

Headers: TypeAlias = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?|")
_CREDENTIAL = re.compile(r"[\x21-\x7e]+")
_BETA = re.compile(r"[A-Za-z0-9._:-]+")

#: What frames a message or belongs to the connection; another value would break the request.
_OURS: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def headers_from_lines(lines: str, source: str) -> Headers:
    """Return the headers written one a line as "Name: value"; blank lines mean nothing.

    Raises:
        UserError: A line is no header.
    """
    return tuple(
        _header_from_line(line, f"line {number} of {source}")
        for number, line in enumerate(lines.splitlines(), start=1)
        if line.strip()
    )


def check_header(name: str, value: str, source: str) -> None:
    """Make sure that a header may be sent. The message never shows its value.

    Raises:
        UserError: It may not.
    """
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{source}: {name!r} is no name of a header. Use letters, digits and hyphens."
        )
    if name.lower() in _OURS:
        raise UserError(f"{source}: the header {name!r} is set by the connection. Remove it.")
    if not _VALUE.fullmatch(value):
        raise UserError(
            f"{source}: the value of the header {name!r} holds a character that a header cannot "
            "carry. Use printable ASCII."
        )


def check_credential(value: str | None, source: str) -> None:
    """Make sure that a key or token can travel in a header. The message never shows it.

    Raises:
        UserError: It cannot.
    """
    if value is not None and not _CREDENTIAL.fullmatch(value):
        raise UserError(
            f"{source} is empty or holds a space, a line break or another character that a key "
            "cannot have. Copy it again."
        )


def check_beta(name: str, source: str) -> None:
    """Make sure that the name of a beta can stand in a list of them.

    Raises:
        UserError: It cannot.
    """
    if not _BETA.fullmatch(name):
        raise UserError(f"{source}: {name!r} is no name of a beta. Separate the names by commas.")


def _header_from_line(line: str, source: str) -> tuple[str, str]:
    """Return the header that a line holds."""
    name, colon, value = line.partition(":")
    if not colon:
        raise UserError(f'{source} is no header. Write it as "Name: value".')
    header = (name.strip(), value.strip())
    check_header(*header, source)
    return header
