"""Where a search runs, and how what it finds is called."""

import logging
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import TypeVar

from gantlet.messages.value import value
from gantlet.system import FileKind, PathFacts, Place, shown_name
from gantlet.tool import ToolContext, ToolError, Withheld

_log = logging.getLogger(__name__)
_Item = TypeVar("_Item")


@value
class Scope:
    """One directory, or one file, that is searched.

    Attributes:
        place: What is searched, as it was named and as it really is.
        cwd: From where paths are shown.
        is_wanted: What is asked of a found path besides; None wants everything.
    """

    place: Place
    is_file: bool
    cwd: str
    withheld: Withheld
    is_wanted: Callable[[str], bool] | None = None

    @property
    def folder(self) -> str:
        """The directory in which a search runs."""
        return str(PurePosixPath(self.place.real_text).parent) if self.is_file else self._real

    @property
    def target(self) -> str:
        """What is searched, seen from there."""
        return f"./{PurePosixPath(self._real).name}" if self.is_file else "./"

    @property
    def _real(self) -> str:
        return self.place.real_text

    def real(self, path: str) -> str:
        """Return where a found file really is."""
        return self._real if self.is_file else f"{self._real.rstrip('/')}/{path}"

    def lexical(self, path: str) -> str:
        """Return what a found file is called, with the links that were named."""
        lexical = self.place.lexical_text
        return lexical if self.is_file else f"{lexical.rstrip('/')}/{path}"

    def shown(self, path: str) -> str:
        """Return a found file as a model reads it: from where it works, if it lies below."""
        return shown_from(self.cwd, self.lexical(path))

    def visible(self, items: Iterable[_Item], path_of: Callable[[_Item], str]) -> list[_Item]:
        """Return what is wanted and may be shown. What cannot be told apart is left out."""
        wanted = self.is_wanted
        if wanted is not None:
            items = [item for item in items if wanted(path_of(item))]
        if self.withheld.is_empty:
            return list(items)
        return [item for item in items if not self._is_withheld(path_of(item))]

    def _is_withheld(self, path: str) -> bool:
        """Return whether rules forbid to read a found file."""
        try:
            return self.withheld.holds(self._facts(path))
        except Exception:  # noqa: BLE001 - what cannot be judged is not shown
            _log.exception("Whether a found file may be shown could not be told; it is left out.")
            return True

    def _facts(self, path: str) -> PathFacts:
        """Return what rules want to know of a file below a real directory, links not followed."""
        real = self.real(path)
        facts = os.lstat(real)
        is_folder = stat.S_ISDIR(facts.st_mode)
        if stat.S_ISLNK(facts.st_mode):
            real = os.path.realpath(real)
        return PathFacts(
            self.lexical(path),
            real,
            FileKind.DIRECTORY if is_folder else FileKind.FILE,
            is_linked=facts.st_nlink > 1 and not is_folder,
            inode=(facts.st_dev, facts.st_ino),
        )


def shown_from(cwd: str, path: str) -> str:
    """Return a path as it is seen from a directory; one that lies elsewhere is written out."""
    home = cwd.rstrip("/") + "/"
    shown = path.removeprefix(home) if path != cwd else "."
    return shown_name(shown)


def scope_of(path: str | None, context: ToolContext) -> Scope:
    """Return what a path names.

    Raises:
        ToolError: Nothing is there, or nothing that can be searched.
    """
    given = path or "."
    place = context.resolve(given)
    try:
        mode = os.stat(place.real_text).st_mode  # noqa: PTH116 - only the kind is wanted
    except FileNotFoundError as error:
        raise ToolError(
            f"No file or directory at {given!r}. Glob for its name, or list the directory above."
        ) from error
    except OSError as error:
        raise ToolError(f"{given!r} cannot be searched: {error.strerror}.") from error
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise ToolError(f"{given!r} is neither a file nor a directory. Name one of those.")
    return Scope(place, stat.S_ISREG(mode), context.surroundings.cwd, context.withheld)


def path_order(path: str) -> bytes:
    """Return what paths are sorted by: name by name, each by its bytes."""
    return path.encode(errors="surrogateescape").replace(b"/", b"\0")


def newest_first(scope: Scope, paths: Iterable[str]) -> list[str]:
    """Return paths by the time of their last change; equals by path; those that are gone last."""
    return sorted(paths, key=lambda path: (-_changed(scope.real(path)), path_order(path)))


def _changed(real: str) -> int:
    """Return when a file was changed last, in nanoseconds."""
    try:
        return os.lstat(real).st_mtime_ns
    except OSError:
        return 0
