"""Removals that nobody should make by accident: roots, homes, the working directory."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from gantlet.shell.analysis import Analysis, SimpleCommand, Word

_VARIABLE_FIRST = re.compile(r"\$(?:\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*|[0-9@*])(/*)(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*|[0-9@*])")
_DRIVE = re.compile(r"(?:[A-Za-z]:[\\/]*|/(?:mnt/)?[A-Za-z]/*|/cygdrive/[A-Za-z]/*)\*?")
_EVERYTHING = re.compile(r"\.?\*+|\.\[!\.\]\*|\.\?\?\*")
_OPTION = re.compile(r"-[A-Za-z]+|--[a-z-]+(?:=.*)?")
_HOME_VARIABLE = re.compile(r"\$(?:HOME|\{HOME(?::?[-=?+][^}]*)?\})(?=/|\Z)")
_HERE_VARIABLE = re.compile(r"\$(?:PWD|\{PWD\})(?=/|\Z)|\$\(\s*pwd\s*\)|`\s*pwd\s*`")
_REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred", "grm", "srm"})
#: Tests of `find` by the name, and what stands between tests.
_NAME_TESTS = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"})
_NEGATIONS = frozenset({"!", "-not"})
_ALTERNATIVES = frozenset({"-o", "-or", ","})
#: What decides what is allowed, by its name and from the directory it counts in.
_VITAL_NAMES = (
    ".mcp.json", ".claude", ".gantlet", "hooks", "settings.json", "settings.local.json",
    "./.mcp.json", "./.claude", "./.claude/settings.json", "./.claude/settings.local.json",
)  # fmt: skip
_MAY_REMOVE = _REMOVERS | {"find", "gfind"}


def critical_removal(
    analysis: Analysis, cwd: str, home: str, directories: Iterable[str]
) -> str | None:
    """Return why a command line may remove something vital, or None.

    `cwd` and `home` are absolute; `directories` are the further ones the session works in.
    """
    places: _Places | None = None
    for command in analysis.commands:
        for target in _targets(command):
            places = places or _Places(cwd, home, directories)
            reason = _reason(command, target, places)
            if reason is not None:
                return f"`{command.program} {target.raw or target.text}` would remove {reason}."
    return None


def _targets(command: SimpleCommand) -> list[Word]:
    """Return what a command removes."""
    name = command.program
    if name not in _MAY_REMOVE:
        return []
    words = list(command.argv[1:])
    if name in _REMOVERS:
        targets: list[Word] = []
        for index, word in enumerate(words):
            if word.is_literal and word.text == "--":
                return [*targets, *words[index + 1 :]]
            if not (word.is_literal and _OPTION.fullmatch(word.text)):
                targets.append(word)
        return targets
    return _roots(words) if _removes_found(words) else []


def _removes_found(words: Sequence[Word]) -> bool:
    """Return whether `find` removes what it finds."""
    return any(
        word.text == "-delete" or word.text.rpartition("/")[2] in _REMOVERS for word in words
    )


def _roots(words: Sequence[Word]) -> list[Word]:
    roots = []
    for word in words:
        if word.text.startswith("-") or word.text in ("(", "!"):
            if word.text in ("-H", "-L", "-P"):
                continue
            break
        roots.append(word)
    return [] if _is_narrowed(words) else roots or [Word(".", is_literal=True, raw=".")]


def _is_narrowed(words: Sequence[Word]) -> bool:
    """Return whether `find` finds only what a test by the name fits, and nothing that is vital."""
    choices: list[list[Word]] = [[]]
    for word in words:
        if word.text in _NEGATIONS:
            return False
        if word.text in _ALTERNATIVES:
            choices.append([])
        else:
            choices[-1].append(word)
    return all(map(_is_tested, choices))


def _is_tested(words: Sequence[Word]) -> bool:
    """Return whether tests that must all hold take one by the name that nothing vital fits."""
    return any(
        test.text in _NAME_TESTS and pattern.is_literal and not _may_be_vital(pattern.text)
        for test, pattern in pairwise(words)
    )


def _may_be_vital(pattern: str) -> bool:
    """Return whether a pattern of `find` fits a file that decides what is allowed."""
    return any(fnmatchcase(path, pattern.lower()) for path in _VITAL_NAMES)


class _Places:
    """The directories that matter."""

    __slots__ = ("cwd", "directories", "home")

    def __init__(self, cwd: str, home: str, directories: Iterable[str]) -> None:
        self.cwd = posixpath.normpath(cwd)
        self.home = posixpath.normpath(home)
        self.directories = [posixpath.normpath(directory) for directory in directories]

    def at(self, place: str | None) -> str:
        """Return the directory a command runs in."""
        if place is not None and place.startswith("~"):
            return posixpath.join(self.home, place[2:])
        return posixpath.join(self.cwd, place or ".")

    def parents(self) -> list[str]:
        """Return the working directory and all above it."""
        found = [self.cwd]
        while found[-1] not in ("/", "", "//", "."):
            found.append(posixpath.dirname(found[-1]))
        return found


def _reason(command: SimpleCommand, target: Word, places: _Places) -> str | None:
    """Return what would be lost with a target, or None."""
    text = target.text
    if not target.is_literal:
        text = _HERE_VARIABLE.sub(".", _HOME_VARIABLE.sub("~", text), count=1)
        found = _VARIABLE_FIRST.fullmatch(text)
        if found:
            return _after_variable(found.group(1), found.group(2))
    if _DRIVE.fullmatch(text):
        return "a drive"
    if text.startswith("~") and (target.raw.startswith("~") or not target.is_literal):
        name, _, rest = text.partition("/")
        if name != "~":
            return "somebody's home directory" if rest in ("", "*") else None
        path = posixpath.join(places.home, rest.lstrip("/"))
    elif command.cwd is None and not text.startswith("/"):
        is_vague = _EVERYTHING.fullmatch(text.rstrip("/")) or _is_upward(text)
        return "what is in a directory that is not known" if is_vague else None
    else:
        path = posixpath.join(places.at(command.cwd), text)
    return _vital(posixpath.normpath(path), places, is_glob=target.has_glob)


def _after_variable(slashes: str, rest: str) -> str | None:
    """Return what is lost if the variable in front is empty, and those behind it."""
    rest = _VARIABLE.sub("", rest.replace('"', "")).strip("/")
    if slashes and (not rest or "*" in rest.partition("/")[0] or "?" in rest.partition("/")[0]):
        return "the root directory if the variable is empty"
    if not slashes and rest.startswith("*"):
        return "everything here if the variable is empty"
    return None


def _is_upward(text: str) -> bool:
    return posixpath.normpath(text).partition("/")[0] in (".", "..")


def _vital(path: str, places: _Places, *, is_glob: bool) -> str | None:
    """Return what a path is if it, or what its glob matches, is vital."""
    path = "/" + path.lstrip("/")
    parent, _, name = path.rpartition("/")
    if not parent:
        return "the root directory or what is directly in it"
    if _matches(path, places.home, is_glob=is_glob):
        return "the home directory"
    if any(_matches(path, place, is_glob=is_glob) for place in places.parents()):
        return "the working directory or one above it"
    if any(_matches(path, place, is_glob=is_glob) for place in places.directories):
        return "an additional directory"
    if not is_glob or not any(mark in name for mark in "*?["):
        return None
    if _EVERYTHING.fullmatch(name) and parent in (places.cwd, places.home):
        return "everything in a directory that matters"
    if parent in places.directories:
        return "files by a pattern in an additional directory"
    return None


def _matches(pattern: str, path: str, *, is_glob: bool) -> bool:
    """Return whether a path, or a glob part by part, names another path."""
    if not is_glob:
        return pattern == path
    patterns, parts = pattern.split("/"), path.split("/")
    if len(patterns) != len(parts):
        return False
    return all(fnmatchcase(part, one) for one, part in zip(patterns, parts, strict=True))
