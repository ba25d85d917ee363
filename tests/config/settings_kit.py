"""A project, a home and a policy of their own, for tests of settings and trust."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from gantlet.config import (
    ALL_SOURCES,
    RuleWriter,
    Settings,
    SettingsRequest,
    TrustStore,
    exposures_of,
)
from gantlet.rules import SourceKind
from gantlet.system import Environment

KINDS = ("policy", "command line", "local", "project", "user")


@dataclass
class Desk:
    """Folders for every kind of settings; nothing of the machine's own is read."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in (self.cwd, self.home, self.managed):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)

    @property
    def cwd(self) -> Path:
        return self.root / "app"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def own(self) -> Path:
        return self.home / ".gantlet"

    @property
    def managed(self) -> Path:
        return self.root / "etc"

    @property
    def store(self) -> TrustStore:
        return TrustStore(self.own / "trust.json")

    @property
    def environment(self) -> Environment:
        own = {"HOME": str(self.home), "GANTLET_HOME": str(self.own), "PATH": os.environ["PATH"]}
        return Environment(variables={**own, **self.variables})

    def file(self, kind: str) -> Path:
        """Return where the settings of a kind lie."""
        return {
            "policy": self.managed / "managed-settings.json",
            "drop-in": self.managed / "managed-settings.d" / "50.json",
            "command line": self.root / "given.json",
            "local": self.cwd / ".claude" / "settings.local.json",
            "project": self.cwd / ".claude" / "settings.json",
            "user": self.home / ".claude" / "settings.json",
        }[kind]

    def write(self, kind: str, settings: object) -> Path:
        """Write a settings file; a text is written as it is."""
        file = self.file(kind)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o755)
        file.write_text(settings if isinstance(settings, str) else json.dumps(settings, indent=1))
        file.chmod(0o644)
        return file

    def request(
        self,
        *,
        given: str | Path | None = None,
        sources: frozenset[SourceKind] = ALL_SOURCES,
        trusts: bool = False,
        cwd: Path | None = None,
        owner: int | None = None,
    ) -> SettingsRequest:
        """Return how settings are read here."""
        named = self.file("command line")
        return SettingsRequest(
            cwd or self.cwd,
            self.environment,
            given if given is not None else (named if named.exists() else None),
            sources,
            trusts,
            self.managed,
            os.getuid() if owner is None else owner,
        )

    def read(self, *, trusts: bool = False, given: str | None = None) -> Settings:
        """Read the settings."""
        return self.request(trusts=trusts, given=given).read()

    def accept(self) -> None:
        """Say yes to the folder as it is now."""
        settings = self.read()
        found = exposures_of(settings.files, settings.places)
        self.store.put(settings.trust.root, found.values())

    def writer(self) -> RuleWriter:
        """Return whoever saves rules here."""
        request = self.request()
        return RuleWriter(request.places(), request)
