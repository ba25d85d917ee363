"""Whether a folder is trusted, part by part, and what to say where it is not."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from gantlet.config.checkout import main_checkout
from gantlet.config.exposures import ExposureFound, as_item
from gantlet.config.keys import Exposure
from gantlet.config.rules_reader import UnreadableError, read_settings_text
from gantlet.config.trust_store import BrokenStoreError, TrustEntry, TrustStore
from gantlet.messages.value import value
from gantlet.system import directory_names

#: What everybody who looks for it finds in the notice.
NOT_TRUSTED = "this workspace has not been trusted"


class Standing(StrEnum):
    """How a part of a folder stands."""

    TRUSTED = "trusted"
    NEW = "not trusted"
    CHANGED = "changed since it was trusted"


@value
class ExposureTrust:
    """One part of a folder: what it holds now, what it held when somebody said yes."""

    found: ExposureFound
    standing: Standing
    before: tuple[str, ...] = ()

    @property
    def added(self) -> tuple[str, ...]:
        """What nobody said yes to."""
        before = set(self.before)
        return tuple(item for item in self.found.items if item not in before)

    @property
    def removed(self) -> tuple[str, ...]:
        """What is no longer there."""
        now = set(self.found.items)
        return tuple(item for item in self.before if item not in now)


@value
class FolderTrust:
    """How far a folder is trusted.

    Attributes:
        root: The folder, by its real path.
        parts: The parts that are not empty; an empty one needs no trust.
        by: Who said yes, in words; empty if nobody did.
        is_adopted: The yes is another program's, and we have none of our own yet.
        problem: Why the store could not be asked.
    """

    root: str
    parts: tuple[ExposureTrust, ...] = ()
    by: str = ""
    problem: str = ""
    is_adopted: bool = False

    def standing(self, exposure: Exposure) -> Standing:
        """Return how a part stands; what is not there needs no trust."""
        for part in self.parts:
            if part.found.exposure is exposure:
                return part.standing
        return Standing.TRUSTED

    def trusts(self, exposure: Exposure) -> bool:
        """Return whether what a part says counts."""
        return self.standing(exposure) is Standing.TRUSTED

    @property
    def untrusted(self) -> tuple[ExposureTrust, ...]:
        """The parts that do not count."""
        return tuple(part for part in self.parts if part.standing is not Standing.TRUSTED)

    @property
    def is_whole(self) -> bool:
        """Whether everything in the folder counts."""
        return not self.untrusted

    @property
    def notice(self) -> str:
        """One line about what is not used, empty where everything is."""
        if self.is_whole:
            return ""
        told = ", ".join(
            f"{part.found.exposure} ({part.standing})"
            if part.standing is Standing.CHANGED
            else f"{part.found.exposure} ({len(part.found.items)})"
            for part in self.untrusted
        )
        return (
            f"{self.root}: {NOT_TRUSTED}, so this is not used: {told}."
            " Look at it with 'gantlet trust show', then 'gantlet trust add', or pass --trust for"
            " one run."
        )


def _no() -> bool:
    """Return that nobody else was told yes."""
    return False


@value
class TrustQuestion:
    """What decides about the trust of one folder.

    Attributes:
        root: The project's root, by its real path.
        for_one_run: The user says yes on the command line, for this run only.
        accepted_elsewhere: Tells whether the user said yes to this folder in another program that
            reads the same settings. It counts until we have a yes of our own, which is kept part by
            part, and is not asked where nothing needs trust.
    """

    root: str
    store: TrustStore | None = None
    for_one_run: bool = False
    accepted_elsewhere: Callable[[], bool] = _no

    def answer(self, found: Mapping[Exposure, ExposureFound]) -> FolderTrust:
        """Return how far the folder is trusted, given what it holds."""
        if not found:
            return FolderTrust(self.root)
        if self.for_one_run:
            return FolderTrust(self.root, _all(found, Standing.TRUSTED), "--trust, for this run")
        try:
            entries = self.store.entries() if self.store is not None else {}
        except BrokenStoreError as error:
            return FolderTrust(self.root, _all(found, Standing.NEW), problem=str(error))
        entry = entries.get(self.root)
        if entry is not None:
            return _compared(self.root, found, entry, f"trusted since {entry.since}")
        main = main_checkout(Path(self.root))
        entry = entries.get(os.path.realpath(main)) if main is not None else None
        if entry is not None:
            by = f"a worktree of {entry.folder}, trusted since {entry.since}"
            return _compared(self.root, found, entry, by)
        if self.accepted_elsewhere():
            by = "accepted in .claude.json"
            return FolderTrust(self.root, _all(found, Standing.TRUSTED), by, is_adopted=True)
        return FolderTrust(self.root, _all(found, Standing.NEW))


def _all(found: Mapping[Exposure, ExposureFound], standing: Standing) -> tuple[ExposureTrust, ...]:
    """Return every part with one standing."""
    return tuple(ExposureTrust(one, standing) for one in found.values())


def _compared(
    root: str, found: Mapping[Exposure, ExposureFound], entry: TrustEntry, by: str
) -> FolderTrust:
    """Return how parts stand, compared with those somebody said yes to."""
    parts = [_part(one, entry) for one in found.values()]
    return FolderTrust(root, tuple(parts), by)


def _part(one: ExposureFound, entry: TrustEntry) -> ExposureTrust:
    """Return how one part stands."""
    digest = entry.digests.get(one.exposure)
    before = entry.items.get(one.exposure, ())
    if digest == one.digest:
        return ExposureTrust(one, Standing.TRUSTED, one.items)
    was_asked = bool(entry.digests) and digest is not None
    return ExposureTrust(one, Standing.CHANGED if was_asked else Standing.NEW, before)


def is_accepted_elsewhere(folder: Path, home: Path) -> bool:
    """Return whether `.claude.json` says yes to a folder. Whatever cannot be read is a no."""
    try:
        store = json.loads(read_settings_text(home / ".claude.json"))
    except (OSError, UnreadableError, ValueError, RecursionError):
        return False
    projects = store.get("projects") if isinstance(store, dict) else None
    if not isinstance(projects, dict):
        return False
    entries = [projects.get(name) for name in directory_names(str(folder))]
    return any(
        isinstance(entry, dict) and entry.get("hasTrustDialogAccepted") is True for entry in entries
    )


def parts_after_own_change(
    before: FolderTrust, after: Mapping[Exposure, ExposureFound], texts: Iterable[str]
) -> list[ExposureFound]:
    """Return the parts a change of our own altered, and that may be trusted as they are now.

    A part qualifies if it was trusted before, and nothing came to it but what we wrote.
    """
    written = {as_item(text) for text in texts}
    changed = []
    for exposure in (Exposure.ALLOW, Exposure.DIRECTORIES):
        now = after.get(exposure, ExposureFound(exposure))
        parts = [one.found.items for one in before.parts if one.found.exposure is exposure]
        held = {item for items in parts for item in items}
        fresh = [item for item in now.items if item not in held]
        ours = all(item.partition(" = ")[2] in written for item in fresh)
        if set(now.items) != held and before.trusts(exposure) and ours:
            changed.append(now)
    return changed
