"""Foreign values in words: short, on one line, and without anything a terminal would obey."""

from collections.abc import Iterable, Mapping

_MAX_VALUE_CHARS = 60

_KINDS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean",
    "dict": "object", "FrozenDict": "object", "list": "array", "FrozenList": "array",
    "tuple": "array",
    "NoneType": "null",
}  # fmt: skip
#: Not printable by themselves, yet part of how words and emoji are written.
_JOINERS = "\u200c\u200d"


def cut(text: str, limit: int = _MAX_VALUE_CHARS) -> str:
    """Return `text` on one line, what cannot be printed escaped, shortened to `limit` characters.

    No control character, direction mark or lone surrogate gets through.
    """
    flat = " ".join(text[: limit * 4].split())
    if not flat.isprintable():
        flat = "".join(map(_printable, flat))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _printable(character: str) -> str:
    """Return a character as it is if it may be shown, else as Python would write it."""
    if character.isprintable() or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def kind_of(value: object) -> str:
    """Return what JSON calls a value of this type."""
    name = type(value).__name__
    return _KINDS.get(name, "object" if isinstance(value, Mapping) else name)


def shown(value: object) -> str:
    """Return a value's kind and its beginning, on one line."""
    kind = kind_of(value)
    if value is None or isinstance(value, Mapping | list | tuple):
        return kind
    return f"{kind} {quoted(value)}"


def quoted(value: object, limit: int = _MAX_VALUE_CHARS) -> str:
    """Return the beginning of what Python shows for a value, whatever it does when asked."""
    if isinstance(value, str):
        value = value[: limit + 1]  # the rest would be cut anyway
    try:
        return cut(repr(value), limit)
    except Exception:  # noqa: BLE001 - a foreign value's failure becomes a value here
        return "that cannot be shown"


def told(error: BaseException, limit: int = 300) -> str:
    """Return what an exception says, whatever it does when asked; its name if it says nothing."""
    try:
        text = cut(str(error), limit)
    except Exception:  # noqa: BLE001 - a foreign exception's failure becomes a value here
        text = ""
    return text or type(error).__name__


def dotted(where: Iterable[str | int]) -> str:
    """Return a path like `edits[0].text`."""
    path = ""
    for step in where:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{cut(step)}" if path else cut(step)
    return cut(path, 200)
