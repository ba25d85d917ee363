"""A repository's own settings, read as git reads them, and those by which it runs programs."""

import re
from pathlib import Path

_MAX_CONFIG_BYTES = 256_000
_MAX_INDEX_BYTES = 256 << 20
_MAX_LEVELS = 64
_MAX_REPOSITORIES = 64
_MAX_NAME_BYTES = 4096
#: Settings of a repository by which git runs a program, or reads settings from elsewhere.
_RUNS_PROGRAMS = re.compile(
    r"core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand|hookspath)"
    r"|diff\.external|diff\..*\.(?:command|textconv)|filter\..*\.(?:clean|smudge|process)"
    r"|merge\..*\.driver|pager\..*|alias\..*|gpg\..*program|gpg\.program|credential\..*helper"
    r"|credential\.helper|include\.path|includeif\..*\.path|interactive\.difffilter"
    r"|trailer\..*\.(?:command|cmd)|uploadpack\..*|extensions\.worktreeconfig"
    r"|remote\..*\.(?:uploadpack|receivepack|vcs)|tar\..*\.command|hook\..*"
    r"|(?:diff|merge)tool\..*\.(?:cmd|path)",
    re.DOTALL,
)
_HARMLESS = frozenset({"false", "no", "off", "0"})
_UNREADABLE = "settings that cannot be read"
_TOKEN = re.compile(
    r"""
    [ \t\r\n]+
    | [#;][^\n]*
    | \[(?P<section>[A-Za-z0-9.-]*)(?:[ \t\r]+"(?P<part>(?:[^"\\\n]|\\[^\n])*)")?\]
    | (?P<name>[A-Za-z][A-Za-z0-9-]*)[ \t]*
      (?:=(?P<text>(?:\\[tbn\\"\n]|"(?:\\[tbn\\"\n]|[^"\\\n])*"|[^\\"\n\#;])*)(?:[\#;][^\n]*)?)?
      (?=\n|\Z)
    """,
    re.VERBOSE,
)
#: How an index marks a submodule, and where its name follows after the mark.
_SUBMODULE = b"\x00\x00\xe0\x00"
_SHA1_NAME, _SHA256_NAME = 38, 50
_SHORTENED = b"\x00\x00\x00\x04"


def why_git_runs_more(cwd: Path) -> str:
    """Return which setting of a repository, or of a submodule, makes git run a program."""
    try:
        return _Search().reason_at(cwd)
    except OSError as error:
        return f"The repository's own settings cannot be looked at ({error.strerror})."


def read_git_settings(text: str) -> list[tuple[str, str]] | None:
    """Return the settings of a file, by their whole names; None where git would not take it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    found: list[tuple[str, str]] = []
    prefix, position = "", 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        position = token.end()
        if token["section"] is not None:
            part = "" if token["part"] is None else "." + re.sub(r"\\(.)", r"\1", token["part"])
            prefix = token["section"].lower() + part
        elif token["name"] is not None:
            name = f"{prefix}.{token['name'].lower()}".removeprefix(".")
            found.append((name, (token["text"] or "").strip()))
    return found


class _Search:
    """Goes through a repository and the submodules that it has on the disk."""

    def __init__(self) -> None:
        self._seen: set[Path] = set()

    def reason_at(self, cwd: Path) -> str:
        """Return what there is against the repository that git finds from a folder."""
        for place in (cwd, *cwd.parents)[:_MAX_LEVELS]:
            if (place / ".git").exists():
                return self._reason(place)
        return ""

    def _reason(self, home: Path) -> str:
        """Return what there is against the repository of a folder with `.git`."""
        own = _git_folder(home / ".git")
        if own.resolve() in self._seen:
            return ""
        self._seen.add(own.resolve())
        if len(self._seen) > _MAX_REPOSITORIES:
            return "The repository has more submodules than are looked at, and git looks into them."
        work_tree = home
        for file in (_common(own) / "config", own / "config.worktree"):
            for key, text in _settings(file):
                if _is_dangerous(key, text):
                    return (
                        f"The repository's own settings have {key}, by which git may run a program."
                    )
                if key == "core.worktree":
                    work_tree = own / text.strip('"')
        return self._reason_below(own, work_tree)

    def _reason_below(self, own: Path, work_tree: Path) -> str:
        """Return what there is against the submodules that are on the disk."""
        names = _submodules(own)
        if names is None:
            return "Which submodules the repository has cannot be told, and git looks into them."
        for name in names:
            if (work_tree / name / ".git").exists():
                reason = self._reason(work_tree / name)
                if reason:
                    return f"{reason} (in the submodule {name})"
        return ""


def _is_dangerous(key: str, text: str) -> bool:
    """Return whether git may run a program by a setting."""
    if key == "core.fsmonitor" and text.lower().strip('"') in _HARMLESS:
        return False
    return key == _UNREADABLE or _RUNS_PROGRAMS.fullmatch(key) is not None


def _git_folder(marker: Path) -> Path:
    """Return a repository's own folder: `.git`, or what a file of that name leads to."""
    if not marker.is_file():
        return marker
    text = marker.read_text(encoding="utf-8", errors="surrogateescape")[:_MAX_NAME_BYTES]
    return marker.parent / text.removeprefix("gitdir:").strip()


def _common(folder: Path) -> Path:
    """Return where a repository's settings are: of a linked worktree, those of its repository."""
    try:
        text = (folder / "commondir").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return folder
    return folder / text[:_MAX_NAME_BYTES].strip()


def _settings(path: Path) -> list[tuple[str, str]]:
    """Return a file's settings; what cannot be read is one that is asked about."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_CONFIG_BYTES + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    except OSError:
        return [(_UNREADABLE, "")]
    read = None if len(text) > _MAX_CONFIG_BYTES else read_git_settings(text)
    return [(_UNREADABLE, "")] if read is None else read


def _submodules(folder: Path) -> list[str] | None:
    """Return the names that may be submodules in a repository's index, and in those it shares.

    None where there may be some and their names are written in parts.
    """
    names: dict[str, None] = {}
    for index in (folder / "index", *folder.glob("sharedindex.*")):
        try:
            with index.open("rb") as file:
                content = file.read(_MAX_INDEX_BYTES)
        except FileNotFoundError:
            continue
        position = content.find(_SUBMODULE)
        if position >= 0 and content[4:8] == _SHORTENED:
            return None
        while position >= 0:
            for offset in (_SHA1_NAME, _SHA1_NAME + 2, _SHA256_NAME, _SHA256_NAME + 2):
                start = position + offset
                end = content.find(b"\0", start, start + _MAX_NAME_BYTES)
                if end > start:
                    names[content[start:end].decode("utf-8", "surrogateescape")] = None
            position = content.find(_SUBMODULE, position + 1)
    return list(names)
