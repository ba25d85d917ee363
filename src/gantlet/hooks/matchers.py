"""Which of an event's occurrences a group of hooks is for."""

import re
from collections.abc import Iterable
from functools import lru_cache

from gantlet.messages.value import value
from gantlet.rules import canonical
from gantlet.tool.pattern_cost import may_take_for_ever

_PLAIN = re.compile(r"[A-Za-z0-9_\-\s,|]*")
_SEPARATOR = re.compile(r"[|,]")
#: A named group as JavaScript writes it.
_NAMED_GROUP = re.compile(r"(?<!\\)\(\?<(?![=!])")
_EVERYTHING = frozenset({"", "*"})
MAX_CHARS = 2_000
#: No more of a name is looked at; no tool that a model can call has a longer one.
MAX_SUBJECT = 128


class BadMatcherError(ValueError):
    """A matcher is no pattern."""


@value
class Matcher:
    """A matcher as it was written: everything, a list of names, or a regular expression.

    Only letters, digits, `_`, `-`, spaces, `,` and `|` make a list of exact names. Anything else
    is a regular expression that may match anywhere. Case counts.

    Raises:
        BadMatcherError: It is no regular expression, or one that may take for ever.
    """

    text: str = ""

    def __post_init__(self) -> None:
        if len(self.text) > MAX_CHARS:
            raise BadMatcherError(f"it is longer than {MAX_CHARS:,} characters")
        if not self.is_everything and not _PLAIN.fullmatch(self.text):
            _compiled(self.text)
            if may_take_for_ever(self.text):
                raise BadMatcherError(
                    "it may take for ever: let no repeat hold a repeat or a choice, and few follow"
                    " each other"
                )

    @property
    def is_everything(self) -> bool:
        """Whether every occurrence is meant."""
        return self.text in _EVERYTHING

    def matches(self, subjects: Iterable[str]) -> bool:
        """Return whether one of the names of what happened is meant."""
        if self.is_everything:
            return True
        if _PLAIN.fullmatch(self.text):
            names = _names(self.text)
            return any(subject in names for subject in subjects)
        pattern = _compiled(self.text)
        return any(pattern.search(subject[:MAX_SUBJECT]) for subject in subjects)


EVERYTHING = Matcher()


@lru_cache(maxsize=512)
def _names(text: str) -> frozenset[str]:
    """Return the names in a list, and what those of old are called now."""
    written = {part.strip() for part in _SEPARATOR.split(text)} - {""}
    return frozenset(written | {canonical(name) for name in written})


def _compiled(text: str) -> re.Pattern[str]:
    """Return the regular expression; `re` keeps those it has seen.

    Raises:
        BadMatcherError: It is none.
    """
    try:
        return re.compile(_NAMED_GROUP.sub("(?P<", text))
    except (re.error, RecursionError, OverflowError) as error:
        raise BadMatcherError(f"it is no regular expression: {error}") from error
