"""What commands with literal words print, for shells that read it."""

import base64
import binascii
import re
from collections.abc import Sequence

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.syntax import Simple

_ECHO_OPTION = re.compile(r"-[neE]+")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\r": " ", "\\x20": " ", "\\040": " "}
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{1,2})|\\0?([0-7]{1,3})|\\[nt\\r]")
_FORMAT = re.compile(r"%[-+ #0]{0,8}[0-9.*]{0,8}[bcdiqsuxX]|%%")


def spoken(command: Simple, stdin: Sequence[str] = ()) -> list[str]:
    """Return the texts a command may print: its words, its here-documents, what it was fed."""
    words = [node.word for node in command.words]
    name = words[0].text.rpartition("/")[2] if words else ""
    if name == "echo":
        return _echo(words[1:])
    if name == "printf":
        return _printf(words[1:])
    fed = [node.target.word.text for node in command.redirects if node.operator.startswith("<<")]
    texts = [*fed, *stdin]
    if name == "rev":
        return ["\n".join(line[::-1] for line in text.split("\n")) for text in texts]
    if name in ("base64", "base32", "xxd"):
        return [decoded for text in texts if (decoded := _decode(name, text))]
    return texts


def _echo(words: Sequence[Word]) -> list[str]:
    texts = [word.text for word in words]
    while texts and _ECHO_OPTION.fullmatch(texts[0]):
        texts.pop(0)
    plain = " ".join(texts)
    return list(dict.fromkeys((plain, _unescape(plain))))


def _printf(words: Sequence[Word]) -> list[str]:
    texts = [word.text for word in words]
    if texts and texts[0] == "--":
        texts.pop(0)
    if not texts:
        return []
    form, *values = texts
    filled = list(values)
    said = _FORMAT.sub(lambda found: filled.pop(0) if filled else "", form)
    return list(
        dict.fromkeys((_unescape(said), " ".join(values), "\n".join(values), "".join(values)))
    )


def _unescape(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        hexadecimal, octal = found.groups()
        if hexadecimal:
            return chr(int(hexadecimal, 16))
        if octal:
            return chr(int(octal, 8) & 0xFF)
        return _ESCAPES[found.group()]

    return _ESCAPE.sub(one, text)


def _decode(name: str, text: str) -> str:
    """Return what a text encodes, or nothing if it does not."""
    packed = "".join(text.split())
    try:
        if name == "xxd":
            raw = binascii.unhexlify(packed)
        elif name == "base32":
            raw = base64.b32decode(packed)
        else:
            raw = base64.b64decode(packed, validate=False)
    except (ValueError, binascii.Error):
        return ""
    return raw.decode("utf-8", errors="replace")
