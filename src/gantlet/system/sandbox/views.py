"""Which part of the disk a sandboxed command sees, and how: planned, nothing touched.

Every path that differs from what is above it gets a view. The deepest one counts, so a folder can
be hidden and a project inside it still be writable.
"""

from enum import Enum

from gantlet.messages.value import value
from gantlet.system.sandbox.facts import Facts, Kind
from gantlet.system.sandbox.git_folders import (
    Guarded,
    git_folder,
    is_git_folder,
    obeyed_paths,
    pointed_folder,
)
from gantlet.system.sandbox.policy import Policy


class View(Enum):
    """How a path looks from inside."""

    READ = "read"
    WRITE = "write"
    HIDDEN = "hidden"
    EMPTY = "empty"


@value
class Mounted:
    """One path with a view of its own. It cannot be renamed or removed from inside."""

    path: str
    view: View
    is_folder: bool = True


@value
class Plan:
    """What to mount, in order.

    Attributes:
        mounts: Shallow paths first.
        fillers: What has to exist on the disk while the sandbox is in use.
        problems: Why such a sandbox would not hold. It must not be started then.
        notes: What a person should know though the sandbox holds.
    """

    mounts: tuple[Mounted, ...]
    fillers: tuple[Guarded, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


#: Folders of the system in which sockets and other programs' files lie: empty inside.
EMPTIED = ("/run", "/tmp", "/var/tmp")
#: What programs need of them nevertheless.
_KEPT = ("/run/current-system", "/run/opengl-driver")
_RESOLVERS = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf")
#: Files and folders of a workspace that other programs run or obey; guarded if they are there.
_OBEYED = (
    *(".mcp.json", ".claude.json", ".vscode", ".idea", ".husky", ".devcontainer"),
    *(".gitconfig", ".gitmodules", ".config/git", ".ripgreprc", ".envrc"),
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    *(".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".pre-commit-config.yaml"),
)


def plan_views(policy: Policy, facts: Facts) -> Plan:
    """Return what to mount so that a command sees and changes only what the policy allows."""
    draft = _Draft(policy, facts)
    draft.empty()
    draft.hide()
    draft.open_roots()
    for path in policy.repositories:
        draft.guard_repository(path)
    draft.guard_settings()
    draft.close_protected()
    draft.pin_parents()
    return draft.finished()


class _Draft:
    """The plan while it grows."""

    def __init__(self, policy: Policy, facts: Facts) -> None:
        self._policy = policy
        self._facts = facts
        self._views: dict[str, View] = {"/": View.READ}
        self._fillers: dict[str, Guarded] = {}
        self._problems: list[str] = []
        self._notes: list[str] = []

    def empty(self) -> None:
        """Empty the folders that others use, unless they are to be written."""
        open_roots = set(self._policy.writable)
        for path in EMPTIED:
            is_there = self._facts.kind(path) is Kind.FOLDER
            if is_there and not any(is_within(path, root) for root in open_roots):
                self._views[path] = View.EMPTY
        for path in (*_KEPT, *_RESOLVERS):
            if self._facts.kind(path) is not Kind.ABSENT:
                self._views[path] = View.READ

    def hide(self) -> None:
        """Hide what is denied, wherever it really is, and show again what is readable in it."""
        for path in self._policy.denied:
            for form in {path, self._facts.real(path)}:
                if self._facts.kind(form) in {Kind.FILE, Kind.FOLDER}:
                    self._views[form] = View.HIDDEN
        for path in self._policy.readable:
            real = self._facts.real(path)
            if self._facts.kind(real) is not Kind.ABSENT:
                is_open = any(is_within(real, root) for root in self._policy.writable)
                self._views[real] = View.WRITE if is_open else View.READ

    def open_roots(self) -> None:
        """Make the writable folders writable and guard the repository in each."""
        for path in self._policy.writable:
            if self._facts.kind(path) not in {Kind.FOLDER, Kind.FILE}:
                self._notes.append(f"{path} is not there, so nothing can be written to it.")
            elif self._facts.real(path) != path:
                self._problems.append(f"{path} is or lies behind a symbolic link.")
            elif is_git_folder(path, self._facts):
                self._open_git(path, _parent(path))
            elif self._views.get(path) is not View.HIDDEN:
                self._views[path] = View.WRITE
                if self._facts.kind(path) is Kind.FOLDER:
                    self._guard(Guarded(f"{path}/.claude"))
                    self._guard_obeyed(path)
                    self.guard_repository(path)

    def guard_repository(self, root: str) -> None:
        """Guard the repository in a folder: a `.git` folder, a `.git` file, or none yet."""
        git = f"{root}/.git"
        kind = self._facts.kind(git)
        if is_git_folder(git, self._facts):
            self._open_git(git, root)
        elif kind is Kind.FILE:
            self._views[git] = View.READ
            folder = pointed_folder(git, self._facts)
            if folder is None:
                self._notes.append(
                    f"{git} leads to a folder that does not name it in turn: commits fail inside."
                )
            else:
                self._open_git(folder, root)
        elif kind is Kind.LINK or not self._policy.may_create_git:
            self._guard(Guarded(git))

    def guard_settings(self) -> None:
        """Guard our own settings, there or not."""
        for path in self._policy.own:
            self._guard(Guarded(path))

    def close_protected(self) -> None:
        """Guard what the policy names, and close whatever was opened at or below it."""
        for path in self._policy.protected:
            real = self._facts.real(path)
            self._guard(Guarded(path))
            for other, view in self._views.items():
                if view is View.WRITE and (is_within(other, path) or is_within(other, real)):
                    self._views[other] = View.READ

    def pin_parents(self) -> None:
        """Make every folder between a writable root and a view inside it stay in place."""
        for path in tuple(self._views):
            parent = _parent(path)
            while parent not in self._views and self._around(parent) is View.WRITE:
                self._views[parent] = View.WRITE
                parent = _parent(parent)

    def finished(self) -> Plan:
        """Return the plan, without views that change nothing."""
        mounts = [
            Mounted(path, view, self._is_folder(path))
            for path, view in sorted(self._views.items(), key=lambda item: _depth(item[0]))
            if path != "/" and (view is not View.READ or self._around(path) is not View.READ)
        ]
        return Plan(
            tuple(mounts),
            tuple(self._fillers.values()),
            tuple(dict.fromkeys(self._problems)),
            tuple(dict.fromkeys(self._notes)),
        )

    def _open_git(self, folder: str, root: str) -> None:
        """Let a repository's folder be written, except for what decides what git runs."""
        opened = git_folder(folder, self._facts)
        links = [one.path for one in opened.guarded if self._facts.kind(one.path) is Kind.LINK]
        if links:
            self._views[folder] = View.READ
            self._notes.append(f"{links[0]} is a link, so all of {folder} is read-only inside.")
            return
        self._views[folder] = View.WRITE
        for part in opened.guarded:
            self._guard(part)
        for path in obeyed_paths(folder, root, self._facts):
            if self._facts.kind(path) in {Kind.FILE, Kind.FOLDER}:
                self._guard(Guarded(self._facts.real(path)))

    def _guard_obeyed(self, root: str) -> None:
        """Guard what other programs obey, as far as it is there."""
        for name in _OBEYED:
            path = f"{root}/{name}"
            kind = self._facts.kind(path)
            if kind is Kind.LINK:
                self._notes.append(f"{path} is a link: what it leads to may be replaced inside.")
            elif kind is not Kind.ABSENT:
                self._guard(Guarded(path))

    def _guard(self, guarded: Guarded) -> None:
        """Keep a path as it is, if it could be changed at all."""
        path = guarded.path
        if self._around(path) is View.READ:
            return
        if self._around(path) in {View.EMPTY, View.HIDDEN} and path not in self._views:
            return
        if self._views.get(path) is View.HIDDEN:
            return
        if self._facts.kind(path) is Kind.LINK or self._facts.real(_parent(path)) != _parent(path):
            self._problems.append(
                f"{path} is or lies behind a symbolic link, which a command could replace. "
                "Put a real file or folder in its place."
            )
            return
        if self._facts.kind(path) is Kind.ABSENT:
            self._fill(guarded)
        self._views[path] = View.READ

    def _fill(self, guarded: Guarded) -> None:
        """Have something stand where nothing may be made; missing parents are folders too."""
        missing = [guarded]
        parent = _parent(guarded.path)
        while self._facts.kind(parent) is Kind.ABSENT:
            missing.append(Guarded(parent))
            parent = _parent(parent)
        for one in reversed(missing):
            self._fillers.setdefault(one.path, one)

    def _around(self, path: str) -> View:
        """Return the view that a path has by what is above it."""
        parent = _parent(path)
        while parent not in self._views:
            parent = _parent(parent)
        return self._views[parent]

    def _is_folder(self, path: str) -> bool:
        """Return whether a path is mounted as a folder."""
        if path in self._fillers:
            return self._fillers[path].filler is None
        return path in EMPTIED or self._facts.kind(path) is Kind.FOLDER


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def view_of(path: str, plan: Plan) -> View:
    """Return how a path looks from inside."""
    around = [one.view for one in plan.mounts if is_within(path, one.path)]
    return around[-1] if around else View.READ


def _parent(path: str) -> str:
    """Return the folder a path is in."""
    return path.rpartition("/")[0] or "/"


def _depth(path: str) -> tuple[int, str]:
    """Return what sorts shallow paths first."""
    return path.count("/") if path != "/" else 0, path
