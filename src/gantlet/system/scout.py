"""Who looks at files for those who may not."""

from collections.abc import Callable

from gantlet.system.folder_scan import SKIPPED
from gantlet.system.git_files import Repository, repository_at
from gantlet.system.ignore_files import ignore_lines, showing_lines
from gantlet.system.path_facts import Found, PathFacts, expand, look_at
from gantlet.system.path_search import find_below
from gantlet.system.shown_names import meant_path

#: How many files and directories are looked at where what programs made is passed over.
_MAX_SOURCES = 100_000


class Scout:
    """Looks at files for those who may not. Reads names and kinds, and no content but git's."""

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about `path`, seen from `cwd`. Never raises."""
        return look_at(path, cwd)

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path that is written as names are shown. Never raises."""
        return look_at(meant_path(path, cwd), cwd)

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what a shell's pattern can stand for, or None where that is too much."""
        return expand(pattern, cwd)

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        """Return for each test what lies below `root` and passes it, by path."""
        return find_below(root, *tests)

    def find_sources(self, root: str, test: Callable[[str], bool]) -> Found:
        """Return what lies below `root` and passes a test, but not what programs made there."""
        (found,) = find_below(root, test, max_entries=_MAX_SOURCES, passes_over=SKIPPED)
        return found

    def repository(self, folder: str) -> Repository | None:
        """Return the repository that a directory lies in, or None where there is none.

        Raises:
            OSError: What it keeps cannot be told.
        """
        return repository_at(folder)

    def ignore_lines(self, top: str, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines that may tell git to ignore a file, each with where it counts from."""
        return ignore_lines(top, file)

    def showing_lines(self, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines by which a search may show a hidden file, with where they count from."""
        return showing_lines(file)
