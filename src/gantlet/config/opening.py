"""Everything that decides about the settings of a session, in one place: what to read, and how."""

from collections.abc import Mapping
from dataclasses import field
from functools import partial
from pathlib import Path

from gantlet.config.file_reader import FileRead
from gantlet.config.last_good import LastGood
from gantlet.config.settings import Settings, read_settings
from gantlet.config.settings_files import (
    ALL_SOURCES,
    SettingsFiles,
    config_folder,
    is_in_hands_of,
)
from gantlet.config.trust import TrustQuestion, is_accepted_elsewhere
from gantlet.config.trust_store import STORE_NAME, TrustStore
from gantlet.messages.value import lazy, value
from gantlet.rules import SourceKind
from gantlet.system import Environment, RealPaths, home_folder

_LAST_GOOD = "settings-seen"


@value
class SettingsRequest:
    """Which settings a session wants.

    Attributes:
        cwd: Where it starts, as an absolute path.
        given: A settings file, settings as JSON, or settings given in code.
        sources: Which of the user's, the project's and the local files count; the policy always
            does, and so does what is given.
        trusts: The user trusts the folder for this run.
        managed: Where the policy lies; None takes the system's place.
        managed_owner: Who beside root may own it.
    """

    cwd: Path
    environment: Environment = field(default_factory=Environment.current)
    given: str | Path | Mapping[str, object] | None = None
    sources: frozenset[SourceKind] = ALL_SOURCES
    trusts: bool = False
    managed: Path | None = None
    managed_owner: int = 0

    @lazy
    def home(self) -> Path:
        """The user's home directory."""
        return Path(self.environment.variables.get("HOME") or Path.home())

    @lazy
    def own_folder(self) -> Path:
        """Where we keep what we write ourselves."""
        return home_folder(self.environment)

    @lazy
    def store(self) -> TrustStore:
        """The user's yes to folders."""
        return TrustStore(self.own_folder / STORE_NAME)

    def places(self) -> SettingsFiles:
        """Return which files there are.

        Raises:
            UserError: A file that was named is not there.
        """
        return SettingsFiles.of(
            self.cwd,
            self.home,
            self.environment,
            given=self.given,
            sources=self.sources,
            managed=self.managed,
            managed_owner=self.managed_owner,
        )

    def question(self, places: SettingsFiles, followed: RealPaths | None = None) -> TrustQuestion:
        """Return what decides about the trust of the folder."""
        followed = followed or RealPaths()
        root = followed(str(places.root))
        is_outside = not is_in_hands_of(places.root, self.own_folder, self.home, followed)
        accepted = partial(self._is_accepted, places.root)
        return TrustQuestion(root, self.store if is_outside else None, self.trusts, accepted)

    def _is_accepted(self, root: Path) -> bool:
        """Return whether `.claude.json`, wherever that lies, says yes to a folder."""
        given = config_folder(self.cwd, self.home, self.environment)
        folder = self.home if given == self.home / ".claude" else given
        return is_accepted_elsewhere(root, folder)

    def read(
        self, places: SettingsFiles | None = None, kept: Mapping[str, FileRead] | None = None
    ) -> Settings:
        """Read the settings; `kept` are files, by name, that count as they were read before.

        Raises:
            UserError: A file that was named is not there.
        """
        places = places or self.places()
        last_good = LastGood(self.own_folder / _LAST_GOOD)
        followed = RealPaths()
        question = self.question(places, followed)
        return read_settings(
            self.cwd, self.home, places, question, last_good, kept=kept or {}, followed=followed
        )

    def watched(self, places: SettingsFiles) -> list[tuple[SourceKind, Path]]:
        """Return what to look at to know whether settings changed."""
        return [
            *places.listed(),
            (SourceKind.POLICY, places.drop_in_folder),
            (SourceKind.USER, self.store.file),
        ]
