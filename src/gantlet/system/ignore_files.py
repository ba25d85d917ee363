"""What files tell git and programs that search to pass over, and what to show all the same."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from gantlet.system.git_files import git_folder

_MAX_BYTES = 1024 * 1024
_GITIGNORE = ".gitignore"
#: What `rg` and `fd` read in every directory, and above it.
_OF_SEARCHES = (".ignore", ".rgignore", ".fdignore")
_REPOSITORIES = (".git", ".jj")
_EXCLUDES = re.compile(r"^\s*excludesfile\s*=\s*\"?\s*(\S+?)\s*\"?\s*$", re.I | re.M)
#: Stands for a file that is there and cannot be read: it may say anything.
_ANYTHING = ("!*",)


def ignore_lines(top: str, file: str) -> tuple[tuple[str, str], ...]:
    """Return the lines that may tell git to ignore a file, each with the directory it counts from.

    Those of the whole machine are not among them. What cannot be read may take anything back.
    """
    lines: list[tuple[str, str]] = []
    folders = [folder for folder in reversed(Path(file).parents) if folder.is_relative_to(top)]
    for folder in folders:
        lines += [(str(folder), line) for line in _lines(folder / _GITIGNORE)]
    excluded = _lines(Path(top, ".git", "info", "exclude"))
    return (*lines, *((top, line) for line in excluded))


def showing_lines(file: str) -> tuple[tuple[str, str], ...]:
    """Return the lines by which a search may show a file that it would pass over as hidden.

    Each comes without its `!`, with the directory it counts from; nothing stands for the whole
    machine. Those of git count inside of a repository.
    """
    found: list[tuple[str, str]] = []
    parents = Path(file).parents
    tops = (one for one in parents if any(os.path.lexists(one / name) for name in _REPOSITORIES))
    top = next(tops, None)
    for folder in parents:
        of_git = top is not None and folder.is_relative_to(top)
        for name in (*_OF_SEARCHES, *((_GITIGNORE,) if of_git else ())):
            found += [(str(folder), line) for line in _lines(folder / name)]
    if top is not None:
        found += [(str(top), line) for one in _excludes(top) for line in _lines(one)]
    found += [("", line) for one in _of_the_machine(os.environ) for line in _lines(one)]
    return tuple((folder, line[1:]) for folder, line in found if line.startswith("!"))


def _excludes(top: Path) -> Iterator[Path]:
    """Yield the files of a repository that say what to ignore, and are no part of it."""
    try:
        folder = git_folder(top)
    except OSError:
        return
    yield folder / "info" / "exclude"
    for common in _lines(folder / "commondir")[:1]:
        yield folder / common / "info" / "exclude"


def _of_the_machine(variables: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files of a user that say what to ignore wherever they work."""
    home = Path(variables.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - never raises
    settings = Path(variables.get("XDG_CONFIG_HOME") or home / ".config")
    yield settings / "git" / "ignore"
    yield settings / "fd" / "ignore"
    for file in (home / ".gitconfig", settings / "git" / "config"):
        for named in _EXCLUDES.findall("\n".join(_lines(file))):
            yield home / named.removeprefix("~/")


def _lines(file: Path) -> tuple[str, ...]:
    """Return the lines of a file; one that is not there has none."""
    try:
        with file.open("rb") as opened:
            text = os.fsdecode(opened.read(_MAX_BYTES))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ()
    except OSError:
        return _ANYTHING
    return tuple(line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n"))
