"""One settings file, read whole. What is broken in it fails closed and is told."""

import stat
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path

from gantlet.config.json_lines import BrokenJsonError, LocatedJson
from gantlet.config.keys import KEYS
from gantlet.config.last_good import Forbidden, LastGood
from gantlet.config.rules_reader import (
    RulesRead,
    UnreadableError,
    lost_rules,
    no_json,
    read_settings_text,
    rules_in,
)
from gantlet.config.setting import Setting, SettingsProblem
from gantlet.config.values_reader import values_in
from gantlet.messages import Behaviour, JsonValue
from gantlet.messages.value import replace, value
from gantlet.rules import Source, SourceKind

_WRITABLE_BY_OTHERS = 0o022


@value
class SettingsOrigin:
    """Where settings are read from: a file, or a text that somebody handed over.

    Attributes:
        source: What everything in it has as its source, but for line and key.
        text: What was handed over; None reads the file.
        owner: Who alone may own and write the file, by number; None if anybody may.
    """

    source: Source
    path: Path | None = None
    text: str | None = None
    owner: int | None = None


@value
class FileRead:
    """What one settings file says.

    Attributes:
        is_there: Whether there is such a file.
        settings: What stands under the keys we know, counted or not.
        unknown: What stands under other keys.
        why_disowned: Why only what forbids counts; empty if all of it does.
    """

    origin: SettingsOrigin
    rules: RulesRead
    is_there: bool = True
    settings: tuple[Setting, ...] = ()
    unknown: tuple[Setting, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    why_disowned: str = ""
    located: LocatedJson | None = field(default=None, compare=False)

    @property
    def file(self) -> str:
        """The file's name, or what stands for it."""
        return self.origin.source.file

    @property
    def kind(self) -> SourceKind:
        """What kind of settings these are."""
        return self.origin.source.kind

    def get(self, key: str) -> Setting | None:
        """Return what stands under a key."""
        return next((one for one in self.settings if one.key == key), None)

    def value(self, key: str) -> JsonValue:
        """Return the bare value under a key; None if there is none."""
        setting = self.get(key)
        return setting.content if setting is not None else None

    def where(self, path: tuple[str | int, ...]) -> Source:
        """Return the source of the value at a path from the root."""
        source = self.origin.source
        key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        line = self.located.line(self.located.find(path).at) if self.located is not None else 0
        return Source(source.kind, source.file, line, key.lstrip("."), source.anchors)


def read_file(origin: SettingsOrigin, last_good: LastGood | None = None) -> FileRead:
    """Return what one settings file says. Never raises for what is in it."""
    source = origin.source
    try:
        text = origin.text if origin.path is None else read_settings_text(origin.path)
        located = LocatedJson(text or "")
    except FileNotFoundError:
        return FileRead(origin, RulesRead(source.file, source.kind), is_there=False)
    except UnreadableError as error:
        return _recalled(_lost(origin, 0, str(error)), last_good)
    except BrokenJsonError as error:
        return _recalled(_lost(origin, error.line, no_json(error)), last_good)
    read = _disowned(_read(origin, located))
    if read.rules.may_hide_denies:
        return _recalled(read, last_good)
    if last_good is not None and origin.path is not None:
        last_good.remember(origin.path, Forbidden.of(read.rules.rules, _narrowing(read)))
    return read


def _read(origin: SettingsOrigin, located: LocatedJson) -> FileRead:
    """Return what a text says."""
    rules = rules_in(located, origin.source)
    values = values_in(located, origin.source)
    problems = (*rules.problems, *values.problems)
    if values.may_hide_denies:
        rules = replace(rules, may_hide_denies=True, problems=problems)
    return FileRead(
        origin,
        rules,
        settings=values.settings,
        unknown=values.unknown,
        problems=problems,
        located=located,
    )


def _lost(origin: SettingsOrigin, line: int, message: str) -> FileRead:
    """Return that everything a file says is lost."""
    rules = lost_rules(origin.source.file, origin.source.kind, line, message)
    return FileRead(origin, rules, problems=rules.problems)


def _recalled(read: FileRead, last_good: LastGood | None) -> FileRead:
    """Return a broken file with what it forbade when it was last whole.

    With no rule to recall, the question about everything stays in their place.
    """
    if last_good is None or read.origin.path is None:
        return read
    before = last_good.recall(read.origin.path, read.origin.source)
    known = {one.key for one in read.settings if not KEYS[one.key].forbids}
    switches = [one for one in before.switches if one.key in KEYS and one.key not in known]
    read = replace(read, settings=(*read.settings, *switches))
    if not before.rules:
        return read
    rules = tuple(dict.fromkeys((*read.rules.rules, *before.rules)))
    count = f"{len(before.rules)} rule{'' if len(before.rules) == 1 else 's'}"
    told = f"until it is mended, the {count} that forbade when it was last whole stay"
    problems = [replace(one, message=one.message.replace(_ASKED, told)) for one in read.problems]
    kept = replace(read.rules, rules=rules, problems=tuple(problems), may_hide_denies=False)
    return replace(read, rules=kept, problems=tuple(problems))


#: What a problem says where everything is asked about.
_ASKED = "until it is mended everything is asked about, since it may forbid"


def _narrowing(read: FileRead) -> Iterator[Setting]:
    """Yield the settings of a file that can only forbid."""
    yield from (one for one in read.settings if KEYS[one.key].narrows_with(one.content))


def _disowned(read: FileRead) -> FileRead:
    """Return a file as it counts: of a policy that others can write, only what forbids."""
    reason = _why_disowned(read.origin)
    if not reason:
        return read
    forbidding = [one for one in read.rules.rules if one.behaviour is not Behaviour.ALLOW]
    told = f"{reason}; of this policy only what forbids counts. Let root own it, with mode 0644."
    problem = SettingsProblem(read.file, 0, told)
    rules = replace(read.rules, rules=tuple(forbidding))
    return replace(
        read,
        rules=rules,
        settings=tuple(_narrowing(read)),
        unknown=(),
        problems=(problem, *read.problems),
        why_disowned=reason,
    )


def _why_disowned(origin: SettingsOrigin) -> str:
    """Return why a policy cannot be one: others than its owner could have written it."""
    if origin.owner is None or origin.path is None:
        return ""
    for path in (origin.path, origin.path.parent):
        try:
            facts = path.stat()
        except OSError as error:
            return f"{path} cannot be looked at: {error.strerror}"
        if facts.st_uid not in {origin.owner, 0}:
            return f"{path} belongs to user {facts.st_uid}"
        if stat.S_IMODE(facts.st_mode) & _WRITABLE_BY_OTHERS:
            return f"{path} can be written by others"
    return ""
