"""Who looks at files, as permission asks for it."""

from collections.abc import Callable
from typing import Protocol

from gantlet.system import Found, PathFacts, Repository


class Eyes(Protocol):
    """Who looks at files. Permission itself never does."""

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path."""

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path that is written as names are shown to a model."""

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what a shell's pattern can stand for, or None where that is too much."""

    def find(self, root: str, *tests: Callable[[str], bool]) -> tuple[Found, ...]:
        """Return for each test what lies below a directory and passes it."""

    def find_sources(self, root: str, test: Callable[[str], bool]) -> Found:
        """Return what lies below a directory and passes a test; what programs made is left out."""

    def repository(self, folder: str) -> Repository | None:
        """Return the repository that a directory lies in, or None where there is none.

        Raises:
            OSError: What it keeps cannot be told.
        """

    def ignore_lines(self, top: str, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines that may tell git to ignore a file, each with where it counts from."""

    def showing_lines(self, file: str) -> tuple[tuple[str, str], ...]:
        """Return the lines by which a search may show a hidden file, with where they count from."""
