"""Links followed in several paths that have much in common."""

import os
import stat

from gantlet.system.path_facts import directory_names


class RealPaths:
    """Follows links, looking at each part of all its paths once: for one look, not to be kept."""

    def __init__(self) -> None:
        self._known = {"": ""}

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
            real = self._known[part] = _step(f"{real}/{part.rpartition('/')[2]}")
        return real


def _is_plain(path: str) -> bool:
    """Return whether a path begins at the root, and has nothing to fold in it."""
    return path.startswith("/") and path[1:2] != "/" and os.path.normpath(path) == path


def _step(path: str) -> str:
    """Return where a path leads whose folder is followed already."""
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return path
    return os.path.realpath(path).rstrip("/") if is_link else path
