"""Which parts of a repository a command may change, and which would run code later.

Git runs what `hooks` and `config` say, and follows `commondir` and `gitdir` to other hooks and
configurations. So these stay as they are, while objects, references and the index can change.
"""

from collections.abc import Iterator

from gantlet.messages.value import value
from gantlet.system.sandbox.facts import Facts, Kind

#: The parts that decide what git runs: name, what stands in its place if it is absent.
#: A `commondir` of `.` means what having none means.
_GUARDED_FOLDERS = ("hooks", "info")
_GUARDED_FILES = {"config": "", "commondir": ".\n", "config.worktree": ""}
_LINKED_FILES = ("commondir", "gitdir", "config.worktree")
_MOST_MODULE_LEVELS = 6


@value
class Guarded:
    """A path that must not change.

    Attributes:
        path: Where it is.
        filler: What to put there if it is absent: a file's text, or None for an empty folder.
    """

    path: str
    filler: str | None = None


@value
class GitFolder:
    """A repository's own folder: it may be written, except for its guarded parts."""

    path: str
    guarded: tuple[Guarded, ...]


def is_git_folder(path: str, facts: Facts) -> bool:
    """Return whether a folder is a repository's own, with or without a workspace around it."""
    return (
        facts.kind(path) is Kind.FOLDER
        and facts.kind(f"{path}/HEAD") is Kind.FILE
        and facts.kind(f"{path}/objects") is Kind.FOLDER
    )


def git_folder(path: str, facts: Facts) -> GitFolder:
    """Return what to guard in a repository's folder, with its submodules and linked worktrees."""
    guarded = [*_guarded_parts(path)]
    guarded += _linked_parts(f"{path}/worktrees", facts)
    guarded += _module_parts(f"{path}/modules", facts, _MOST_MODULE_LEVELS)
    return GitFolder(path, tuple(guarded))


def pointed_folder(pointer: str, facts: Facts) -> str | None:
    """Return the git folder that a `.git` file leads to, if that folder knows the file too.

    A file in the workspace may say anything. So the folder must name the workspace in turn: a
    linked worktree's does in `gitdir`, a submodule's in the `worktree` of its configuration. For a
    linked worktree the answer is the repository that it belongs to.
    """
    target = facts.text(pointer).strip()
    if not target.startswith("gitdir:"):
        return None
    home = pointer.removesuffix("/.git")
    folder = facts.real(_joined(home, target.removeprefix("gitdir:").strip()))
    if facts.kind(f"{folder}/HEAD") is not Kind.FILE:
        return None
    back = facts.text(f"{folder}/gitdir").strip()
    if back:
        common = facts.real(_joined(folder, facts.text(f"{folder}/commondir").strip()))
        is_known = facts.real(_joined(folder, back)) == facts.real(pointer)
        return common if is_known and folder.startswith(f"{common}/worktrees/") else None
    stated = _stated(facts.text(f"{folder}/config"), "core", "worktree")
    if not stated or facts.real(_joined(folder, stated[-1])) != facts.real(home):
        return None
    return folder


def obeyed_paths(folder: str, home: str, facts: Facts) -> tuple[str, ...]:
    """Return what a repository's configuration makes git obey elsewhere: hooks, more settings."""
    config = facts.text(f"{folder}/config")
    hooks = [_joined(home, path) for path in _stated(config, "core", "hookspath")]
    included = [_joined(folder, path) for path in _stated(config, "include", "path")]
    return tuple(path for path in (*hooks, *included) if "~" not in path)


def _guarded_parts(path: str) -> Iterator[Guarded]:
    """Yield the parts of one git folder."""
    for name in _GUARDED_FOLDERS:
        yield Guarded(f"{path}/{name}")
    for name, filler in _GUARDED_FILES.items():
        yield Guarded(f"{path}/{name}", filler)


def _linked_parts(path: str, facts: Facts) -> Iterator[Guarded]:
    """Yield what leads from a linked worktree to its repository."""
    for name in facts.names(path):
        for file in _LINKED_FILES:
            if facts.kind(f"{path}/{name}/{file}") is not Kind.ABSENT:
                yield Guarded(f"{path}/{name}/{file}", "")


def _module_parts(path: str, facts: Facts, levels: int) -> Iterator[Guarded]:
    """Yield the parts of every submodule; a submodule's name may have several levels."""
    if levels == 0:
        return
    for name in facts.names(path):
        folder = f"{path}/{name}"
        if facts.kind(f"{folder}/HEAD") is Kind.FILE:
            yield from _guarded_parts(folder)
            yield from _module_parts(f"{folder}/modules", facts, levels - 1)
        elif facts.kind(folder) is Kind.FOLDER:
            yield from _module_parts(folder, facts, levels - 1)


def _stated(config: str, section: str, name: str) -> list[str]:
    """Return the values that a configuration gives to a name of a section, the last one last."""
    current, found = "", []
    for line in config.splitlines():
        text = line.strip()
        if text.startswith("["):
            head, _, text = text.partition("]")
            current = head.strip("[").partition(" ")[0].lower()
        key, equals, stated = text.strip().partition("=")
        if current.startswith(section) and equals and key.strip().lower() == name:
            found.append(stated.strip().strip('"'))
    return found


def _joined(base: str, path: str) -> str:
    """Return a path as seen from a folder."""
    return path if path.startswith("/") else f"{base}/{path}"
