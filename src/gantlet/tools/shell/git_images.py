"""What files were by git: those that were as the last commit has them need no copy."""

import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from gantlet.messages.value import value
from gantlet.system import run_in_thread
from gantlet.tool import FileState
from gantlet.tools.shell.git_settings import why_git_runs_more

_STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--no-renames")
_HEADER = re.compile(rb"([0-9a-f]{40,64}) blob (\d+)\n")
_MODES = {b"100755": 0o755}

#: Runs git with words and an input in a folder; returns what it said, or None where it failed.
RunGit: TypeAlias = Callable[[tuple[str, ...], str, bytes], Awaitable[bytes | None]]


@value
class GitState:
    """A repository at one moment: its commit, its root, and what differs from the commit."""

    commit: str
    root: str
    dirty: frozenset[str]


class GitImages:
    """Asks git what files were. A repository whose settings run programs is not asked."""

    def __init__(self, run: RunGit) -> None:
        self._run = run

    async def state(self, project: str) -> GitState | None:
        """Return how the repository of a project stands; None where there is none to ask."""
        root = await run_in_thread(partial(_root, project))
        if root is None:
            return None
        told = await self._run(_STATUS, root, b"")
        return None if told is None else _read_status(told, root)

    async def contents(
        self, project: str, state: GitState | None, paths: Iterable[str]
    ) -> dict[str, FileState]:
        """Return what files held that were then as the commit has them."""
        if state is None:
            return {}
        root = f"{state.root}/"
        named = {path.removeprefix(root): path for path in paths if path.startswith(root)}
        asked = [name for name in named if name not in state.dirty and "\n" not in name]
        if not asked:
            return {}
        modes = await self._modes(state, asked)
        asked = [name for name in asked if name in modes]
        lines = "".join(f"{state.commit}:{name}\n" for name in asked)
        told = await self._run(("cat-file", "--batch"), state.root, os.fsencode(lines))
        found = _read_blobs(told or b"", asked)
        return {named[name]: FileState(content, modes[name]) for name, content in found.items()}

    async def _modes(self, state: GitState, names: list[str]) -> dict[str, int]:
        """Return which of some names the commit has as plain files, and how they may be used."""
        words = ("ls-tree", "-z", "--full-tree", "-r", state.commit, "--", *names[:500])
        told = await self._run(words, state.root, b"") or b""
        modes: dict[str, int] = {}
        for entry in told.split(b"\0"):
            facts, _, name = entry.partition(b"\t")
            kind = facts.split(b" ")[0]
            if kind in (b"100644", b"100755"):
                modes[os.fsdecode(name)] = _MODES.get(kind, 0o644)
        return modes


def _root(project: str) -> str | None:
    """Return the root of a project's repository if git can be asked there. Blocks."""
    for folder in (Path(project), *Path(project).parents):
        if (folder / ".git").exists():
            unsafe = why_git_runs_more(folder) or _converts(folder)
            return None if unsafe else str(folder)
    return None


def _converts(folder: Path) -> bool:
    """Return whether files may differ from what git keeps of them: line ends, and such."""
    return (folder / ".gitattributes").exists()


def _read_status(told: bytes, root: str) -> GitState | None:
    """Return what `git status` says."""
    commit = ""
    dirty: set[str] = set()
    for line in told.split(b"\0"):
        if line.startswith(b"# branch.oid "):
            commit = line.removeprefix(b"# branch.oid ").decode("ascii", "replace")
        elif line.startswith(b"1 "):
            dirty.add(os.fsdecode(line.split(b" ", 8)[-1]))
        elif line.startswith(b"u "):
            dirty.add(os.fsdecode(line.split(b" ", 10)[-1]))
    return GitState(commit, root, frozenset(dirty)) if re.fullmatch("[0-9a-f]+", commit) else None


def _read_blobs(told: bytes, names: list[str]) -> Mapping[str, bytes]:
    """Return the contents that `git cat-file --batch` printed, in the order of the names."""
    found: dict[str, bytes] = {}
    position = 0
    for name in names:
        header = _HEADER.match(told, position)
        if header is None:
            end = told.find(b"\n", position)
            if end < 0:
                break
            position = end + 1
            continue
        begin, size = header.end(), int(header[2])
        if begin + size + 1 > len(told):
            break
        found[name] = told[begin : begin + size]
        position = begin + size + 1
    return found
