"""What one settings file says under every key we know, with the line of each part."""

from collections.abc import Callable

from gantlet.config.json_lines import LocatedJson, Spot
from gantlet.config.keys import GROUPS, KEYS, SCHEMA_KEY, Form, Key
from gantlet.config.setting import Setting, SettingsProblem
from gantlet.messages import freeze
from gantlet.messages.value import value
from gantlet.rules import Source

#: Keys whose mistakes are told by whoever reads the rules.
_READ_AS_RULES = frozenset({"permissions.allow", "permissions.ask", "permissions.deny"})
_MAX_NUMBER = 10**15
_LOST = "; until it is mended everything is asked about, since it may forbid"


@value
class ValuesRead:
    """What one text says.

    Attributes:
        unknown: Keys we do not know; they are kept, and do nothing.
        may_hide_denies: Something that forbids may have been lost.
    """

    settings: tuple[Setting, ...] = ()
    unknown: tuple[Setting, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    may_hide_denies: bool = False


def values_in(located: LocatedJson, source: Source) -> ValuesRead:
    """Return what a text says; the source is that of the text as a whole."""
    reading = _Reading(located, source)
    root = located.root
    if isinstance(root.value, dict):  # else whoever reads the rules says so
        reading.read_members(root, "")
    return ValuesRead(
        tuple(reading.settings),
        tuple(reading.unknown),
        tuple(reading.problems),
        reading.may_hide_denies,
    )


class _BadValueError(ValueError):
    """A key does not hold what it takes."""


class _Reading:
    """One text being read."""

    def __init__(self, located: LocatedJson, source: Source) -> None:
        self._json = located
        self._source = source
        self.settings: list[Setting] = []
        self.unknown: list[Setting] = []
        self.problems: list[SettingsProblem] = []
        self.may_hide_denies = False

    def read_members(self, spot: Spot, prefix: str) -> None:
        """Read the keys of one object. Of those that come twice, the earlier can only narrow."""
        members = list(self._json.members(spot))
        last = {name: at for at, (name, _) in enumerate(members)}
        for at, (name, content) in enumerate(members):
            before = len(self.settings)
            if "." in name:  # a dot in a name is no way to a key
                self.unknown.append(self._setting(prefix + name, content))
                continue
            self._read_member(content, prefix + name)
            if last[name] != at:
                found = self.settings[before:]
                self.settings[before:] = [
                    one for one in found if KEYS[one.key].narrows_with(one.content)
                ]

    def _read_member(self, spot: Spot, key: str) -> None:
        """Read one key, known or not."""
        if key in GROUPS:
            self._read_group(spot, key)
        elif key in KEYS:
            self._read_key(spot, KEYS[key])
        elif key != SCHEMA_KEY:
            self.unknown.append(self._setting(key, spot))

    def _read_group(self, spot: Spot, key: str) -> None:
        """Read an object whose members are keys."""
        if isinstance(spot.value, dict):
            self.read_members(spot, f"{key}.")
        elif key != "permissions":  # whoever reads the rules says so
            self._lose(spot, key, f"{key!r} is an object: {{…}}")

    def _read_key(self, spot: Spot, key: Key) -> None:
        """Read one key that we know."""
        try:
            setting = _READERS[key.form](self, spot, key)
        except _BadValueError as error:
            self._tell_bad(spot, key, str(error))
            if key.narrow is not None:
                self.settings.append(Setting(key.name, key.narrow, self._at(spot, key.name)))
            return
        self.settings.append(setting)

    def _tell_bad(self, spot: Spot, key: Key, reason: str) -> None:
        """Note that a key does not hold what it takes, and what comes of it."""
        if key.name in _READ_AS_RULES:
            return
        if key.forbids:
            self._lose(spot, key.name, reason)
        elif key.narrow is not None:
            self.tell(spot, key.name, f"{reason}; it counts as {_shown(key.narrow)}")
        else:
            self.tell(spot, key.name, f"{reason}; it is left out")

    def read_scalar(self, spot: Spot, key: Key) -> Setting:
        """Return a value without parts of its own."""
        content = spot.value
        if not _FITS[key.form](content):
            raise _BadValueError(f"{key.name!r} takes {_wanted(key)}, not {_shown(content)}")
        if key.choices and content not in key.choices:
            raise _BadValueError(f"{key.name!r} takes {_wanted(key)}, not {_shown(content)}")
        return self._setting(key.name, spot)

    def read_list(self, spot: Spot, key: Key) -> Setting:
        """Return a list; items that do not fit are told and left out."""
        if not isinstance(spot.value, list):
            raise _BadValueError(f"{key.name!r} takes a {key.form}, not {_shown(spot.value)}")
        fits = _FITS[Form.TEXT if key.form is Form.TEXTS else Form.OBJECT]
        kept = [item for item in self._json.items(spot) if self._is_kept(item, key, fits)]
        return self._listed(key.name, spot, [item.value for item in kept], kept)

    def _is_kept(self, item: Spot, key: Key, fits: Callable[[object], bool]) -> bool:
        """Return whether an item of a list fits; tell if it does not."""
        if fits(item.value):
            return True
        if key.name in _READ_AS_RULES:
            return False
        message = f"an entry of {key.name!r} is no {'text' if key.form is Form.TEXTS else 'object'}"
        if key.forbids:
            self._lose(item, key.name, message)
        else:
            self.tell(item, key.name, f"{message}; it is left out")
        return False

    def read_text_map(self, spot: Spot, key: Key) -> Setting:
        """Return an object of texts; members that do not fit are told and left out."""
        if not isinstance(spot.value, dict):
            raise _BadValueError(f"{key.name!r} takes an {key.form}, not {_shown(spot.value)}")
        kept: dict[str, Spot] = {}
        for name, member in dict(self._json.members(spot)).items():
            if not name or "=" in name or "\0" in name:
                self.tell(member, f"{key.name}.{name}", f"{name!r} can be no variable's name")
            elif not isinstance(member.value, str) or "\0" in member.value:
                told = f"'{key.name}.{name}' is no text, but {_shown(member.value)}"
                self.tell(member, f"{key.name}.{name}", f"{told}; it is left out")
            else:
                kept[name] = member
        contents = {name: member.value for name, member in kept.items()}
        return self._listed(key.name, spot, contents, list(kept.values()))

    def _listed(self, key: str, spot: Spot, content: object, parts: list[Spot]) -> Setting:
        """Return a setting whose parts know their lines."""
        lines = tuple(self._json.line(part.at) for part in parts)
        return Setting(key, freeze(content), self._at(spot, key), lines)

    def _setting(self, key: str, spot: Spot) -> Setting:
        """Return a setting as it stands there."""
        return Setting(key, freeze(spot.value), self._at(spot, key))

    def _at(self, spot: Spot, key: str) -> Source:
        """Return where a value stands."""
        source = self._source
        return Source(source.kind, source.file, self._json.line(spot.at), key, source.anchors)

    def _lose(self, spot: Spot, key: str, message: str) -> None:
        """Note something wrong that may hide what is forbidden."""
        self.may_hide_denies = True
        self.tell(spot, key, message + _LOST)

    def tell(self, spot: Spot, key: str, message: str) -> None:
        """Note something that does not count as written."""
        line = self._json.line(spot.at)
        self.problems.append(SettingsProblem(self._source.file, line, f"{message}.", key))


def _is_number(content: object) -> bool:
    """Return whether something counts: a number that is finite and not below zero."""
    if isinstance(content, bool) or not isinstance(content, int | float):
        return False
    return 0 <= content <= _MAX_NUMBER


def _is_text(content: str) -> bool:
    """Return whether a text says anything that could be a name, a path or a command."""
    return bool(content.strip()) and "\0" not in content


def _is_text_or_texts(content: object) -> bool:
    """Return whether something is a text, or a list of nothing else."""
    listed: list[object] = content if isinstance(content, list) else [content]
    return all(isinstance(item, str) for item in listed)


_FITS: dict[Form, Callable[[object], bool]] = {
    Form.TEXT: lambda content: isinstance(content, str) and _is_text(content),
    Form.TEXT_OR_TEXTS: _is_text_or_texts,
    Form.NUMBER: _is_number,
    Form.SWITCH: lambda content: isinstance(content, bool),
    Form.OBJECT: lambda content: isinstance(content, dict),
    Form.ANYTHING: lambda content: True,
}
_READERS: dict[Form, Callable[[_Reading, Spot, Key], Setting]] = {
    Form.TEXTS: _Reading.read_list,
    Form.OBJECTS: _Reading.read_list,
    Form.TEXT_MAP: _Reading.read_text_map,
    **dict.fromkeys(_FITS, _Reading.read_scalar),
}


def _wanted(key: Key) -> str:
    """Return what a key takes, in words."""
    if key.choices:
        return "one of " + ", ".join(repr(str(choice)) for choice in key.choices)
    article = "an" if key.form is Form.OBJECT else "a"
    return str(key.form) if key.form is Form.SWITCH else f"{article} {key.form}"


def _shown(content: object) -> str:
    """Return a value as JSON shows it, in short."""
    if isinstance(content, bool):
        return "true" if content else "false"
    if content is None:
        return "null"
    if isinstance(content, dict | list):
        return "an object" if isinstance(content, dict) else "a list"
    shown = repr(content)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
