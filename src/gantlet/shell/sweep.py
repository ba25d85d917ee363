"""Files that a command changes by where they lie, without naming each of them."""

from enum import StrEnum
from fnmatch import fnmatchcase

from gantlet.messages.value import value


class Reach(StrEnum):
    """Which files a command changes of those that lie somewhere."""

    ALL = "all"
    KEPT = "what git keeps"
    LOOSE = "what git does not keep"


@value
class Omission:
    """What a search leaves out.

    Attributes:
        pattern: What the path fits, as the search writes it, or with `by_name` its last part.
        with_below: Whatever lies below is left out too.
    """

    pattern: str
    by_name: bool = False
    with_below: bool = False

    def leaves_out(self, path: str) -> bool:
        """Return whether a path is left out."""
        return fnmatchcase(path.rpartition("/")[2] if self.by_name else path, self.pattern)


@value
class Sweep:
    """Files that a command changes, none of them named.

    Attributes:
        root: The directory or file at and below which they lie, seen from the command's directory.
        place: The directory git is in, seen from the same; nothing for other programs.
        written: The root as the command has it.
        is_known: Whether these directories can be told.
        is_whole: All of git's repository is meant, and not what lies at the root.
        with_ignored: Of what git does not keep, also what it is told to ignore.
        ignored: What it is told to ignore beside that, in lines of an ignore file.
        named: Patterns of names, with a NUL between them; nothing means all.
        fits: A pattern that paths below the root fit, any characters for a star; nothing means all.
        omits: What is left out.
        only_files: Directories are left out.
        max_depth: How far below the root files lie; negative means any depth.
        goes_below: What lies in a directory is changed with it.
    """

    root: str = "."
    reach: Reach = Reach.ALL
    place: str = ""
    written: str = "."
    is_known: bool = True
    is_whole: bool = False
    with_ignored: bool = True
    ignored: tuple[str, ...] = ()
    named: str = ""
    fits: str = ""
    omits: tuple[Omission, ...] = ()
    only_files: bool = False
    max_depth: int = -1
    goes_below: bool = True

    def reaches(self, below: str, *, is_folder: bool = False) -> bool:
        """Return whether a path is changed; it is seen from the root, and nothing is the root."""
        names = below.split("/") if below else []
        depths = range(1, len(names) + 1)
        if not names:
            return not (is_folder and self.only_files)
        return any(
            self._takes("/".join(names[:depth]), is_folder=depth < len(names) or is_folder)
            for depth in depths
            if depth == len(names) or self.goes_below
        )

    def _takes(self, path: str, *, is_folder: bool) -> bool:
        """Return whether a path is one of those that are meant themselves."""
        depth = path.count("/") + 1
        if (is_folder and self.only_files) or 0 <= self.max_depth < depth:
            return False
        name = path.rpartition("/")[2].lower()
        patterns = self.named.lower().split("\0")
        if self.named and not any(fnmatchcase(name, one) for one in patterns):
            return False
        if self.fits and not fnmatchcase(path, self.fits):
            return False
        return not self._is_omitted(path)

    def _is_omitted(self, path: str) -> bool:
        """Return whether a path is left out, or lies in something that is."""
        names = path.split("/")
        start = self.written.rstrip("/")
        return any(
            omission.leaves_out(f"{start}/{'/'.join(names[:depth])}")
            for omission in self.omits
            for depth in range(1 if omission.with_below else len(names), len(names) + 1)
        )
