"""Read the fields of a JSON object one by one, keeping count of what is wrong with them."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias, TypeGuard, TypeVar

from gantlet.messages.value import value

KeyPath: TypeAlias = tuple[str | int, ...]
_E = TypeVar("_E", bound=StrEnum)


@value
class HookProblem:
    """Something in the `hooks` of a settings file that does not work.

    Attributes:
        path: The way to it from the value of `hooks`: `("PreToolUse", 0, "hooks", 1, "timeout")`.
        message: What is wrong, and what holds instead.
    """

    path: KeyPath
    message: str

    @property
    def key(self) -> str:
        """The way to it as a person writes it: `hooks.PreToolUse[0].hooks[1].timeout`."""
        return key_text(self.path)


def key_text(path: KeyPath) -> str:
    """Return a key path as a person writes it."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(("hooks", *parts))


class UnusableError(ValueError):
    """A handler cannot be used at all; `path` leads to the reason."""

    def __init__(self, path: KeyPath, message: str) -> None:
        super().__init__(message)
        self.path = path


class Fields:
    """The fields of one object. What is wrong but can be lived with is noted as a problem."""

    def __init__(self, raw: Mapping[str, object], path: KeyPath) -> None:
        self._raw = raw
        self.path = path
        self.problems: list[HookProblem] = []

    def get(self, name: str) -> object:
        """Return a field as it stands, or None."""
        return self._raw.get(name)

    def note(self, name: str, message: str) -> None:
        """Note that a field is wrong."""
        self.problems.append(HookProblem((*self.path, name), message))

    def needed_text(self, name: str) -> str:
        """Return a text without which there is nothing to do.

        Raises:
            UnusableError: It is missing, empty or no text.
        """
        found = self._raw.get(name)
        if not isinstance(found, str) or not found.strip():
            said = "is missing" if found is None else f"must be a text, not {_named(found)}"
            raise UnusableError((*self.path, name), f"{name!r} {said}. The handler is not used.")
        if "\0" in found:
            message = f"{name!r} holds a NUL character. The handler is not used."
            raise UnusableError((*self.path, name), message)
        return found

    def text(self, name: str) -> str:
        """Return a text, or an empty one."""
        found = self._raw.get(name)
        if found is None or isinstance(found, str):
            return found or ""
        self.note(name, f"{name!r} must be a text, not {_named(found)}; it is ignored.")
        return ""

    def flag(self, name: str) -> bool:
        """Return whether a switch is on; one that is no switch is off."""
        found = self._raw.get(name)
        if found is None or isinstance(found, bool):
            return bool(found)
        self.note(name, f"{name!r} must be true or false, not {_named(found)}; false holds.")
        return False

    def seconds(self, name: str) -> float | None:
        """Return a time in seconds, or None for the default."""
        found = self._raw.get(name)
        if found is None:
            return None
        is_truth = isinstance(found, bool)
        if isinstance(found, int | float) and not is_truth and 0 < found <= sys.float_info.max:
            return float(found)
        message = f"{name!r} must be a number of seconds above 0, not {_named(found)}"
        self.note(name, f"{message}; the default holds.")
        return None

    def choice(self, name: str, kind: type[_E], missing: _E, broken: _E) -> _E:
        """Return one of a few words; `broken` stands in for a word that is none of them."""
        found = self._raw.get(name)
        if found is None:
            return missing
        known = {str(one): one for one in kind}
        if isinstance(found, str) and found in known:
            return known[found]
        words = " or ".join(repr(word) for word in known)
        self.note(name, f"{name!r} must be {words}, not {_named(found)}; {str(broken)!r} holds.")
        return broken

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Return a list of texts, or None if there is none.

        Raises:
            UnusableError: It holds something else: what it should do cannot be guessed.
        """
        found = self._raw.get(name)
        if found is None:
            return None
        if is_list(found) and all(isinstance(one, str) and "\0" not in one for one in found):
            return tuple(str(one) for one in found)
        message = f"{name!r} must be a list of texts. The handler is not used."
        raise UnusableError((*self.path, name), message)

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return an object that holds texts, as pairs in order.

        Raises:
            UnusableError: It is something else.
        """
        found = self._raw.get(name)
        if found is None:
            return ()
        if isinstance(found, Mapping) and all(isinstance(one, str) for one in found.values()):
            return tuple((str(key), str(one)) for key, one in found.items())
        message = f"{name!r} must be an object that holds texts. The handler is not used."
        raise UnusableError((*self.path, name), message)


def is_list(found: object) -> TypeGuard[Sequence[object]]:
    """Return whether a value is a JSON array."""
    return isinstance(found, Sequence) and not isinstance(found, str | bytes)


def _named(found: object) -> str:
    """Return a value as a message shows it."""
    shown = repr(found)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
