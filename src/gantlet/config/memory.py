"""The instructions people keep in files: CLAUDE.md, what it imports, and rules beside it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gantlet.messages.value import value
from gantlet.rules import SourceKind

MAX_HOPS = 4
MAX_FILE_BYTES = 1_000_000
MAX_IMPORTS = 100
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\`]|\\ )+)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE_SPAN = re.compile(r"`[^`\n]*`")


@value
class MemoryFile:
    """A file of instructions.

    Attributes:
        kind: Whose file it is.
        imported_by: The file that names it, or None.
    """

    path: Path
    kind: SourceKind
    text: str
    imported_by: Path | None = None


def read_memory(
    cwd: Path, home: Path, config: Path, managed: Path, sources: frozenset[SourceKind]
) -> tuple[MemoryFile, ...]:
    """Return the instructions that hold in a folder, the most general first.

    `sources` says whose files count; the organisation's always do.
    """
    root = _root(cwd)
    found: dict[Path, MemoryFile] = {}
    for kind, path, bound in _places(cwd, root, home, config, managed):
        if kind is not SourceKind.POLICY and kind not in sources:
            continue
        for file in _with_imports(path, kind, bound, home):
            found.setdefault(file.path, file)
    return tuple(found.values())


def _places(
    cwd: Path, root: Path, home: Path, config: Path, managed: Path
) -> Iterator[tuple[SourceKind, Path, Path | None]]:
    """Yield where instructions may stand, and the folder beyond which they may not import."""
    yield SourceKind.POLICY, managed / "CLAUDE.md", None
    yield SourceKind.USER, config / "CLAUDE.md", None
    for rule in _rules(config / "rules"):
        yield SourceKind.USER, rule, None
    folders = [folder for folder in (cwd, *cwd.parents) if folder != home]
    for folder in reversed(folders):
        yield SourceKind.PROJECT, folder / "CLAUDE.md", root
        yield SourceKind.PROJECT, folder / ".claude" / "CLAUDE.md", root
        for rule in _rules(folder / ".claude" / "rules"):
            yield SourceKind.PROJECT, rule, root
        yield SourceKind.LOCAL, folder / "CLAUDE.local.md", root


def _rules(folder: Path) -> list[Path]:
    """Return the files of a folder of rules that hold everywhere."""
    try:
        files = sorted(path for path in folder.rglob("*.md") if path.is_file())
    except OSError:
        return []
    return [path for path in files if "\npaths:" not in _front_matter(_read(path) or "")]


def _front_matter(text: str) -> str:
    """Return what stands between the first two lines of dashes."""
    return text[3 : text.find("\n---", 3)] if text.startswith("---\n") else ""


def _with_imports(
    path: Path, kind: SourceKind, bound: Path | None, home: Path
) -> Iterator[MemoryFile]:
    """Yield a file and what it imports, each once, behind the file that names it."""
    seen: set[Path] = set()
    waiting: list[tuple[Path, int, Path | None]] = [(path, 0, None)]
    while waiting and len(seen) < MAX_IMPORTS:
        current, hops, importer = waiting.pop(0)
        real = Path(os.path.realpath(current))
        if real in seen or (importer and bound and not real.is_relative_to(bound)):
            continue
        text = _read(real)
        if text is None:
            continue
        seen.add(real)
        yield MemoryFile(current, kind, _body(text), importer)
        if hops < MAX_HOPS:
            named = [_resolved(name, current.parent, home) for name in imports_of(text)]
            waiting += [(one, hops + 1, current) for one in named]


def imports_of(text: str) -> list[str]:
    """Return the paths a text imports with `@path`, outside of code."""
    names: list[str] = []
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            bare = _CODE_SPAN.sub("", line)
            names += [found.replace("\\ ", " ").rstrip(".,;:)") for found in _IMPORT.findall(bare)]
    return names


def _resolved(name: str, folder: Path, home: Path) -> Path:
    """Return the file an import means."""
    if name == "~" or name.startswith("~/"):
        return home / name[2:]
    return folder / name


def _body(text: str) -> str:
    """Return a text without its front matter."""
    matter = _front_matter(text)
    return text[len(matter) + 7 :].lstrip("\n") if matter else text


def _read(path: Path) -> str | None:
    """Return the text of a file, or None if there is none to read."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return None
        return path.read_text("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _root(cwd: Path) -> Path:
    """Return the folder that holds the project: that with `.git`, else where we are."""
    for folder in (cwd, *cwd.parents):
        if (folder / ".git").exists():
            return Path(os.path.realpath(folder))
    return Path(os.path.realpath(cwd))
