"""Names of files as they are shown, and back: names are bytes, and not every byte is text."""

import os
import re

from gantlet.system.paths import MAX_PATH_CHARS, absolute

#: What cannot be shown: controls, ends of lines, bytes that are no UTF-8 (as Python decodes them).
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
#: How each of those is shown; two backslashes are one.
_SPELT = re.compile(
    r"\\(?:(?P<plain>[\\nrt])|x(?P<byte>[0-7][0-9a-f])|x(?P<lone>[89a-f][0-9a-f])"
    r"|u(?P<code>[0-9a-f]{4}))"
)
_LETTERS = {"\n": "n", "\r": "r", "\t": "t"}
_MEANT = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}


def shown_name(name: str) -> str:
    r"""Return a name, or a path, on one line and as text that can be sent.

    A byte that is no text is shown as `\xe9`. No other name is shown the same, and whoever is told
    it can hand it back: `meant_path` takes it.
    """
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    if "\\" in name and (_ODD.search(name) or _SPELT.search(name)):
        name = name.replace("\\", "\\\\")
    return _ODD.sub(_spelt, name)


def _spelt(found: re.Match[str]) -> str:
    """Return how a character is shown that cannot be shown."""
    char = found.group()
    if char in _LETTERS:
        return f"\\{_LETTERS[char]}"
    number = ord(char)
    if number < 0x80:
        return f"\\x{number:02x}"
    is_byte = 0xDC80 <= number <= 0xDCFF
    return f"\\x{number - 0xDC00:02x}" if is_byte else f"\\u{number:04x}"


def meant_name(shown: str) -> str:
    """Return the name that is shown like this, or the same text where none is."""
    if "\\" not in shown:
        return shown
    name = _SPELT.sub(_meant, shown)
    return name if shown_name(name) == shown else shown


def _meant(found: re.Match[str]) -> str:
    """Return the character that is spelt."""
    plain, byte, lone, code = found.group("plain", "byte", "lone", "code")
    if plain:
        return _MEANT[plain]
    return chr(int(byte or code, 16)) if lone is None else chr(0xDC00 + int(lone, 16))


def meant_path(path: str, cwd: str) -> str:
    """Return the path that is meant by one as it was shown, seen from `cwd`.

    A name that is spelt with backslashes means the file that is shown so, if it is there; else it
    is taken as it is written.
    """
    if "\\" not in path or len(path) > MAX_PATH_CHARS:
        return path
    names: list[str] = []
    for name in path.split("/"):
        meant = meant_name(name)
        is_other = meant != name and _is_there("/".join((*names, meant)), cwd)
        names.append(meant if is_other else name)
    return "/".join(names)


def _is_there(path: str, cwd: str) -> bool:
    """Return whether something has this name."""
    try:
        return os.path.lexists(absolute(path, cwd))
    except ValueError:
        return False
