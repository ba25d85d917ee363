"""Lists of globs that decide about paths: those of a query, and those of ignore files."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gantlet.messages.value import value
from gantlet.tools.search.fallback.globs import compile_glob
from gantlet.tools.search.fallback.rejected import RejectedError

#: The files that say what to leave out, the strongest kind first.
_KINDS = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
_GIT_KINDS = frozenset({".gitignore", ".git/info/exclude"})
_REPOSITORIES = (".git", ".jj")
_MAX_FILE_BYTES = 10_000_000


@value
class Line:
    """One line of an ignore file."""

    pattern: re.Pattern[str]
    keeps: bool
    only_folders: bool


def read_line(text: str) -> Line | None:
    """Return what a line of an ignore file means, or None if it means nothing.

    Raises:
        RejectedError: It is no glob.
    """
    if not text.endswith("\\ "):
        text = text.rstrip()
    if not text or text.startswith("#"):
        return None
    keeps, is_anchored = False, False
    if text.startswith(("\\!", "\\#")):
        text = text[1:]
    else:
        keeps = text.startswith("!")
        text = text[1:] if keeps else text
        is_anchored = text.startswith("/")
        text = text[1:] if is_anchored else text
    only_folders = text.endswith("/")
    text = text[:-1].removesuffix("\\") if only_folders else text
    if not is_anchored and "/" not in text and text != "**" and not text.startswith("**/"):
        text = f"**/{text}"
    if text.endswith("/**"):
        text += "/*"
    return Line(compile_glob(text), keeps, only_folders)


def verdict(lines: Sequence[Line], path: str, *, is_folder: bool) -> bool | None:
    """Return whether the last line that means a path keeps it, or None where none does."""
    for line in reversed(lines):
        if (is_folder or not line.only_folders) and line.pattern.fullmatch(path):
            return line.keeps
    return None


def fitting(glob: str) -> Callable[[str], bool]:
    """Return what decides whether a path fits a glob that says which files are wanted.

    Raises:
        RejectedError: It is no glob.
    """
    line = read_line(glob)
    if line is None:
        return lambda path: False
    return lambda path: line.pattern.fullmatch(path) is not None


@value
class Overrides:
    """The globs of a query: those without `!` say what is wanted, and beat every ignore file."""

    lines: tuple[Line, ...]

    @classmethod
    def of(cls, globs: Iterable[str]) -> "Overrides":
        """Read the globs of a query.

        Raises:
            RejectedError: One of them is no glob.
        """
        return cls(tuple(line for glob in globs if (line := read_line(glob)) is not None))

    def wants(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether a path is wanted, or None where the globs leave that open."""
        found = verdict(self.lines, path, is_folder=is_folder)
        if found is not None:
            return not found  # `!` leaves out here what it keeps in an ignore file
        has_wanted = any(not line.keeps for line in self.lines)
        return False if has_wanted and not is_folder else None


@value
class IgnoreFiles:
    """The ignore files of one directory, by their kind, and those of the directories above.

    Those of git count only inside of a repository, and not beyond its root.
    """

    folder: str
    lines: dict[str, tuple[Line, ...]]
    is_repository: bool
    is_inside: bool
    above: "IgnoreFiles | None" = None

    @classmethod
    def of(cls, folder: Path, above: "IgnoreFiles | None") -> "IgnoreFiles":
        """Read the ignore files of a directory."""
        found = {kind: _read(folder / kind) for kind in _KINDS}
        lines = {kind: read for kind, read in found.items() if read}
        is_repository = any((folder / name).exists() for name in _REPOSITORIES)
        is_inside = is_repository or (above is not None and above.is_inside)
        return cls(str(folder).rstrip("/"), lines, is_repository, is_inside, above)

    def keeps(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether the files keep an absolute path, or None where none means it."""
        for kind in _KINDS:
            here: IgnoreFiles | None = self if self.is_inside or kind not in _GIT_KINDS else None
            while here is not None:
                lines = here.lines.get(kind, ())
                found = verdict(lines, path[len(here.folder) + 1 :], is_folder=is_folder)
                if found is not None:
                    return found
                here = None if here.is_repository and kind in _GIT_KINDS else here.above
        return None


def ignore_files_at(folder: Path) -> IgnoreFiles:
    """Return the ignore files of a directory and of all above it."""
    files: IgnoreFiles | None = None
    for parent in (*reversed(folder.parents), folder):
        files = IgnoreFiles.of(parent, files)
    assert files is not None
    return files


def _read(file: Path) -> tuple[Line, ...]:
    """Return the lines of an ignore file; those that mean nothing are left out."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MAX_FILE_BYTES).decode(errors="surrogateescape")
    except OSError:
        return ()
    lines: list[Line] = []
    for raw in text.removeprefix("\ufeff").split("\n"):
        try:
            line = read_line(raw.removesuffix("\r"))
        except RejectedError:
            continue
        if line is not None:
            lines.append(line)
    return tuple(lines)
