"""What a path touches, found by asking the kernel at each step, and nothing clever.

A thing that exists is its device and inode. A thing that does not is the folder it would be made
in, and the names from there. This says nothing about names that only some mounts tell apart.
"""

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from gantlet.tool import Access, File, Named, Resource, Tree

Inode: TypeAlias = tuple[int, int]
_MAX_LINKS = 40


class UnresolvedError(Exception):
    """The kernel would not let anybody get there."""


@dataclass
class Touched:
    """Everything one resource stands for.

    Attributes:
        inodes: What exists.
        shared_below: Those of them that were found in a tree and have other names elsewhere. Two
            trees that share only such a file are not looked through, so that does not count.
        folders: Those of them in which anything may be made.
        missing: What does not exist: the folder it would be in, and the names from there.
        names: What is no file.
    """

    inodes: set[Inode] = field(default_factory=set)
    shared_below: set[Inode] = field(default_factory=set)
    folders: set[Inode] = field(default_factory=set)
    missing: set[tuple[Inode, tuple[str, ...]]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def meets(self, other: "Touched") -> bool:
        """Return whether the two share anything that exists or could."""
        return bool(
            (self.inodes & other.inodes) - (self.shared_below & other.shared_below)
            or self.names & other.names
            or any(folder in other.folders for folder, _ in self.missing)
            or any(folder in self.folders for folder, _ in other.missing)
            or any(
                mine[0] == theirs[0] and _one_holds_the_other(mine[1], theirs[1])
                for mine in self.missing
                for theirs in other.missing
            )
        )


def _one_holds_the_other(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


def touched(resource: Resource, cwd: str) -> Touched:
    """Return everything that a resource stands for.

    Raises:
        UnresolvedError: Nobody can get there.
    """
    match resource:
        case Named(name):
            return Touched(names={name})
        case File(path) | Tree(path):
            return _touched_path(Path(cwd, path))
        case _:
            raise NotImplementedError(resource)


def _touched_path(path: Path) -> Touched:
    try:
        facts = path.stat()
    except FileNotFoundError:
        return Touched(missing={_where_it_would_be(path)})
    except OSError as error:
        raise UnresolvedError from error
    found = Touched(inodes={(facts.st_dev, facts.st_ino)})
    if path.is_dir():
        found.folders |= found.inodes
        for below in path.rglob("*"):
            facts = below.lstat()
            inode = (facts.st_dev, facts.st_ino)
            found.inodes.add(inode)
            if stat.S_ISDIR(facts.st_mode):
                found.folders.add(inode)
            elif facts.st_nlink > 1:
                found.shared_below.add(inode)
    return found


def _where_it_would_be(path: Path, links: int = 0) -> tuple[Inode, tuple[str, ...]]:
    """Return the nearest folder that exists, and the names from there."""
    at = Path("/")
    steps = path.parts[1:]
    for index, step in enumerate(steps):
        following = at / step
        if following.is_symlink():
            if links > _MAX_LINKS:
                raise UnresolvedError
            return _where_it_would_be(
                at.joinpath(following.readlink(), *steps[index + 1 :]), links + 1
            )
        if not following.exists():
            if ".." in steps[index:] or not at.is_dir():
                raise UnresolvedError
            here = at.stat()
            return (here.st_dev, here.st_ino), steps[index:]
        at = following
    raise AssertionError(f"{path} exists")


def clash(first: Access, second: Access, cwd: str) -> bool:
    """Return whether one writes what the other touches, as far as the kernel knows."""
    reads = [[touched(one, cwd) for one in access.reads] for access in (first, second)]
    writes = [[touched(one, cwd) for one in access.writes] for access in (first, second)]
    return any(mine.meets(theirs) for mine in writes[0] for theirs in reads[1] + writes[1]) or any(
        mine.meets(theirs) for mine in writes[1] for theirs in reads[0]
    )
