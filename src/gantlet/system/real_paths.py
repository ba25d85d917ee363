"""Links followed in several paths that have much in common."""

import os
import stat

from gantlet.system.path_facts import directory_names


class RealPaths:
    """Follows links, looking at each part of all its paths once: for one look, not to be kept."""

    def __init__(self) -> None:
        self._known = {"": ""}
        self._gone: set[str] = set()  # nothing is below them

    def __call__(self, path: str) -> str:
        """Return what `os.path.realpath` does."""
        return self._followed(path) or "/" if _is_plain(path) else os.path.realpath(path)

    def names(self, directory: str) -> tuple[str, ...]:
        """Return what `directory_names` does."""
        if not _is_plain(directory):
            return directory_names(directory)
        try:
            real = self(directory)
        except (ValueError, RecursionError):  # what cannot be a path, or very many links
            return directory_names(directory)
        return (directory,) if real == directory else (directory, real)

    def _followed(self, path: str) -> str:
        """Return where a path leads; nothing for the root."""
        if path == "/":
            return ""
        folders = [path]
        while (folder := folders[-1].rpartition("/")[0]) not in self._known:
            folders.append(folder)
        real = self._known[folder]
        for part in reversed(folders):
            real = self._known[part] = self._step(real, part.rpartition("/")[2])
        return real

    def _step(self, folder: str, name: str) -> str:
        """Return where a name leads in a folder that is followed already."""
        path = f"{folder}/{name}"
        try:
            mode = 0 if folder in self._gone else os.lstat(path).st_mode
        except FileNotFoundError:
            mode = 0
        except OSError:
            return path
        if not mode:
            self._gone.add(path)
        return os.path.realpath(path).rstrip("/") if stat.S_ISLNK(mode) else path


def _is_plain(path: str) -> bool:
    """Return whether a path begins at the root, and has nothing to fold in it."""
    return (
        path.startswith("/")
        and path[1:2] != "/"
        and "\0" not in path
        and os.path.normpath(path) == path
    )
