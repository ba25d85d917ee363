"""Whether settings files changed, without reading them."""

import os
from collections.abc import Iterable
from pathlib import Path

from gantlet.messages.value import value
from gantlet.rules import SourceKind

#: What is known of a file without opening it; None if there is none.
_Print = tuple[int, int, int] | None
#: What no file looks like.
_OTHER = (-1, -1, -1)


@value
class ChangedFile:
    """A settings file that changed: it was written, made or removed."""

    file: str
    kind: SourceKind


class SettingsWatch:
    """Looks at the few files that decide. Cheap enough to be asked before each call."""

    def __init__(self, files: Iterable[tuple[SourceKind, Path]]) -> None:
        self._files = [(kind, str(path)) for kind, path in files]
        self._prints = [_print_of(path) for _, path in self._files]

    def add(self, files: Iterable[tuple[SourceKind, Path]], since: int) -> None:
        """Look at more files from now on; one that changed after `since` counts as changed."""
        for kind, path in files:
            self._files.append((kind, str(path)))
            print_ = _print_of(str(path))
            is_new = print_ is not None and _changed_at(str(path)) >= since
            self._prints.append(_OTHER if is_new else print_)

    def has_changed(self) -> bool:
        """Return whether any file is another than at the last look."""
        for (_, path), before in zip(self._files, self._prints, strict=True):
            # Most are not there; to ask only for that is faster than to fail at asking for more.
            if before is None and not os.access(path, os.F_OK):
                continue
            if _print_of(path) != before:
                return True
        return False

    def look(self) -> tuple[ChangedFile, ...]:
        """Return the files that changed since the last look."""
        now = [_print_of(path) for _, path in self._files]
        changed = [
            ChangedFile(path, kind)
            for (kind, path), before, after in zip(self._files, self._prints, now, strict=True)
            if before != after
        ]
        self._prints = now
        return tuple(changed)


def _print_of(path: str) -> _Print:
    """Return what tells one version of a file from another."""
    try:
        facts = os.stat(path)  # noqa: PTH116 - asked before each call
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _changed_at(path: str) -> int:
    """Return when anything about a file last changed, in nanoseconds; long ago if it is gone."""
    try:
        return os.stat(path).st_ctime_ns  # noqa: PTH116 - as above
    except OSError:
        return 0
