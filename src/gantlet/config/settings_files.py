"""Which settings files there are for a session, and whose they are."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gantlet.config.checkout import Follow, folders_down_to, project_root
from gantlet.config.file_reader import SettingsOrigin
from gantlet.messages import dumps, freeze, thaw
from gantlet.messages.value import lazy, value
from gantlet.permissions import Destination, Directory, Workspace
from gantlet.rules import Anchors, Source, SourceKind
from gantlet.system import Environment, RealPaths, absolute, account_home, directory_names
from gantlet.tool import UserError

CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
MANAGED_FOLDER = Path("/etc/claude-code")
MACOS_MANAGED_FOLDER = Path("/Library/Application Support/ClaudeCode")
#: What settings that are handed over as text have in place of a file.
GIVEN = "--settings"
#: Where hooks write variables for later commands; whoever writes there decides what those do.
HOOK_FOLDER = "hook-env"
_CONFIG = ".claude"
_NAME = "settings.json"
_ROOT_USER = 0

#: The sources that can be chosen, by their names on the command line.
CHOSEN_SOURCES = {
    "user": SourceKind.USER,
    "project": SourceKind.PROJECT,
    "local": SourceKind.LOCAL,
}
ALL_SOURCES = frozenset(CHOSEN_SOURCES.values())


@value
class SettingsFiles:
    """Where the settings of a session lie.

    Attributes:
        project, local: The files at the root of the project.
        folders: From the project's root down to where the session is; each may have its own files.
        user_kind: Whose word the user's file is: the project's, if the project has it in its hands.
        managed: The folder with the policy.
        managed_owner: Who beside root may own the policy, by number.
        extra: A file that was named for this session.
        given: Settings that were handed over as text.
        given_name: What stands for their file; empty for settings given in code.
        sources: Which of the user's, the project's and the local files count.
    """

    user: Path
    project: Path
    local: Path
    folders: tuple[Path, ...] = ()
    user_kind: SourceKind = SourceKind.USER
    managed: Path = MANAGED_FOLDER
    managed_owner: int = _ROOT_USER
    extra: Path | None = None
    given: str | None = None
    given_name: str = GIVEN
    sources: frozenset[SourceKind] = ALL_SOURCES

    @classmethod
    def of(
        cls,
        cwd: Path,
        home: Path,
        environment: Environment,
        *,
        given: str | Path | Mapping[str, object] | None = None,
        sources: frozenset[SourceKind] = ALL_SOURCES,
        managed: Path | None = None,
        managed_owner: int = _ROOT_USER,
    ) -> "SettingsFiles":
        """Return the files of a session that starts in `cwd`.

        Raises:
            UserError: `given` names a file that is not there.
        """
        followed = RealPaths()
        root, real = project_root(cwd, home, followed), followed(str(cwd))
        here = cwd if str(root) == real else root
        named, text = _given(given, cwd)
        user = config_folder(cwd, home, environment) / _NAME
        return cls(
            user,
            here / f"{_CONFIG}/settings.json",
            here / f"{_CONFIG}/settings.local.json",
            (here, *folders_down_to(root, real)[1:]),
            SourceKind.PROJECT if is_in_hands_of(root, user, home, followed) else SourceKind.USER,
            managed or managed_folder(environment),
            managed_owner,
            named,
            text,
            "" if isinstance(given, Mapping) else GIVEN,
            sources,
        )

    @lazy
    def root(self) -> Path:
        """The root of the project."""
        return self.project.parent.parent

    @lazy
    def policy(self) -> Path:
        """The file with the policy."""
        return self.managed / "managed-settings.json"

    @lazy
    def drop_in_folder(self) -> Path:
        """The folder with its further parts."""
        return self.managed / "managed-settings.d"

    def at(self, destination: Destination) -> Path | None:
        """Return the file a change is kept in, or None if it is kept in none."""
        files = {
            Destination.USER: self.user,
            Destination.PROJECT: self.project,
            Destination.LOCAL: self.local,
        }
        return files.get(destination)

    def listed(self) -> Iterator[tuple[SourceKind, Path]]:
        """Yield every file that may say something, the weakest first."""
        folders = self.folders or (self.root,)
        if SourceKind.USER in self.sources:
            yield self.user_kind, self.user
        for kind, name in _OF_FOLDERS:
            if kind in self.sources:
                own = [folder / f"{_CONFIG}/{name}" for folder in folders]
                yield from ((kind, path) for path in own if not _is_same(path, self.user))
        if self.extra is not None:
            yield SourceKind.COMMAND_LINE, self.extra
        yield SourceKind.POLICY, self.policy
        yield from ((SourceKind.POLICY, path) for path in self.drop_ins())

    def drop_ins(self) -> list[Path]:
        """Return the parts of the policy in the order of their names."""
        folder = self.drop_in_folder
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError:
            return [folder]  # reading it fails too, and that is told and fails closed
        return [
            folder / name for name in names if name.endswith(".json") and not name.startswith(".")
        ]

    def origins(self, workspace: Workspace) -> Iterator[SettingsOrigin]:
        """Yield everything that may say something, the weakest first."""
        for kind, path in self.listed():
            owner = self.managed_owner if kind is SourceKind.POLICY else None
            if kind is SourceKind.POLICY and path == self.policy:
                yield from self._handed_over(workspace)
            anchors = _anchors(kind, path, workspace)
            yield SettingsOrigin(Source(kind, str(path), anchors=anchors), path, owner=owner)

    def _handed_over(self, workspace: Workspace) -> Iterator[SettingsOrigin]:
        """Yield the settings that were handed over as text."""
        if self.given is not None:
            anchors = workspace.anchors(SourceKind.COMMAND_LINE)
            source = Source(SourceKind.COMMAND_LINE, self.given_name, anchors=anchors)
            yield SettingsOrigin(source, text=self.given)


_OF_FOLDERS = (
    (SourceKind.PROJECT, _NAME),
    (SourceKind.LOCAL, "settings.local.json"),
)


def read_sources(names: str | Iterable[str] | None) -> frozenset[SourceKind]:
    """Return the sources that names choose, with commas or one by one; None chooses all.

    Raises:
        UserError: There is no such source.
    """
    if names is None:
        return ALL_SOURCES
    listed = names.split(",") if isinstance(names, str) else list(names)
    chosen = [name.strip() for name in listed if name.strip()]
    unknown = [name for name in chosen if name not in CHOSEN_SOURCES]
    if unknown:
        known = ", ".join(CHOSEN_SOURCES)
        raise UserError(f"There is no settings source {unknown[0]!r}; there are {known}.")
    return frozenset(CHOSEN_SOURCES[name] for name in chosen)


def config_folder(cwd: Path, home: Path, environment: Environment) -> Path:
    """Return the folder of the user's own settings."""
    given = environment.variables.get(CONFIG_VARIABLE)
    return Path(absolute(given, str(cwd))) if given else home / _CONFIG


