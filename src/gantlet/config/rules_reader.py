"""What one settings file says about permission, with the line of each rule. Fails closed."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gantlet.config.json_lines import BrokenJsonError, LocatedJson, Spot
from gantlet.config.setting import SettingsProblem
from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.rules import NO_ANCHORS, Anchors, BadRule, Rule, Source, SourceKind, parse_rule

#: A longer settings file is not read.
MAX_FILE_BYTES = 2 * 1024 * 1024
_PERMISSIONS = "permissions"


class UnreadableError(Exception):
    """A settings file is there and cannot be read."""


@value
class RulesRead:
    """What one file says.

    Attributes:
        may_hide_denies: Rules that forbid may have been lost; whoever goes on must ask.
    """

    file: str
    kind: SourceKind
    rules: tuple[Rule | BadRule, ...] = ()
    problems: tuple[SettingsProblem, ...] = ()
    may_hide_denies: bool = False

    @property
    def stand_in(self) -> Rule | None:
        """What holds in place of denies that may be missing: a question about everything."""
        if not self.may_hide_denies:
            return None
        line = self.problems[0].line if self.problems else 0
        source = Source(self.kind, self.file, line, _PERMISSIONS)
        rule = parse_rule("*", Behaviour.ASK, source)
        assert isinstance(rule, Rule)
        return rule


def read_rules(path: Path, kind: SourceKind, anchors: Anchors = NO_ANCHORS) -> RulesRead:
    """Return what a settings file says about permission. A file that is not there says nothing."""
    try:
        text = read_settings_text(path)
    except FileNotFoundError:
        return RulesRead(str(path), kind)
    except UnreadableError as error:
        return lost_rules(str(path), kind, 0, str(error))
    try:
        located = LocatedJson(text)
    except BrokenJsonError as error:
        return lost_rules(str(path), kind, error.line, no_json(error))
    return rules_in(located, Source(kind, str(path), anchors=anchors))


def rules_in(located: LocatedJson, source: Source) -> RulesRead:
    """Return what a text says about permission; the source is that of the text as a whole."""
    return _FileReading(source.file, source.kind, source.anchors, located).read()


def no_json(error: BrokenJsonError) -> str:
    """Return in words that a text is no JSON."""
    return f"this is no JSON: {error}. Nothing in it counts"


def read_settings_text(path: Path) -> str:
    """Return a settings file's text.

    Raises:
        FileNotFoundError: There is none.
        UnreadableError: It is no file, too long, no text, or may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableError("this is no file")
            content = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(str(path)) from error
    except OSError as error:
        raise UnreadableError(f"it cannot be read: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableError(f"it is longer than {MAX_FILE_BYTES} bytes, so nothing in it counts")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is no UTF-8 at byte {error.start}") from error


def lost_rules(file: str, kind: SourceKind, line: int, message: str) -> RulesRead:
    """Return that everything a file says is lost."""
    whole = f"{message}; until it is mended everything is asked about, since it may forbid."
    problem = SettingsProblem(file, line, whole)
    return RulesRead(file, kind, problems=(problem,), may_hide_denies=True)


@dataclass
class _FileReading:
    """One file being read."""

    file: str
    kind: SourceKind
    anchors: Anchors
    json: LocatedJson
    rules: list[Rule | BadRule] = field(default_factory=list)
    problems: list[SettingsProblem] = field(default_factory=list)
    may_hide_denies: bool = False

    def read(self) -> RulesRead:
        """Return what the file says."""
        root = self.json.root
        if not isinstance(root.value, dict):
            self._lose(root, "settings are an object: {…}")
        else:
            for name, spot in self._members(root):
                if name == _PERMISSIONS:
                    self._read_permissions(spot)
        return RulesRead(
            self.file,
            self.kind,
            tuple(dict.fromkeys(self.rules)),
            tuple(self.problems),
            self.may_hide_denies,
        )

    def _members(self, spot: Spot) -> Iterator[tuple[str, Spot]]:
        """Yield an object's members. Of those that come twice, only what forbids counts twice."""
        members = list(self.json.members(spot))
        last = {name: at for at, (name, _) in enumerate(members)}
        forbidding = {_PERMISSIONS, str(Behaviour.DENY), str(Behaviour.ASK)}
        for at, (name, content) in enumerate(members):
            if last[name] == at:
                yield name, content
                continue
            self._tell(content, f"{name!r} comes again later, and that one counts")
            if name in forbidding:
                yield name, content

    def _read_permissions(self, spot: Spot) -> None:
        """Read the part that is about permission."""
        if not isinstance(spot.value, dict):
            self._lose(spot, "'permissions' is an object: {…}")
            return
        earlier = [rule for rule in self.rules if rule.behaviour is not Behaviour.ALLOW]
        self.rules[:] = earlier  # the allow rules of an earlier 'permissions' do not count
        for name, content in self._members(spot):
            if name in set(Behaviour):
                self._read_rules(Behaviour(name), content)

    def _read_rules(self, behaviour: Behaviour, spot: Spot) -> None:
        """Read a list of rules."""
        key = f"{_PERMISSIONS}.{behaviour}"
        for item in self._texts(key, spot, forbids=behaviour is not Behaviour.ALLOW):
            source = Source(self.kind, self.file, self.json.line(item.at), key, self.anchors)
            rule = parse_rule(str(item.value), behaviour, source)
            self.rules.append(rule)
            if isinstance(rule, BadRule):
                self._tell(item, rule.message)

    def _texts(self, key: str, spot: Spot, *, forbids: bool) -> Iterator[Spot]:
        """Yield the texts of a list; whatever else is there is told and left out."""
        if not isinstance(spot.value, list):
            self._complain(spot, f"{key!r} is a list of texts: […]", forbids=forbids)
            return
        for item in self.json.items(spot):
            if isinstance(item.value, str):
                yield item
            else:
                self._complain(item, f"an entry of {key!r} is no text", forbids=forbids)

    def _lose(self, spot: Spot, message: str) -> None:
        """Note something wrong that may hide a rule which forbids."""
        self._complain(spot, message, forbids=True)

    def _complain(self, spot: Spot, message: str, *, forbids: bool) -> None:
        """Note something wrong; where it stands for something forbidden, that may be lost."""
        if forbids:
            self.may_hide_denies = True
            message += "; until it is mended everything is asked about, since it may forbid"
        self._tell(spot, message)

    def _tell(self, spot: Spot, message: str) -> None:
        """Note something that does not count as written."""
        line = self.json.line(spot.at)
        self.problems.append(SettingsProblem(self.file, line, message.rstrip(".") + "."))
