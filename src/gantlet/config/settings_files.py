"""Which settings files there are, and what all of them together say about permission."""

import json
from collections.abc import Iterator
from pathlib import Path

from gantlet.config.rules_reader import (
    RulesRead,
    SettingsProblem,
    UnreadableError,
    read_rules,
    read_settings_text,
)
from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions import Destination, Directory, PermissionContext, Workspace
from gantlet.rules import Anchors, BadRule, Rule, SourceKind
from gantlet.system import Environment, absolute, directory_names
from gantlet.tool import Mode

CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
MANAGED_FOLDER = Path("/etc/claude-code")
_CONFIG = ".claude"
_NOT_TRUSTED = (
    "what it allows does not count, because this workspace has not been trusted; what it forbids"
    " does."
)


@value
class SettingsFiles:
    """Where the settings of a session lie."""

    user: Path
    project: Path
    local: Path
    managed: Path = MANAGED_FOLDER
    extra: Path | None = None

    @classmethod
    def of(cls, cwd: Path, home: Path, environment: Environment) -> "SettingsFiles":
        """Return the files of a session that starts in `cwd`."""
        given = environment.variables.get(CONFIG_VARIABLE)
        config = Path(absolute(given, str(cwd))) if given else home / _CONFIG
        project = cwd / _CONFIG
        return cls(
            config / "settings.json", project / "settings.json", project / "settings.local.json"
        )

    def at(self, destination: Destination) -> Path | None:
        """Return the file a change is kept in, or None if it is kept in none."""
        files = {
            Destination.USER: self.user,
            Destination.PROJECT: self.project,
            Destination.LOCAL: self.local,
        }
        return files.get(destination)

    def listed(self) -> Iterator[tuple[SourceKind, Path]]:
        """Yield every file that may say something, the weakest of each kind first."""
        yield SourceKind.USER, self.user
        yield SourceKind.PROJECT, self.project
        yield SourceKind.LOCAL, self.local
        if self.extra is not None:
            yield SourceKind.COMMAND_LINE, self.extra
        yield SourceKind.POLICY, self.managed / "managed-settings.json"
        drop_ins = sorted((self.managed / "managed-settings.d").glob("*.json"))
        yield from ((SourceKind.POLICY, path) for path in drop_ins)


@value
class SettingsRules:
    """What all settings files together say: the inputs of a permission context.

    Attributes:
        mode: What the strongest file that may say so wants; None if none does.
        files: What each file said, for showing it.
        may_hide_denies: A file could not be read whole; its stand-ins are among the rules.
    """

    workspace: Workspace
    files: tuple[RulesRead, ...] = ()
    directories: tuple[Directory, ...] = ()
    mode: Mode | None = None
    bypass_disabled: bool = False
    managed_rules_only: bool = False
    is_trusted: bool = False
    problems: tuple[SettingsProblem, ...] = ()

    @property
    def rules(self) -> tuple[Rule | BadRule, ...]:
        """Every rule of every file, with a question about everything for a file that is lost."""
        found = [rule for read in self.files for rule in read.rules]
        found += [read.stand_in for read in self.files if read.stand_in is not None]
        return tuple(found)

    @property
    def may_hide_denies(self) -> bool:
        """Whether rules that forbid may have been lost."""
        return any(read.may_hide_denies for read in self.files)

    def context(
        self, mode: Mode | None = None, *, auto_available: bool = False
    ) -> PermissionContext:
        """Return what calls are judged against. A mode that is not available is the default."""
        wanted = mode or self.mode or Mode.DEFAULT
        bypass = wanted is Mode.BYPASS and not self.bypass_disabled
        offered = {Mode.BYPASS: bypass, Mode.AUTO: auto_available}
        return PermissionContext(
            self.workspace,
            wanted if offered.get(wanted, True) else Mode.DEFAULT,
            directories=self.directories,
            bypass_available=bypass,
            auto_available=auto_available,
            is_trusted=self.is_trusted,
            managed_rules_only=self.managed_rules_only,
        ).with_rules(self.rules)


def read_settings_rules(
    cwd: Path,
    home: Path,
    environment: Environment,
    *,
    trusted: bool,
    extra_settings: Path | None = None,
    managed_folder: Path = MANAGED_FOLDER,
) -> SettingsRules:
    """Return what the settings files of a session say. Never raises for what is in them."""
    own = SettingsFiles.of(cwd, home, environment)
    places = SettingsFiles(own.user, own.project, own.local, managed_folder, extra_settings)
    workspace = workspace_at(cwd, home, places)
    read = tuple(
        read_rules(path, kind, _anchors(kind, path, workspace)) for kind, path in places.listed()
    )
    policy = [one for one in read if one.kind is SourceKind.POLICY]
    modes = [one for one in read if one.mode is not None and not one.kind.is_repository]
    strongest = min(reversed(modes), key=lambda one: one.kind.rank, default=None)
    problems = [problem for one in read for problem in one.problems]
    if not trusted:
        problems += [
            SettingsProblem(one.file, 0, _NOT_TRUSTED) for one in read if _widens_unasked(one)
        ]
    return SettingsRules(
        workspace,
        read,
        tuple(_directories(read, cwd, home)),
        strongest.mode if strongest is not None else None,
        any(one.bypass_disabled for one in read),
        any(one.managed_rules_only for one in policy),
        trusted,
        tuple(problems),
    )


def workspace_at(cwd: Path, home: Path, files: SettingsFiles) -> Workspace:
    """Return the directories of a session, by every name they are known under."""
    here = Directory(directory_names(str(cwd)))
    own = (files.user.parent / "settings.json", files.project, files.local, files.managed)
    return Workspace(
        here,
        here,
        Directory(directory_names(str(home))),
        own=tuple(Directory(directory_names(str(path))) for path in own),
    )


def is_trusted(cwd: Path, home: Path) -> bool:
    """Return whether the user said yes to a folder. Whatever cannot be read is a no."""
    try:
        store = json.loads(read_settings_text(home / ".claude.json"))
    except (OSError, UnreadableError, ValueError, RecursionError):
        return False
    projects = store.get("projects") if isinstance(store, dict) else None
    if not isinstance(projects, dict):
        return False
    entries = [projects.get(name) for name in directory_names(str(cwd))]
    return any(
        isinstance(entry, dict) and entry.get("hasTrustDialogAccepted") is True for entry in entries
    )


def _anchors(kind: SourceKind, path: Path, workspace: Workspace) -> Anchors:
    """Return what path patterns of a file are seen from."""
    known = workspace.anchors(kind)
    if kind in {SourceKind.USER, SourceKind.COMMAND_LINE}:
        return Anchors(directory_names(str(path.parent)), known.cwd, known.home)
    return known


def _directories(read: tuple[RulesRead, ...], cwd: Path, home: Path) -> Iterator[Directory]:
    """Yield the working directories that files add."""
    for one in read:
        for path, _ in one.directories:
            inside = str(home) + path[1:] if path == "~" or path.startswith("~/") else path
            yield Directory(directory_names(absolute(inside, str(cwd))), one.kind)


def _widens_unasked(read: RulesRead) -> bool:
    """Return whether a project's file allows something that takes trust."""
    allows = any(rule.behaviour is Behaviour.ALLOW for rule in read.rules)
    return read.kind.is_repository and (allows or bool(read.directories))
