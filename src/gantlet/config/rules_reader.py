"""What one settings file says about permission, with the line of each rule. Fails closed."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gantlet.config.json_lines import BrokenJsonError, LocatedJson, Spot
from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions import read_mode
from gantlet.rules import NO_ANCHORS, Anchors, BadRule, Rule, Source, SourceKind, parse_rule
from gantlet.tool import Mode

#: A longer settings file is not read.
MAX_FILE_BYTES = 2 * 1024 * 1024
_PERMISSIONS = "permissions"
_MANAGED_ONLY = "allowManagedPermissionRulesOnly"


class UnreadableError(Exception):
    """A settings file is there and cannot be read."""


@value
class SettingsProblem:
    """Something in a settings file that does not count as written."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.message}"
            if self.line
            else f"{self.file}: {self.message}"
        )


@value
class RulesRead:
    """What one file says.

    Attributes:
        directories: More working directories, as written, with their line.
        bypass_disabled: bypassPermissions is switched off.
        managed_rules_only: Of all allow rules only the policy's are to count.
        may_hide_denies: Rules that forbid may have been lost; whoever goes on must ask.
    """

    file: str
    kind: SourceKind
    rules: tuple[Rule | BadRule, ...] = ()
    directories: tuple[tuple[str, int], ...] = ()
    mode: Mode | None = None
    bypass_disabled: bool = False
    managed_rules_only: bool = False
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
        return _lost(path, kind, 0, str(error))
    try:
        located = LocatedJson(text)
    except BrokenJsonError as error:
        return _lost(path, kind, error.line, f"this is no JSON: {error}. Nothing in it counts")
    return _FileReading(path, kind, anchors, located).read()


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


def _lost(path: Path, kind: SourceKind, line: int, message: str) -> RulesRead:
    """Return that everything a file says is lost."""
    whole = f"{message}; until it is mended everything is asked about, since it may forbid."
    problem = SettingsProblem(str(path), line, whole)
    return RulesRead(str(path), kind, problems=(problem,), may_hide_denies=True)


@dataclass
class _FileReading:
    """One file being read."""

    path: Path
    kind: SourceKind
    anchors: Anchors
    json: LocatedJson
    rules: list[Rule | BadRule] = field(default_factory=list)
    directories: list[tuple[str, int]] = field(default_factory=list)
    problems: list[SettingsProblem] = field(default_factory=list)
    mode: Mode | None = None
    bypass_disabled: bool = False
    managed_rules_only: bool = False
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
                elif name == _MANAGED_ONLY:
                    self.managed_rules_only = spot.value is True
        return RulesRead(
            str(self.path),
            self.kind,
            tuple(dict.fromkeys(self.rules)),
            tuple(dict.fromkeys(self.directories)),
            self.mode,
            self.bypass_disabled,
            self.managed_rules_only,
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
        readers: dict[str, Callable[[Spot], None]] = {
            "additionalDirectories": self._read_directories,
            "defaultMode": self._read_mode,
            "disableBypassPermissionsMode": self._read_switch,
        }
        earlier = [rule for rule in self.rules if rule.behaviour is not Behaviour.ALLOW]
        self.rules[:] = earlier  # the allow rules of an earlier 'permissions' do not count
        for name, content in self._members(spot):
            if name in set(Behaviour):
                self._read_rules(Behaviour(name), content)
            elif name in readers:
                readers[name](content)

    def _read_rules(self, behaviour: Behaviour, spot: Spot) -> None:
        """Read a list of rules."""
        key = f"{_PERMISSIONS}.{behaviour}"
        for item in self._texts(key, spot, forbids=behaviour is not Behaviour.ALLOW):
            source = Source(self.kind, str(self.path), self.json.line(item.at), key, self.anchors)
            rule = parse_rule(str(item.value), behaviour, source)
            self.rules.append(rule)
            if isinstance(rule, BadRule):
                self._tell(item, rule.message)

    def _read_directories(self, spot: Spot) -> None:
        """Read more working directories."""
        for item in self._texts(f"{_PERMISSIONS}.additionalDirectories", spot, forbids=False):
            path = str(item.value)
            if not path.strip() or "\0" in path:
                self._tell(item, f"{path!r} can be no directory")
            else:
                self.directories.append((path, self.json.line(item.at)))

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

    def _read_mode(self, spot: Spot) -> None:
        """Read the mode sessions start in. A project's own files have no say in it."""
        mode = read_mode(spot.value) if isinstance(spot.value, str) else None
        if mode is None:
            self._tell(spot, f"there is no mode {spot.value!r}; modes are {', '.join(Mode)}")
        elif self.kind.is_repository:
            self._tell(spot, "a project's files cannot set the mode; it is ignored here")
        else:
            self.mode = mode

    def _read_switch(self, spot: Spot) -> None:
        """Read whether bypassPermissions is switched off; a word that is not known does it too."""
        self.bypass_disabled = True
        if spot.value != "disable":
            told = f"'disableBypassPermissionsMode' is 'disable' or not there, not {spot.value!r}"
            self._tell(spot, f"{told}; it counts as 'disable'")

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
        self.problems.append(SettingsProblem(str(self.path), line, message.rstrip(".") + "."))
