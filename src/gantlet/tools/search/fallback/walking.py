"""Which files a query means, in their order."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from gantlet.messages.value import value
from gantlet.tools.search.fallback.ignores import IgnoreFiles, Overrides, ignore_files_at
from gantlet.tools.search.fallback.types import of_type
from gantlet.tools.search.query import Query


def meant_files(query: Query, folder: Path) -> Iterator[str]:
    """Yield the files a query means below a folder: by path, or the last changed first.

    Raises:
        RejectedError: A glob or a type makes no sense.
    """
    walk = _Walk.of(query)
    if query.target != "./":
        yield query.target
        return
    files = walk.below("./", folder)
    if query.newest_first:
        files = iter(sorted(files, key=lambda path: _changed(folder / path), reverse=True))
    yield from files


@value
class _Walk:
    """How directories are walked through."""

    overrides: Overrides
    is_of_type: Callable[[str], bool] | None
    hidden: bool
    honours_ignores: bool

    @classmethod
    def of(cls, query: Query) -> "_Walk":
        """Read what a query says of files."""
        is_of_type = of_type(query.file_type) if query.file_type else None
        return cls(Overrides.of(query.globs), is_of_type, query.hidden, query.honours_ignores)

    def below(self, shown: str, folder: Path, ignores: IgnoreFiles | None = None) -> Iterator[str]:
        """Yield the files below a directory, by path."""
        if self.honours_ignores and ignores is None:
            ignores = ignore_files_at(folder)
        try:
            with os.scandir(folder) as opened:
                entries = sorted(opened, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            return
        for entry in entries:
            path = f"{shown}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if not self._is_meant(path, entry, ignores, is_folder=is_folder):
                continue
            if is_folder:
                inner = folder / entry.name
                files = IgnoreFiles.of(inner, ignores) if ignores is not None else None
                yield from self.below(f"{path}/", inner, files)
            elif entry.is_file(follow_symlinks=False):
                yield path

    def _is_meant(
        self, path: str, entry: "os.DirEntry[str]", ignores: IgnoreFiles | None, *, is_folder: bool
    ) -> bool:
        """Return whether an entry is looked at. What is kept by somebody may be hidden."""
        wanted = self.overrides.wants(path.removeprefix("./"), is_folder=is_folder)
        if wanted is not None:
            return wanted
        kept = ignores.keeps(entry.path, is_folder=is_folder) if ignores else None
        if kept is False:
            return False
        if self.is_of_type is not None and not is_folder:
            if not self.is_of_type(entry.name):
                return False
            kept = True
        return bool(kept) or self.hidden or not entry.name.startswith(".")


def _changed(path: Path) -> int:
    """Return when a file was changed last."""
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0
