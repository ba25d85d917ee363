"""Paths that decide what programs do, and paths that are no files at all."""

import re
from functools import lru_cache
from itertools import pairwise

from gantlet.permissions.workspace import Workspace
from gantlet.rules import PathParts, stands_for
from gantlet.system import FileKind, PathFacts

_DIRECTORIES = frozenset(
    {
        ".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn",
        ".claude",
    }
)  # fmt: skip
#: Directories that are protected only below another one.
_NESTED = frozenset({(".config", "git")})
#: What may be edited inside a protected directory all the same.
_EXEMPT = frozenset({(".claude", "worktrees")})
_FILES = frozenset(
    {
        ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases",
        ".bash_logout", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile",
        ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs",
        ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc", ".bazelversion",
        ".bazeliskrc", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml",
        ".lefthook.yml", ".lefthook.yaml", "gradle-wrapper.properties",
        "maven-wrapper.properties", ".devcontainer.json", ".ripgreprc", "pyrightconfig.json",
        ".mcp.json", ".claude.json",
    }
)  # fmt: skip
#: Our own: what is written there decides what is allowed from then on.
_OWN_FILES = frozenset({".mcp.json", ".claude.json"})
_OWN_DIRECTORIES = frozenset({".gantlet"})
_SETTINGS_DIRECTORY = ".claude"
#: Names of such files, for a shell's pattern that could stand for one.
_OWN_NAMES = (
    *_OWN_FILES, *_OWN_DIRECTORIES, _SETTINGS_DIRECTORY, "settings.json", "settings.local.json",
    "hooks",
)  # fmt: skip
#: What a path of ours holds at least; others are told apart by that at once.
_MAY_BE_OWN = re.compile(r"\.(?:mcp|claude|gantlet)", re.IGNORECASE)
_OWN_SETTINGS = re.compile(r"settings(\..*)?\.json|hooks")

_PROCESS = re.compile(r"/proc/[^/]+/(?:task/[^/]+/)?(root|cwd|fd|environ|mem|exe|map_files)(/|$)")
#: A device that holds nothing.
NO_DEVICE = "/dev/null"
#: What commands use every day, and what holds nothing of anybody's.
_HARMLESS = frozenset(
    f"/dev/{name}"
    for name in ("null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr")
)


@lru_cache(maxsize=1024)
def why_protected(path: str) -> str | None:
    """Return why a path is protected from being edited, or None. Case plays no part."""
    names = PathParts.of(path).folded
    for at, name in enumerate(names):
        pair = (name, names[at + 1] if at + 1 < len(names) else "")
        if (name in _DIRECTORIES and pair not in _EXEMPT) or pair in _NESTED:
            return f"{'/'.join(pair) if pair in _NESTED else name} decides what other programs do"
    if names and names[-1] in _FILES:
        return f"{names[-1]} decides what other programs do"
    return None


def is_own(path: str, workspace: Workspace) -> bool:
    """Return whether a path holds our own settings, hooks, servers or trust store."""
    return _is_own_by_name(path) or any(one.holds(path) for one in workspace.own)


def may_be_own(pattern: str, workspace: Workspace) -> bool:
    """Return whether a shell's pattern could stand for one of those paths."""
    return any(is_own(path, workspace) for path in stands_for(pattern, _OWN_NAMES))


@lru_cache(maxsize=1024)
def _is_own_by_name(path: str) -> bool:
    """Return whether a path is one of those that are ours wherever they lie."""
    if path.isascii() and not _MAY_BE_OWN.search(path):
        return False
    names = PathParts.of(path).folded
    if not names:
        return False
    if names[-1] in _OWN_FILES or names[-1] == _SETTINGS_DIRECTORY:
        return True
    return not _OWN_DIRECTORIES.isdisjoint(names) or any(
        name == _SETTINGS_DIRECTORY and _OWN_SETTINGS.fullmatch(below)
        for name, below in pairwise(names)
    )


def why_special(place: PathFacts, *, is_command: bool) -> str | None:
    """Return why a path is no file that a call should touch, or None.

    A command may name devices that hold nothing; a tool that reads files may not.
    """
    if is_command and place.lexical in _HARMLESS:
        return None
    for path in (place.lexical, place.real):
        if path == NO_DEVICE:
            continue
        if path.startswith("/dev/") or path == "/dev":
            return f"{path} is a device"
        if _PROCESS.match(path):
            return f"{path} reaches into a running process"
    if place.kind is FileKind.DEVICE and place.real != NO_DEVICE:
        return f"{place.lexical} is a device"
    if place.kind is FileKind.OTHER:
        return f"{place.lexical} is a pipe or a socket, not a file"
    return None
