"""Secrets that lie across the edge of a text: begun at its end, or ended at its beginning."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

#: How long a token is at most that is looked for across an edge.
REACH: Final = 4_096
#: How long a private key is at most that is waited for.
_KEY_REACH: Final = 16_384
#: How addresses with a password and private keys begin.
_OTHER_STARTS: Final = ("://", "-----BEGIN ")
#: How tokens begin.
_STARTS: Final = (
    *("sk-", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA"),
    *("ASIA", "AIza", "ya29.", "hf_", "npm_", "pypi-", "rk_live_", "rk_test_", "sk_live_"),
    *("sk_test_", "eyJ"),
)
#: A token, the password of an address, or the first line of a key that may go on.
_BEGUN_TOKEN = re.compile(
    rf"(?:(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, _STARTS))})[A-Za-z0-9_.-]*"
    r"|://[^/\s@]*|-----BEGIN [A-Z ]{0,60}-{0,5})\Z"
)
_KEY_BEGIN = re.compile(r"-----BEGIN ([A-Z ]{0,40})PRIVATE KEY-----")
_KEY_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY-----")


class Edges:
    """Finds the parts of secrets at the edges of texts."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = tuple(values)

    def begun(self, text: str, at_least: int) -> int:
        """Return where a secret begins of which the end of a text may be the beginning.

        So many characters of it are there at least. Without one, that is the text's length.
        """
        begun = (_begins_at(text, secret) for secret in (*self._values, *_STARTS, *_OTHER_STARTS))
        places = [len(text), *(place for place in begun if len(text) - place >= at_least)]
        token = _BEGUN_TOKEN.search(text, max(0, len(text) - REACH))
        if token is not None:
            places.append(token.start())
        if "PRIVATE KEY-----" in text:
            places += _open_keys(text)
        return min(places)

    def outside_keys(self, text: str, place: int) -> int:
        """Return a place that lies in no private key: the given one, or the key's beginning."""
        if place == len(text) or "PRIVATE KEY-----" not in text:
            return place
        for begin in _KEY_BEGIN.finditer(text, 0, place):
            mark = f"-----END {begin[1]}PRIVATE KEY-----"
            end = text.find(mark, begin.end())
            if end >= 0 and end + len(mark) > place:
                return begin.start()
        return place

    def ended(self, text: str) -> int:
        """Return how much of the beginning of a text may be the end of a secret before it."""
        most = max((_ends_at(text, secret) for secret in self._values), default=0)
        end = _KEY_END.search(text)
        if end is not None and _KEY_BEGIN.search(text, 0, end.start()) is None:
            return max(most, end.end())
        return most


def _begins_at(text: str, secret: str) -> int:
    """Return where the end of a text is the beginning of a secret; else the text's length."""
    place = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while place >= 0:
        if secret.startswith(text[place:]):
            return place
        place = text.find(secret[0], place + 1)
    return len(text)


def _ends_at(text: str, secret: str) -> int:
    """Return how much of the beginning of a text is the end of a secret."""
    for size in range(min(len(secret) - 1, len(text)), 0, -1):
        if secret.endswith(text[:size]):
            return size
    return 0


def _open_keys(text: str) -> Iterator[int]:
    """Yield where a private key begins whose end has not come yet."""
    for begin in _KEY_BEGIN.finditer(text, max(0, len(text) - _KEY_REACH)):
        if f"-----END {begin[1]}PRIVATE KEY-----" not in text[begin.end() :]:
            yield begin.start()
            return
