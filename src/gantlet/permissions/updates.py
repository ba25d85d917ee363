"""Changes of a permission context, as programs send them and as a person's answer makes them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias, TypeVar

from gantlet.messages import Behaviour, JsonValue
from gantlet.messages.value import value
from gantlet.permissions.modes import read_mode
from gantlet.rules import SourceKind
from gantlet.tool import Mode, UserError


class Destination(StrEnum):
    """Where a change is kept."""

    USER = "userSettings"
    PROJECT = "projectSettings"
    LOCAL = "localSettings"
    SESSION = "session"
    COMMAND_LINE = "cliArg"

    @property
    def kind(self) -> SourceKind:
        """The source whose rules change."""
        return _KINDS[self]

    @property
    def is_saved(self) -> bool:
        """Whether the change outlives the session."""
        return self in {Destination.USER, Destination.PROJECT, Destination.LOCAL}


_KINDS = {
    Destination.USER: SourceKind.USER,
    Destination.PROJECT: SourceKind.PROJECT,
    Destination.LOCAL: SourceKind.LOCAL,
    Destination.SESSION: SourceKind.SESSION,
    Destination.COMMAND_LINE: SourceKind.COMMAND_LINE,
}


@value
class AddRules:
    """More rules."""

    rules: tuple[str, ...]
    behaviour: Behaviour
    destination: Destination


@value
class ReplaceRules:
    """These rules instead of all that the destination has of this behaviour."""

    rules: tuple[str, ...]
    behaviour: Behaviour
    destination: Destination


@value
class RemoveRules:
    """Fewer rules: those with exactly these texts."""

    rules: tuple[str, ...]
    behaviour: Behaviour
    destination: Destination


@value
class SetMode:
    """Another mode."""

    mode: Mode
    destination: Destination = Destination.SESSION


@value
class AddDirectories:
    """More working directories."""

    directories: tuple[str, ...]
    destination: Destination = Destination.SESSION


@value
class RemoveDirectories:
    """Fewer working directories."""

    directories: tuple[str, ...]
    destination: Destination = Destination.SESSION


RuleUpdate: TypeAlias = AddRules | ReplaceRules | RemoveRules
Update: TypeAlias = RuleUpdate | SetMode | AddDirectories | RemoveDirectories

_RULE_UPDATES: Mapping[str, type[AddRules] | type[ReplaceRules] | type[RemoveRules]] = {
    "addRules": AddRules,
    "replaceRules": ReplaceRules,
    "removeRules": RemoveRules,
}
_DIRECTORY_UPDATES: Mapping[str, type[AddDirectories] | type[RemoveDirectories]] = {
    "addDirectories": AddDirectories,
    "removeDirectories": RemoveDirectories,
}
_TYPES = {made: name for name, made in (*_RULE_UPDATES.items(), *_DIRECTORY_UPDATES.items())}


def read_update(wire: Mapping[str, object]) -> Update:
    """Return the change a program sent.

    Raises:
        UserError: It is no change; the message names what is wrong.
    """
    kind = wire.get("type")
    destination = _one_of(Destination, wire, "destination")
    if isinstance(kind, str) and kind in _RULE_UPDATES:
        behaviour = _one_of(Behaviour, wire, "behavior")
        rules = tuple(_rule_text(rule) for rule in _list(wire, "rules"))
        return _RULE_UPDATES[kind](rules, behaviour, destination)
    if isinstance(kind, str) and kind in _DIRECTORY_UPDATES:
        directories = tuple(_text(path, "directories") for path in _list(wire, "directories"))
        return _DIRECTORY_UPDATES[kind](directories, destination)
    if kind == "setMode":
        mode = read_mode(_text(wire.get("mode"), "mode"))
        if mode is None:
            raise UserError(f"There is no permission mode {wire.get('mode')!r}.")
        return SetMode(mode, destination)
    raise UserError(f"There is no permission update of type {kind!r}.")


def write_update(update: Update) -> dict[str, JsonValue]:
    """Return a change as programs read it."""
    if isinstance(update, SetMode):
        return {"type": "setMode", "mode": str(update.mode), "destination": update.destination}
    wire: dict[str, JsonValue] = {"type": _TYPES[type(update)]}
    if isinstance(update, AddDirectories | RemoveDirectories):
        wire["directories"] = list(update.directories)
    else:
        wire["rules"] = [_wire_rule(text) for text in update.rules]
        wire["behavior"] = str(update.behaviour)
    wire["destination"] = str(update.destination)
    return wire


def _wire_rule(text: str) -> JsonValue:
    """Return a rule's text in two fields."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return {"toolName": name}
    return {"toolName": name, "ruleContent": rest.removesuffix(")")}


def _rule_text(rule: object) -> str:
    """Return a rule's text from its two fields."""
    if not isinstance(rule, Mapping):
        raise UserError(f"A rule in a permission update must be an object, got {rule!r}.")
    name, content = _text(rule.get("toolName"), "toolName"), rule.get("ruleContent")
    return name if content is None else f"{name}({_text(content, 'ruleContent')})"


def _list(wire: Mapping[str, object], name: str) -> Sequence[object]:
    """Return a list field."""
    value = wire.get(name)
    if not isinstance(value, list | tuple):
        raise UserError(f"A permission update needs a list {name!r}, got {value!r}.")
    return value


def _text(value: object, name: str) -> str:
    """Return a text field."""
    if not isinstance(value, str):
        raise UserError(f"A permission update needs a text {name!r}, got {value!r}.")
    return value


_Choice = TypeVar("_Choice", bound=StrEnum)


def _one_of(choices: type[_Choice], wire: Mapping[str, object], name: str) -> _Choice:
    """Return a field that holds one of a few words."""
    value = wire.get(name)
    for choice in choices:
        if value == choice:
            return choice
    known = ", ".join(choices)
    raise UserError(f"A permission update needs {name!r}, one of {known}; got {value!r}.")
