"""The escapes of `$'…'`, decoded as bash does."""

import re

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip

_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})"
    r"|U([0-9a-fA-F]{1,8})|c(\\\\|.)|(.))",
    re.DOTALL,
)
_BODY = re.compile(r"[^'\\]*(?:\\.[^'\\]*)*'", re.DOTALL)


def find_end(source: str, start: int) -> int:
    """Return where the text after `$'` ends, behind its closing quote, or -1."""
    found = _BODY.match(source, start)
    return found.end() if found else -1


def decode(body: str) -> tuple[str, bool]:
    """Return the decoded text of `$'body'`, and whether that is surely what bash makes of it.

    Bytes that are no ASCII, a NUL and control letters are decoded as well as can be, unsurely.
    """
    is_sure = True

    def one(found: re.Match[str]) -> str:
        nonlocal is_sure
        simple, octal, hexadecimal, short, long, control, other = found.groups()
        if simple is not None:
            return _SIMPLE[simple]
        if other is not None:
            return found.group()
        if control is not None:
            is_sure = False
            return chr(ord(control[-1]) & 0x1F)
        digits, base = (octal, 8) if octal is not None else (hexadecimal or short or long, 16)
        number = int(digits, base)
        if octal is not None:
            number &= 0xFF
        is_byte = octal is not None or hexadecimal is not None
        if number == 0 or number > 0x10FFFF or (is_byte and number > 0x7F):
            is_sure = False
        if 0xD800 <= number <= 0xDFFF or number > 0x10FFFF:
            is_sure = False
            return "\ufffd"
        return chr(number) if number else ""

    return _ESCAPE.sub(one, body), is_sure
