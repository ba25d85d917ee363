"""Which file a program's name is, and whether only the system's owner can make it another."""

import os
import stat
from collections.abc import Iterable, Sequence

from gantlet.messages.value import replace, value

#: Where the system keeps its programs.
SYSTEM_FOLDERS = (*("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),)
_MAX_LINKS = 40
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
#: Where nothing stays as it is, whoever made it, and where people have their own things.
_PASSING = ("/tmp", "/var/tmp", "/dev/shm", "/root", "/home")


@value
class FixedPath:
    """A search path of folders in which only the system's owner can put a program.

    Attributes:
        folders: Where programs are looked for, in order.
        workspace: What a session works in: of that nothing is believed.
        named: Folders that the user takes for such, whoever owns them.
        homes: Where nothing else is believed, although root may own it.
    """

    folders: tuple[str, ...]
    workspace: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, path: str, *, workspace: Sequence[str] = (), home: str = "", named: Sequence[str] = ()
    ) -> "FixedPath":
        """Return what of a search path is fixed, and the system's own folders behind it."""
        homes = (*((home,) if home else ()), *_PASSING)
        made = cls((), _real(workspace), tuple(map(os.path.realpath, named)), _real(homes))
        both = dict.fromkeys((*absolute_folders(path), *SYSTEM_FOLDERS))
        return replace(made, folders=tuple(one for one in both if made.has_fixed(one)))

    @property
    def text(self) -> str:
        """The folders as a variable has them."""
        return os.pathsep.join(self.folders)

    def has_fixed(self, path: str) -> bool:
        """Return whether nobody but the system's owner, or whoever was named, can change a path."""
        if self.is_of_workspace(path):
            return False
        real = os.path.realpath(path)
        if any(_is_within(real, one) for one in self.named):
            return True
        return is_fixed(path) and not any(_is_within(real, one) for one in self.homes)

    def is_of_workspace(self, path: str) -> bool:
        """Return whether a file lies in what a session works in, by its name or really."""
        real = os.path.realpath(path)
        return any(_is_within(one, folder) for one in (path, real) for folder in self.workspace)

    def file_of(self, program: str) -> str:
        """Return the file a program is here, or nothing."""
        return find_program(program, self.folders)


def absolute_folders(path: str) -> list[str]:
    """Return the folders of a search path, without those that depend on where a command is."""
    return [one for one in path.split(os.pathsep) if one.startswith("/")]


def find_program(name: str, folders: Iterable[str]) -> str:
    """Return the first file of a name that can be run, or nothing."""
    for folder in folders:
        path = f"{folder.rstrip('/')}/{name}"
        if os.access(path, os.X_OK) and not os.path.isdir(path):  # noqa: PTH112 - asked of many
            return path
    return ""


def is_fixed(path: str) -> bool:
    """Return whether root owns a file, all that leads to it, and nobody else may write there."""
    waiting = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    here, links = "/", 0
    if not path.startswith("/") or not _is_roots(_facts("/")):
        return False
    while waiting:
        part = waiting.pop()
        if part == "..":
            here = os.path.dirname(here)  # noqa: PTH120 - of a path without links
            continue
        step = f"{here.rstrip('/')}/{part}"
        facts = _facts(step)
        if facts is None or facts.st_uid != 0:
            return False
        if stat.S_ISLNK(facts.st_mode):
            links += 1
            target = os.readlink(step)  # noqa: PTH115 - text
            here = "/" if target.startswith("/") else here
            waiting += [one for one in reversed(target.split("/")) if one not in ("", ".")]
            if links > _MAX_LINKS:
                return False
        elif not _is_roots(facts, is_on_the_way=bool(waiting)):
            return False
        else:
            here = step
    return True


def _is_roots(facts: os.stat_result | None, *, is_on_the_way: bool = False) -> bool:
    """Return whether only root can change something, or on the way what root has in it."""
    if facts is None or facts.st_uid != 0:
        return False
    keeps = is_on_the_way and bool(facts.st_mode & stat.S_ISVTX)
    return keeps or not facts.st_mode & _OTHERS_MAY_WRITE


def _facts(path: str) -> os.stat_result | None:
    """Return what stands at a path, links not followed."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def _real(folders: Sequence[str]) -> tuple[str, ...]:
    """Return folders without links; who works in `/` does not own the system by that."""
    real = dict.fromkeys(map(os.path.realpath, folders))
    return tuple(
        one for one in real if not any(_is_within(system, one) for system in SYSTEM_FOLDERS)
    )


def _is_within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
