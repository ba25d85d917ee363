"""Commands in text whose structure is lost: one for every word at which one may begin."""

import re
from collections.abc import Iterator

from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.grammar.ansi_quotes import decode
from gantlet.shell.grammar.characters import without_suspects

WAY = "unread text"

_CONTINUED = re.compile(r"\\\r?\n")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_IFS = re.compile(r"\$IFS|\$\{IFS[^}]{0,64}\}")
_QUOTES = re.compile(r"[\"'\\]|\$[@*]|\$\{[@*]\}")
_SEPARATOR = re.compile(r"[;|&\n()`<>]|\$\(|\$\{")
_BREAKS = re.compile(r"[\s{},]+")
_MAX_WORDS = 32


def loose_commands(source: str, via: tuple[str, ...]) -> Iterator[SimpleCommand]:
    """Yield all that may be a command in a text, whatever its quotes and brackets mean."""
    seen: set[tuple[str, ...]] = set()
    for text in dict.fromkeys((without_suspects(source, " "), without_suspects(source, ""))):
        for words in _runs(_plain(text)):
            for start in range(len(words)):
                run = words[start : start + _MAX_WORDS]
                key = tuple(word.text for word in run)
                if key not in seen:
                    seen.add(key)
                    yield SimpleCommand(tuple(run), cwd=None, raw=" ".join(key), via=(*via, WAY))


def _plain(text: str) -> str:
    """Return text without quotes and escapes, as far as that can be done blindly."""
    text = _CONTINUED.sub("", text)
    text = _ANSI.sub(lambda found: decode(found.group(1))[0], text)
    return _QUOTES.sub("", _IFS.sub(" ", text))


def _runs(text: str) -> Iterator[list[Word]]:
    for piece in _SEPARATOR.split(text):
        words = [Word(token, is_literal=True, raw=token) for token in _BREAKS.split(piece) if token]
        if words:
            yield words
