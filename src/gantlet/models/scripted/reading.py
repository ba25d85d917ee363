"""Typed values out of the items of a script file."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from gantlet.messages import FrozenDict, freeze
from gantlet.models.scripted import templates
from gantlet.models.scripted.nodes import Item
from gantlet.models.scripted.patterns import PatternError, compiled

MAX_SECONDS = 86_400.0
MAX_COUNT = 100_000
_T = TypeVar("_T")
_Choice = TypeVar("_Choice", bound=StrEnum)


def text(item: Item) -> str:
    """Return a text that is not filled in."""
    if not isinstance(item.content, str):
        raise item.refusal(f"a text is needed, not {item.shown()}. Put it in quotes.")
    return item.content


def template(item: Item) -> str:
    """Return a text in which names may stand to be filled in."""
    source = text(item)
    try:
        templates.check(source)
    except templates.TemplateError as error:
        raise item.refusal(str(error)) from error
    return source


def flag(item: Item) -> bool:
    """Return true or false."""
    if not isinstance(item.content, bool):
        raise item.refusal(f"true or false is needed, not {item.shown()}.")
    return item.content


def true(item: Item) -> None:
    """Accept nothing but true."""
    if not flag(item):
        raise item.refusal("only true makes sense here. Leave the key out otherwise.")


def seconds(item: Item) -> float:
    """Return a number of seconds."""
    content = item.content
    is_truth = isinstance(content, bool)
    if isinstance(content, int | float) and not is_truth and 0 <= content <= MAX_SECONDS:
        return float(content)
    raise item.refusal(f"seconds from 0 to {MAX_SECONDS:.0f} are needed, not {item.shown()}.")


def seconds_or_forever(item: Item) -> float | None:
    """Return a number of seconds, or None for ever."""
    return None if item.content == "forever" else seconds(item)


def count(item: Item, lowest: int = 1, highest: int = MAX_COUNT) -> int:
    """Return a whole number within its bounds."""
    content = item.content
    if not isinstance(content, int) or isinstance(content, bool):
        raise item.refusal(f"a whole number is needed, not {item.shown()}.")
    if not lowest <= content <= highest:
        raise item.refusal(
            f"a whole number from {lowest} to {highest} is needed, not {item.shown()}."
        )
    return content


def tokens(item: Item) -> int:
    """Return a number of tokens."""
    return count(item, lowest=0, highest=10**9)


def mapping(item: Item) -> FrozenDict:
    """Return a JSON object; the texts in it may have names to be filled in."""
    if not isinstance(item.content, dict):
        raise item.refusal(f"a mapping is needed, not {item.shown()}.")
    _check_templates(item)
    return freeze({name: child.plain() for name, child in item.content.items()})


def typed_mapping(item: Item) -> FrozenDict:
    """Return a JSON object that has a `type`, as blocks and events do."""
    value = mapping(item)
    if not isinstance(value.get("type"), str):
        raise item.refusal("a `type` is needed in it, and it is a text.")
    return value


def pattern(item: Item) -> re.Pattern[str]:
    """Return a regular expression."""
    try:
        return compiled(text(item))
    except PatternError as error:
        raise item.refusal(f"this is {error}.") from error


def choice(names: type[_Choice]) -> Callable[[Item], _Choice]:
    """Return what reads one of a few words."""

    def read(item: Item) -> _Choice:
        if item.content not in list(names):
            raise item.refusal(f"one of {', '.join(names)} is needed, not {item.shown()}.")
        return names(item.content)

    return read


def items(item: Item) -> tuple[Item, ...]:
    """Return the items of a list that is not empty."""
    if not isinstance(item.content, tuple) or not item.content:
        raise item.refusal(f"a list with something in it is needed, not {item.shown()}.")
    return item.content


def one_or_more(item: Item, read: Callable[[Item], _T]) -> tuple[_T, ...]:
    """Return what a list holds, or the one thing that stands in its place."""
    several = items(item) if isinstance(item.content, tuple) else (item,)
    return tuple(read(one) for one in several)


def _check_templates(item: Item) -> None:
    """Refuse a text below that cannot be filled in."""
    if isinstance(item.content, str):
        template(item)
    elif isinstance(item.content, tuple):
        for child in item.content:
            _check_templates(child)
    elif isinstance(item.content, dict):
        for child in item.content.values():
            _check_templates(child)
