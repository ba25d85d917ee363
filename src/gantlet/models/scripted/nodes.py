"""YAML as items that know where they stand, so that every complaint names file, line and key."""

import difflib
import math
import re
import reprlib
from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias, TypeVar

import yaml

from gantlet.messages import JsonValue
from gantlet.messages.value import value
from gantlet.tool import UserError

MAX_BYTES = 1_000_000
MAX_ITEMS = 100_000
MAX_DEPTH = 64
_MAX_DIGITS = 300
_TAG = "tag:yaml.org,2002:"
_T = TypeVar("_T")
_Default = TypeVar("_Default")


class _JsonLikeLoader(yaml.SafeLoader):
    """Reads YAML with the scalars of JSON only: `no`, `on`, dates and `1:30` stay text."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML keeps them so, and fills them below


for _name, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _JsonLikeLoader.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern})\Z"), _first)

Content: TypeAlias = "str | int | float | bool | tuple[Item, ...] | dict[str, Item] | None"


@value
class Item:
    """One value of a file; `key` is the way to it, such as `replies.2.say.1.text`."""

    content: Content
    file: str
    line: int
    key: str

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    def refusal(self, complaint: str) -> UserError:
        """Return a complaint about this value, to be raised."""
        return UserError(": ".join(filter(None, [self.where, self.key, complaint])))

    def plain(self) -> JsonValue:
        """Return the value without its places."""
        if isinstance(self.content, tuple):
            return [child.plain() for child in self.content]
        if isinstance(self.content, dict):
            return {name: child.plain() for name, child in self.content.items()}
        return self.content

    def shown(self) -> str:
        """Return the value as a complaint should quote it."""
        return reprlib.repr(self.plain())


def parse(text: str, file: str) -> Item:
    """Return the one document of a YAML or JSON text.

    Raises:
        UserError: It cannot be read, or is too large to be.
    """
    if text.lstrip()[:1] in ("{", "["):
        text = text.replace("\t", " ")  # white space in JSON, which never stands in its strings
    loader: _JsonLikeLoader | None = None
    try:
        loader = _JsonLikeLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise UserError(f"{file}:1: the file is empty. Write a list of replies.")
        return _Converter(file).convert(root, "", 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise UserError(f"{file}:{line}: this is not YAML: {error.problem}.") from error
    except yaml.YAMLError as error:
        problem = str(error).partition("\n")[0]
        raise UserError(f"{file}:1: this is not YAML: {problem}.") from error
    except RecursionError:
        raise UserError(f"{file}:1: the file nests too deeply. Flatten it.") from None
    finally:
        if loader is not None:
            loader.dispose()


class _Converter:
    """Turns nodes into items, no more and no deeper than a script can need."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0

    def convert(self, node: yaml.Node, key: str, depth: int) -> Item:
        """Return a node and all below it; an alias counts each time it is used."""
        here = Item(None, self._file, node.start_mark.line + 1, key)
        self._count += 1
        if self._count > MAX_ITEMS or depth > MAX_DEPTH:
            raise here.refusal(
                f"a script has at most {MAX_ITEMS} values, {MAX_DEPTH} deep. Shorten it, or use "
                "`repeat`; an alias must not contain itself."
            )
        return Item(self._content(node, here, depth), here.file, here.line, key)

    def _content(self, node: yaml.Node, here: Item, depth: int) -> Content:
        """Return what a node holds."""
        kind = str(node.tag).removeprefix(_TAG)
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return self._members(node, here, depth)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return tuple(
                self.convert(child, _below(here.key, str(at)), depth + 1)
                for at, child in enumerate(node.value, start=1)
            )
        if isinstance(node, yaml.ScalarNode) and kind in _SCALARS:
            try:
                return _SCALARS[kind](str(node.value))
            except (ValueError, KeyError):
                shown = reprlib.repr(node.value)
                raise here.refusal(f"{shown} cannot be read as {_NAMES[kind]}.") from None
        raise here.refusal(f"the tag {node.tag!r} is not allowed. Write plain values.")

    def _members(self, node: yaml.MappingNode, here: Item, depth: int) -> dict[str, Item]:
        """Return the members of a mapping."""
        members: dict[str, Item] = {}
        for key_node, child in node.value:
            name = self.convert(key_node, here.key, depth + 1)
            if not isinstance(name.content, str):
                raise name.refusal(f"a key is a text, not {name.shown()}. Put it in quotes.")
            if name.content in members:
                raise name.refusal(f"the key {name.content!r} stands here twice. Remove one.")
            members[name.content] = self.convert(child, _below(here.key, name.content), depth + 1)
        return members


def _below(key: str, name: str) -> str:
    """Return the way to a member."""
    return f"{key}.{name}" if key else name


def _text(source: str) -> str:
    """Return a text; two escaped surrogates that form a pair, as JSON has them, become one."""
    return source.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _whole(source: str) -> int:
    """Return a whole number of reasonable length."""
    if len(source) > _MAX_DIGITS:
        raise ValueError(source)
    return int(source)


def _float(source: str) -> float:
    """Return a number that JSON has too."""
    number = float(source)
    if not math.isfinite(number):
        raise ValueError(source)
    return number


_SCALARS: dict[str, Callable[[str], Content]] = {
    "str": _text,
    "int": _whole,
    "float": _float,
    "bool": {"true": True, "false": False}.__getitem__,
    "null": lambda source: None,
}


_NAMES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}


class Fields:
    """The members of a mapping, of which none may be unknown."""

    def __init__(self, item: Item, known: Collection[str]) -> None:
        if not isinstance(item.content, dict):
            raise item.refusal(
                f"a mapping with {_listed(known)} is needed here, not {item.shown()}."
            )
        self.item = item
        self._members: Mapping[str, Item] = item.content
        for name, member in self._members.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else f" Known are {_listed(known)}."
                raise member.refusal(f"the key {name!r} is not known here.{hint}")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> Item:
        if name not in self._members:
            raise self.item.refusal(f"the key {name!r} is missing.")
        return self._members[name]

    def take(self, name: str, read: Callable[[Item], _T], default: _Default) -> _T | _Default:
        """Return a member read, or the default if it is absent."""
        return read(self._members[name]) if name in self._members else default


def _listed(names: Collection[str]) -> str:
    """Return names as a sentence has them."""
    return ", ".join(repr(name) for name in names)
