"""Secrets in text: found by their value or by their shape, and masked."""

import re
from collections.abc import Mapping

from gantlet.messages import JsonValue
from gantlet.messages.value import lazy
from gantlet.system.secret_edges import REACH, Edges

MASK = "[masked]"
MIN_VALUE_CHARS = 8
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(?:_|$)"
    r"|_(?:PASS|PWD|PAT|JWT|AUTH|BEARER|COOKIE|CREDS?|CONNECTION_STRING)$|^SSHPASS$",
    re.IGNORECASE,
)
#: What the tokens of well-known services look like. Each is long enough to be no word.
_SHAPES = (
    r"sk-[A-Za-z0-9_-]{20,}",
    r"gh[opsur]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{22,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"hf_[A-Za-z0-9]{30,}",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
)
_TOKEN = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_SHAPES)})")
_PRIVATE_KEY = re.compile(r"-----BEGIN ([A-Z ]{0,40})PRIVATE KEY-----")
_URL_PASSWORD = re.compile(r"(?<=://)([^/\s:@]{1,256}):[^/\s:@]{1,256}(?=@)")


def is_secret_name(name: str) -> bool:
    """Return whether a variable of that name is taken to hold a secret."""
    return _SECRET_NAME.search(name) is not None


class Masker:
    """Masks the values of variables that are named like secrets, and whatever looks like a token.

    Values shorter than 8 characters are left alone: they are words as often as secrets. Which
    variables hold secrets is found out when the first text is masked.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)

    @lazy
    def _secrets(self) -> list[str]:
        """The values to mask, the longest first."""
        values = {
            value
            for name, value in self._variables.items()
            if len(value) >= MIN_VALUE_CHARS and is_secret_name(name)
        }
        return sorted(values, key=lambda value: (-len(value), value))

    @lazy
    def _edges(self) -> Edges:
        """What finds parts of them."""
        return Edges(self._secrets)

    @lazy
    def _values(self) -> "re.Pattern[str] | None":
        """What finds them; None where there are none."""
        return re.compile("|".join(map(re.escape, self._secrets))) if self._secrets else None

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        if self._values is not None:
            text = self._values.sub(MASK, text)
        if "PRIVATE KEY" in text:
            text = _without_private_keys(text)
        if "://" in text:
            text = _URL_PASSWORD.sub(rf"\1:{MASK}", text)
        return _TOKEN.sub(MASK, text)

    def settled(self, text: str, *, at_least: int = 1) -> int:
        """Return how much of a text can be masked for good, whatever follows it.

        A secret is taken to be begun if so many characters of it are there.
        """
        place = self._edges.begun(text, at_least)
        for pattern in (self._values, _TOKEN, _URL_PASSWORD):
            if pattern is not None and place < len(text):
                place = _outside(pattern, text, place)
        return self._edges.outside_keys(text, place)

    def ended(self, text: str) -> int:
        """Return how much of the beginning of a text may be the end of a secret before it."""
        return self._edges.ended(text)

    def value(self, value: JsonValue) -> JsonValue:
        """Return a JSON value in which no text, and no key, holds a secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(child) for child in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(child) for name, child in value.items()}
        return value


def _outside(pattern: "re.Pattern[str]", text: str, place: int) -> int:
    """Return a place that lies in no secret of that pattern: the given one, or its beginning."""
    for found in pattern.finditer(text, max(0, place - REACH)):
        if found.start() >= place:
            break
        if found.end() > place:
            return found.start()
    return place


def _without_private_keys(text: str) -> str:
    """Return a text without private keys; each part of it is looked at once."""
    parts: list[str] = []
    endless: set[str] = set()
    place = 0
    while (begin := _PRIVATE_KEY.search(text, place)) is not None:
        mark = f"-----END {begin[1]}PRIVATE KEY-----"
        end = -1 if mark in endless else text.find(mark, begin.end())
        if end < 0:
            endless.add(mark)
            parts.append(text[place : begin.end()])
            place = begin.end()
        else:
            parts.append(text[place : begin.start()] + MASK)
            place = end + len(mark)
    return "".join(parts) + text[place:] if parts else text
