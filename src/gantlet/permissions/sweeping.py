"""Whether our own settings are among the files that a command changes without naming them."""

from gantlet.messages.value import value
from gantlet.permissions.below import UNSEEN, joined
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.eyes import Eyes
from gantlet.permissions.ignoring import surely_means
from gantlet.permissions.protected import is_own
from gantlet.shell import Reach, Sweep
from gantlet.system import FileKind, Found, PathFacts, Repository


@value
class Sweeper:
    """Looks for our own files where a command sweeps."""

    context: PermissionContext
    eyes: Eyes

    def own_in(self, sweep: Sweep) -> Found:
        """Return our own files that a command changes. This may take a while."""
        if not sweep.is_known:
            return UNSEEN
        root = self.eyes.look(sweep.root, "/")
        if not root.is_known:
            return UNSEEN
        if sweep.reach is Reach.ALL:
            return self._reached(sweep, root.real, self._search(root.real))
        try:
            repository = self.eyes.repository(self.eyes.look(sweep.place, "/").real)
        except OSError:
            return UNSEEN
        if repository is None:
            return Found()  # git changes nothing here
        return self._in_git(sweep, repository, root.real)

    def _in_git(self, sweep: Sweep, repository: Repository, root: str) -> Found:
        """Return our own files that a command of git changes."""
        start = (repository.top if sweep.is_whole else root).rstrip("/")
        if sweep.reach is Reach.KEPT:
            kept = (path for path in repository.kept if f"{path}/".startswith(f"{start}/"))
            own = (PathFacts(path, path) for path in kept if self._is_own(path))
            return self._reached(sweep, start, Found(tuple(own)))
        found = self._search(start)
        loose = (
            one
            for one in found.paths
            if one.lexical not in repository.kept
            and one.kind is not FileKind.DIRECTORY
            and not self._is_ignored(sweep, repository.top, one.lexical)
        )
        return self._reached(sweep, start, Found(tuple(loose), found.is_complete))

    def _search(self, root: str) -> Found:
        """Return our own files below a directory, and the directory itself if it is ours.

        What programs make for themselves is passed over, unless somebody works there.
        """
        here = [self.eyes.look(root, "/")] if self._is_own(root) else []
        places = [
            name
            for one in self.context.working_directories
            for name in one.names
            if name.startswith(f"{root.rstrip('/')}/")
        ]
        searches = [self.eyes.find_sources(one, self._is_own) for one in (root, *places)]
        found = joined(searches)
        return Found(tuple(dict.fromkeys((*here, *found.paths))), found.is_complete)

    def _is_own(self, path: str) -> bool:
        """Return whether a path decides what is allowed."""
        return is_own(path, self.context.workspace)

    def _reached(self, sweep: Sweep, root: str, found: Found) -> Found:
        """Return what of our own files a command reaches from where it begins."""
        start = f"{root.rstrip('/')}/"
        reached = (
            one
            for one in found.paths
            if f"{one.lexical}/".startswith(start)
            and sweep.reaches(one.lexical[len(start) :], is_folder=one.kind is FileKind.DIRECTORY)
        )
        return Found(tuple(reached), found.is_complete)

    def _is_ignored(self, sweep: Sweep, top: str, path: str) -> bool:
        """Return whether git surely passes over a file that it does not keep."""
        if any(surely_means(top, line, path) for line in sweep.ignored):
            return True
        if sweep.with_ignored:
            return False
        lines = self.eyes.ignore_lines(top, path)
        if any(line.startswith("!") for _, line in lines):
            return False  # some line may take back what another one says
        return any(surely_means(folder, line, path) for folder, line in lines)
