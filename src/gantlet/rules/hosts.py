"""Which hosts a rule means, and which host a URL really leads to."""

import re
from urllib.parse import urlsplit

from gantlet.messages.value import value
from gantlet.rules.globs import TextGlob

_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_LABEL_PATTERN = re.compile(r"[a-z0-9_*-]{1,63}")
_ADDRESS = re.compile(r"\[[0-9a-f:.]+\]")
_MAX_HOST_CHARS = 253


def host_of(url: str) -> str | None:
    """Return the host a URL leads to, lower-case and without a trailing dot.

    None for whatever two readers could read differently: other schemes, user names, blanks,
    control characters, backslashes, escapes in the host, names that are no host names.
    """
    if any(char <= " " or char in "\\\x7f" or char.isspace() for char in url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or port == 0:
        return None
    return plain_host(parts.netloc.removesuffix(f":{port}") if port else parts.netloc)


def plain_host(text: str) -> str | None:
    """Return a host's name in its one plain form, or None if it is no host's name."""
    name = text.lower().removesuffix(".")
    if _ADDRESS.fullmatch(name):
        return name
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    if not name or len(name) > _MAX_HOST_CHARS:
        return None
    return name if all(_LABEL.fullmatch(label) for label in name.split(".")) else None


@value
class HostPattern:
    """`example.com`, `*.example.com` (below it, at any depth), `api-*.example.com`, `*`."""

    text: str
    labels: tuple[str, ...]

    def matches(self, host: str, *, forbids: bool) -> bool:
        """Return whether the host is meant; a rule that forbids means what lies below it too."""
        if self.labels == ("*",):
            return True
        labels = tuple(host.split("."))
        own = self.labels
        if own[0] == "*":
            own = own[1:]
            return len(labels) > len(own) and _fit(own, labels[-len(own) :])
        if forbids and len(labels) > len(own):
            labels = labels[-len(own) :]
        return len(labels) == len(own) and _fit(own, labels)


def read_host_pattern(text: str) -> HostPattern | None:
    """Return what stands behind `domain:`, or None if it can be no host."""
    name = text.strip().lower().removesuffix(".")
    if "*" not in name:
        plain = plain_host(name)
        return None if plain is None else HostPattern(text, tuple(plain.split(".")))
    labels = tuple(name.split("."))
    if not all(_LABEL_PATTERN.fullmatch(label) for label in labels):
        return None
    return HostPattern(text, labels)


def _fit(patterns: tuple[str, ...], labels: tuple[str, ...]) -> bool:
    """Return whether each label fits its pattern; a star does not cross a dot."""
    return all(
        TextGlob(pattern).matches(label) for pattern, label in zip(patterns, labels, strict=True)
    )
