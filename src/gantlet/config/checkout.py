"""Which folder is the project. What a checkout says of itself proves nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

#: What follows the links in a path.
Follow: TypeAlias = Callable[[str], str]

_GIT = ".git"
_MAX_POINTER_BYTES = 4096
_POINTER = "gitdir: "


def project_root(cwd: Path, home: Path, followed: Follow = os.path.realpath) -> Path:
    """Return the top of the checkout a folder lies in; without one, the folder itself.

    A home directory that is a checkout makes no project of everything below it.
    """
    real, top = followed(str(cwd)), followed(str(home))
    folder, above = real, os.path.dirname(real)  # noqa: PTH120 - at each start: texts, not paths
    while folder == real or folder != top:
        if os.path.lexists(f"{folder.rstrip('/')}/{_GIT}"):
            return Path(folder)
        if above == folder:
            break
        folder, above = above, os.path.dirname(above)  # noqa: PTH120 - as above
    return Path(real)


def folders_down_to(root: Path, here: str) -> tuple[Path, ...]:
    """Return the folders from a project's root down to the one a session really is in."""
    if here == str(root):
        return (root,)
    real = Path(here)
    if not real.is_relative_to(root):
        return (root,)
    above = [folder for folder in (real, *real.parents) if folder.is_relative_to(root)]
    return tuple(reversed(above))


def main_checkout(root: Path) -> Path | None:
    """Return the checkout that a folder is a worktree of, or None.

    The folder's own pointer is only a claim: anybody can write one. It counts if the other checkout
    lists this very folder among its worktrees.
    """
    claimed = _pointed_at(root / _GIT)
    if claimed is None or claimed.parent.name != "worktrees" or claimed.parent.parent.name != _GIT:
        return None
    listed = _read_line(claimed / "gitdir")
    if listed is None or os.path.realpath(listed) != os.path.realpath(root / _GIT):
        return None
    return claimed.parent.parent.parent


def _pointed_at(pointer: Path) -> Path | None:
    """Return the folder that a `.git` file points to."""
    line = _read_line(pointer)
    if line is None or not line.startswith(_POINTER):
        return None
    return Path(os.path.realpath(pointer.parent / line.removeprefix(_POINTER)))


def _read_line(file: Path) -> str | None:
    """Return the only line of a small file, or None."""
    try:
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            text = opened.read(_MAX_POINTER_BYTES).decode()
    except (OSError, ValueError):
        return None
    line = text.strip("\n")
    return line if line and "\n" not in line and "\0" not in line else None
