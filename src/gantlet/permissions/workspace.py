"""Where a session works: directories by every name they are known under."""

from gantlet.messages.value import value
from gantlet.rules import Anchors, SourceKind

_CONFIG = ".claude"


@value
class Directory:
    """A directory, by each of its names (with links in it, and without), and who gave it."""

    names: tuple[str, ...]
    source: SourceKind = SourceKind.SESSION

    def __post_init__(self) -> None:
        if not self.names or not all(name.startswith("/") for name in self.names):
            raise ValueError(f"A directory needs absolute names, got {self.names!r}.")

    @classmethod
    def at(cls, path: str, source: SourceKind = SourceKind.SESSION) -> "Directory":
        """Return a directory that has one name."""
        return cls((path,), source)

    @property
    def path(self) -> str:
        """The name to show."""
        return self.names[0]

    def holds(self, path: str) -> bool:
        """Return whether a path is the directory or lies below it; `/app-2` is not in `/app`."""
        for name in self.names:
            if path.startswith(name) and (
                len(path) == len(name) or name.endswith("/") or path[len(name)] == "/"
            ):
                return True
        return False


@value
class Workspace:
    """The directories of a session, fixed when it starts but for `cwd`.

    Attributes:
        cwd: Where the session is now.
        original_cwd: Where it was started.
        home: The user's home directory, where there is one.
        project: The root of the project; without one it is `original_cwd`.
        readable: What may be read without asking, beside the working directories.
        own: Files and directories that decide what is allowed: settings, hooks, the trust store.
    """

    cwd: Directory
    original_cwd: Directory
    home: Directory | None = None
    project: Directory | None = None
    readable: tuple[Directory, ...] = ()
    own: tuple[Directory, ...] = ()

    @classmethod
    def at(cls, cwd: str, *, home: str = "") -> "Workspace":
        """Return a workspace whose directories have one name each."""
        here = Directory.at(cwd)
        return cls(here, here, Directory.at(home) if home else None)

    def anchors(self, kind: SourceKind) -> Anchors:
        """Return what path patterns of a kind of settings are seen from."""
        home = self.home.names if self.home is not None else ()
        match kind:
            case SourceKind.PROJECT:
                base = (self.project or self.original_cwd).names
            case SourceKind.USER:
                base = tuple(f"{name.rstrip('/')}/{_CONFIG}" for name in home)
            case _:
                base = self.original_cwd.names
        return Anchors(base, self.original_cwd.names, home)


@value
class Fence:
    """What is denied outside of the working directories.

    Attributes:
        exempt: What may be read there all the same.
    """

    reads: bool = False
    writes: bool = False
    exempt: tuple[Directory, ...] = ()


NO_FENCE = Fence()
