"""Which program searches: a ripgrep that runs, or our own that answers the same."""

import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from gantlet.messages.value import value
from gantlet.system import run_child
from gantlet.tools.search.query import Query, ripgrep_options

Version: TypeAlias = tuple[int, ...]

_FALLBACK_MODULE = "gantlet.tools.search.fallback"
#: Set to no, it has the system's own ripgrep searched for first.
_USE_PACKAGED = "USE_BUILTIN_RIPGREP"
_OLDEST: Version = (13,)
_VERSION = re.compile(rb"ripgrep (\d+)\.(\d+)\.(\d+)")
_VERSION_SECONDS = 5.0
#: What a search needs of the environment: none of it can make ripgrep run or read anything else.
_KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR")


@value
class Program:
    """A program that can answer queries."""

    path: str
    is_ripgrep: bool = True

    def command(self, query: Query) -> list[str]:
        """Return the command that answers a query."""
        if self.is_ripgrep:
            return [self.path, *ripgrep_options(query)]
        return [self.path, "-I", "-m", _FALLBACK_MODULE, query.as_json()]


FALLBACK = Program(sys.executable, is_ripgrep=False)


def child_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a search: nothing in it configures ripgrep."""
    return {name: variables[name] for name in _KEPT_VARIABLES if name in variables}


async def choose_program(variables: Mapping[str, str], workspace: str) -> Program:
    """Return the newest ripgrep that runs, the packaged one among equals, or what stands in for it.

    One that lies below `workspace` is never run: whoever wrote the files there could have put it.
    """
    packaged, system = packaged_ripgrep(), list(_on_path(variables, workspace))
    candidates = [*packaged, *system]
    if variables.get(_USE_PACKAGED, "").strip().lower() in {"0", "false", "no", "off"}:
        candidates = system or candidates
    best: tuple[Version, str] | None = None
    for path in dict.fromkeys(candidates):
        version = await _version_of(path, variables)
        if version is not None and version >= _OLDEST and (best is None or version > best[0]):
            best = version, path
    return FALLBACK if best is None else Program(best[1])


def packaged_ripgrep() -> list[str]:
    """Return where the ripgrep that was installed with us can be."""
    folders = [Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))]
    return [str(folder / "rg") for folder in dict.fromkeys(folders)]


def _on_path(variables: Mapping[str, str], workspace: str) -> Iterator[str]:
    """Yield the first ripgrep that a shell would find outside of the workspace."""
    inside = os.path.realpath(workspace).rstrip("/") + "/"
    for folder in variables.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.realpath(Path(folder) / "rg")
        if not folder.startswith("/") or path.startswith(inside):
            continue
        if os.access(path, os.X_OK) and Path(path).is_file():
            yield path
            return


async def _version_of(path: str, variables: Mapping[str, str]) -> Version | None:
    """Return the version of a ripgrep, or None where that does not run."""
    try:
        result = await run_child(
            [path, "--no-config", "--version"],
            env=child_variables(variables),
            cwd="/",
            seconds=_VERSION_SECONDS,
            max_bytes=10_000,
        )
    except OSError:
        return None
    found = _VERSION.match(result.stdout)
    if result.exit_code != 0 or found is None:
        return None
    return tuple(int(number) for number in found.groups())
