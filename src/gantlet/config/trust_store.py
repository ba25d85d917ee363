"""The user's yes to folders, kept outside of every folder it is about."""

import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from gantlet.config.exposures import ExposureFound
from gantlet.config.file_lock import locked
from gantlet.config.keys import Exposure
from gantlet.config.rules_reader import UnreadableError, read_settings_text
from gantlet.messages.value import value
from gantlet.system import make_private_folder, write_private
from gantlet.tool import UserError

STORE_NAME = "trust.json"
_VERSION = 1
_WRITABLE_BY_OTHERS = 0o022


class BrokenStoreError(Exception):
    """The store is there and says nothing that could be relied on."""


@value
class TrustEntry:
    """What somebody said yes to in one folder.

    Attributes:
        folder: The real path of the project's root.
        since: When, in ISO 8601.
        digests: The hash of each part, as it was then.
        items: What each part held, for showing what changed.
    """

    folder: str
    since: str
    digests: Mapping[Exposure, str]
    items: Mapping[Exposure, tuple[str, ...]]


@value
class TrustStore:
    """A file that only its owner may read and write."""

    file: Path

    def entries(self) -> dict[str, TrustEntry]:
        """Return every folder that was said yes to.

        Raises:
            BrokenStoreError: The file cannot be read, is no store, or others could have written it.
        """
        try:
            facts = self.file.stat()
            text = read_settings_text(self.file)
        except FileNotFoundError:
            return {}
        except (OSError, UnreadableError) as error:
            raise BrokenStoreError(f"{self.file}: {error}") from error
        if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & _WRITABLE_BY_OTHERS:
            raise BrokenStoreError(f"{self.file} can be written by others, so nothing in it counts")
        try:
            return _read(json.loads(text))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BrokenStoreError(
                f"{self.file} is damaged, so no folder is trusted; mend it or remove it"
            ) from error

    def put(
        self, folder: str, found: Iterable[ExposureFound], *, keep_others: bool = False
    ) -> None:
        """Write down a yes to the parts of a folder as they are now.

        With `keep_others` what was said before about other parts stays.

        Raises:
            UserError: It could not be written.
        """
        listed = tuple(found)
        digests = {one.exposure: one.digest for one in listed}
        items = {one.exposure: one.items for one in listed}

        def change(entries: dict[str, TrustEntry]) -> None:
            before = entries.get(folder)
            if keep_others and before is not None:
                merged = ({**before.digests, **digests}, {**before.items, **items})
                entries[folder] = TrustEntry(folder, before.since, *merged)
            else:
                entries[folder] = TrustEntry(folder, _now(), digests, items)

        self._change(change)

    def remove(self, folder: str) -> bool:
        """Take a yes back; return whether there was one.

        Raises:
            UserError: It could not be written.
        """
        gone: list[TrustEntry | None] = []
        self._change(lambda entries: gone.append(entries.pop(folder, None)))
        return gone != [None]

    def _change(self, change: Callable[[dict[str, TrustEntry]], None]) -> None:
        """Change the entries under a lock, all or nothing."""
        try:
            make_private_folder(self.file.parent)
            with locked(self.file):
                entries = self.entries()
                change(entries)
                write_private(self.file, _written(entries))
        except BrokenStoreError as error:
            raise UserError(f"{error}. Nothing was written.") from error
        except OSError as error:
            raise UserError(f"{self.file} could not be written: {error.strerror}.") from error


def _now() -> str:
    """Return the time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(stored: Mapping[str, object]) -> dict[str, TrustEntry]:
    """Return the entries of a store; raises for whatever is no store."""
    if stored["version"] != _VERSION:
        raise ValueError("another version")
    folders = stored["folders"]
    if not isinstance(folders, dict):
        raise TypeError("no object")
    return {folder: _entry(folder, content) for folder, content in folders.items()}


def _entry(folder: str, content: Mapping[str, object]) -> TrustEntry:
    """Return one entry; parts that we do not know are left out."""
    exposures = content["exposures"]
    if not isinstance(exposures, dict):
        raise TypeError("no object")
    known = {Exposure(name): part for name, part in exposures.items() if name in set(Exposure)}
    return TrustEntry(
        folder,
        str(content.get("since", "")),
        {exposure: str(part["sha256"]) for exposure, part in known.items()},
        {exposure: tuple(map(str, part["items"])) for exposure, part in known.items()},
    )


def _written(entries: Mapping[str, TrustEntry]) -> str:
    """Return entries as text."""
    folders = {
        folder: {
            "since": entry.since,
            "exposures": {
                str(exposure): {"sha256": digest, "items": list(entry.items[exposure])}
                for exposure, digest in entry.digests.items()
            },
        }
        for folder, entry in sorted(entries.items())
    }
    return json.dumps({"version": _VERSION, "folders": folders}, indent=1) + "\n"
