"""Texts with places to fill in, such as `{{ result.1.text }}`, from what has happened."""

import re
from functools import lru_cache
from typing import TypeAlias

from gantlet.messages import JsonValue
from gantlet.messages.value import value
from gantlet.models.scripted.patterns import PatternError, compiled
from gantlet.models.scripted.scene import Scene, Seen

_PLACE = re.compile(r"\{\{(!?)(.*?)\}\}", re.DOTALL)
_NAME = re.compile(
    r"result\.(?P<result>[\w-]{1,200})\.(?P<field>text|tool|id|is_error)"
    r"|user\.(?:(?P<user>[1-9][0-9]{0,5})\.)?text"
    r"|number"
)
_KNOWN = "result.1.text, result.last.text, result.<call id>.text, user.text, user.1.text, number"


class TemplateError(ValueError):
    """A template cannot be read, or names something that has not happened."""


@value
class _Lookup:
    """A place to fill in."""

    name: re.Match[str]
    find: re.Pattern[str] | None

    @property
    def source(self) -> str:
        """The name as it was written."""
        return self.name.group()


_Template: TypeAlias = tuple[str | _Lookup, ...]


def check(text: str) -> None:
    """Say whether a text can be filled in.

    Raises:
        TemplateError: A name in it is not known, or what to find is no pattern.
    """
    _parsed(text)


def fill(text: str, scene: Scene, number: int = 1) -> str:
    """Return the text with what has happened filled in.

    Raises:
        TemplateError: What it names has not happened.
    """
    return "".join(
        part if isinstance(part, str) else _value(part, scene, number) for part in _parsed(text)
    )


def fill_all(value: JsonValue, scene: Scene, number: int = 1) -> JsonValue:
    """Return a JSON value with every text in it filled in; keys stay as they are.

    Raises:
        TemplateError: What one of them names has not happened.
    """
    if isinstance(value, str):
        return fill(value, scene, number)
    if isinstance(value, list):
        return [fill_all(child, scene, number) for child in value]
    if isinstance(value, dict):
        return {name: fill_all(child, scene, number) for name, child in value.items()}
    return value


@lru_cache(maxsize=1024)
def _parsed(text: str) -> _Template:
    """Return a text's parts. `{{! … }}` is not a place: it stands for `{{ … }}` itself."""
    parts: list[str | _Lookup] = []
    end = 0
    for match in _PLACE.finditer(text):
        parts.append(text[end : match.start()])
        literal, source = match.groups()
        parts.append("{{" + source + "}}" if literal else _lookup(source.strip()))
        end = match.end()
    return (*parts, text[end:])


def _lookup(source: str) -> _Lookup:
    """Return the place that is written as `source`."""
    written, _, wanted = source.partition("|")
    name = _NAME.fullmatch(written.strip())
    if name is None:
        raise TemplateError(f"{{{{ {source} }}}} is not known. Known are {_KNOWN}; or write {{{{!.")
    if not wanted:
        return _Lookup(name, None)
    verb, colon, pattern = wanted.partition(":")
    if verb.strip() != "find" or not colon:
        raise TemplateError(f"{{{{ {source} }}}}: after | comes `find: PATTERN`, nothing else.")
    try:
        return _Lookup(name, compiled(pattern.strip()))
    except PatternError as error:
        raise TemplateError(f"{{{{ {source} }}}}: {error}.") from error


def _value(place: _Lookup, scene: Scene, number: int) -> str:
    """Return what belongs into a place."""
    text = str(number) if place.source == "number" else _heard(place, scene)
    if place.find is None:
        return text
    match = place.find.search(text)
    if match is None:
        raise TemplateError(f"{{{{ {place.source} }}}} does not hold {place.find.pattern!r}.")
    return (match.group(1) if place.find.groups else match.group()) or ""


def _heard(place: _Lookup, scene: Scene) -> str:
    """Return the part of a result or of the user's text that a place names."""
    which = place.name["result"]
    if which is None:
        at = place.name["user"]
        text = scene.user_text(int(at) if at else None)
        if text is None:
            raise TemplateError(f"{{{{ {place.source} }}}}: the user has not said so much.")
        return text
    result = scene.result(which)
    if result is None:
        raise TemplateError(
            f"{{{{ {place.source} }}}}: there is no such result; there are {len(scene.results)}."
        )
    return _part(result, place.name["field"])


def _part(result: Seen, field: str) -> str:
    """Return one field of a result."""
    if field == "is_error":
        return "true" if result.is_error else "false"
    return {"text": result.text, "tool": result.tool, "id": result.id}[field]