def is_in_hands_of(root: Path, path: Path, home: Path, followed: Follow = os.path.realpath) -> bool:
    """Return whether a path lies in a project, so that whoever made that wrote what is there.

    A project that holds the home directory is the user's own, unless it is a checkout and a
    variable says that the home directory is there: the system knows another one.
    """
    real = followed(str(root))
    if not _is_below(followed(str(path)), real):
        return False
    own = followed(str(home))
    if not _is_below(own, real):
        return True
    return os.path.lexists(Path(real) / ".git") and Path(own) != account_home()


def _is_below(path: str, folder: str) -> bool:
    """Return whether a real path is a folder or lies in it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def managed_folder(environment: Environment) -> Path:
    """Return the folder of the policy on this system."""
    return MACOS_MANAGED_FOLDER if environment.platform == "darwin" else MANAGED_FOLDER


def workspace_at(
    cwd: Path,
    home: Path,
    files: SettingsFiles,
    kept: Iterable[str] = (),
    followed: RealPaths | None = None,
) -> Workspace:
    """Return the directories of a session, by every name they are known under.

    Args:
        cwd: Where the session starts.
        home: The user's home directory.
        files: Where the settings lie, which decide what is allowed.
        kept: What of our own decides beside them.
        followed: What follows links, if some were followed just now.
    """
    names = (followed or RealPaths()).names
    here = Directory(names(str(cwd)))
    own = (str(files.user), *_own_files(files), str(files.managed), *kept)
    return Workspace(
        here,
        here,
        Directory(names(str(home))),
        Directory(names(str(files.root))),
        own=tuple([Directory(names(path)) for path in own]),
    )


def _own_files(files: SettingsFiles) -> Iterator[str]:
    """Yield the settings files of the project, and the one named for the session."""
    for folder in files.folders or (files.root,):
        top = str(folder).rstrip("/")
        yield from (f"{top}/{_CONFIG}/{name}" for _, name in _OF_FOLDERS)
    if files.extra is not None:
        yield str(files.extra)


def _given(
    given: str | Path | Mapping[str, object] | None, cwd: Path
) -> tuple[Path | None, str | None]:
    """Return the file that was named, or the text that was handed over."""
    if given is None:
        return None, None
    if isinstance(given, Mapping):
        return None, _as_text(given)
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return None, given
    path = Path(absolute(str(given), str(cwd)))
    if not os.path.lexists(path):
        raise UserError(f"There is no settings file {str(given)!r}. Name a file, or give JSON.")
    return path, None


def _as_text(given: Mapping[str, object]) -> str:
    """Return settings that were given in code as the text they would be in a file."""
    try:
        return dumps(thaw(freeze(given))).decode()
    except (TypeError, ValueError) as error:
        raise UserError(f"The settings cannot be written as JSON: {error}") from error


def _is_same(first: Path, second: Path) -> bool:
    """Return whether two paths lead to one file: at home, the project's is the user's."""
    try:
        return first == second or first.samefile(second)
    except OSError:  # one of them is not there
        return False


def _anchors(kind: SourceKind, path: Path, workspace: Workspace) -> Anchors:
    """Return what path patterns of a file are seen from."""
    known = workspace.anchors(kind)
    if kind in {SourceKind.USER, SourceKind.COMMAND_LINE}:
        return Anchors(directory_names(str(path.parent)), known.cwd, known.home)
    if kind is SourceKind.PROJECT:
        return Anchors(directory_names(str(path.parent.parent)), known.cwd, known.home)
    return known
