"""Environment variables, read into values; a mistake in one is named."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from gantlet.messages import JsonValue, loads
from gantlet.messages.value import value
from gantlet.models.messages_api.headers import Headers, headers_from_lines
from gantlet.tool import UserError

_Choice = TypeVar("_Choice", bound=StrEnum)


@value
class Variables:
    """What is set. An empty variable counts as unset, and space around a value as a mistake."""

    values: Mapping[str, str]

    def text(self, name: str) -> str | None:
        """Return the value without space around it, or nothing."""
        return self.values.get(name, "").strip() or None

    def names(self, name: str) -> tuple[str, ...]:
        """Return the names in a list with commas."""
        parts = (part.strip() for part in (self.text(name) or "").split(","))
        return tuple(part for part in parts if part)

    def headers(self, name: str) -> Headers:
        """Return headers, one a line.

        Raises:
            UserError: A line is none.
        """
        return headers_from_lines(self.values.get(name, ""), name)

    def choice(self, name: str, kind: type[_Choice], default: _Choice) -> _Choice:
        """Return one of a few words.

        Raises:
            UserError: It is another word.
        """
        value = self.text(name)
        try:
            return kind(value.lower()) if value else default
        except ValueError:
            raise UserError(f"{name} is {value!r}. Give one of: {', '.join(kind)}.") from None

    def count(self, name: str, default: int) -> int:
        """Return a number that is not negative.

        Raises:
            UserError: It is none.
        """
        value = self.text(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit() and len(value) < 16):
            raise UserError(f"{name} is {value[:40]!r}. Give a whole number, zero or more.")
        return int(value)

    def milliseconds(self, name: str, default: int) -> float:
        """Return a time in seconds from one in milliseconds.

        Raises:
            UserError: It is no number above zero.
        """
        count = self.count(name, default)
        if count == 0:
            raise UserError(f"{name} is 0. Give a number of milliseconds above zero.")
        return count / 1000

    def json_object(self, name: str) -> Mapping[str, JsonValue]:
        """Return the members of a JSON object.

        Raises:
            UserError: It is none. The message does not show it, for it may hold a secret.
        """
        value = self.text(name)
        try:
            parsed = loads(value) if value else {}
        except ValueError as error:
            raise UserError(f"{name} is not JSON: {error}.") from None
        if not isinstance(parsed, dict):
            raise UserError(f'{name} is no JSON object. Write it as {{"name": value}}.')
        return parsed
