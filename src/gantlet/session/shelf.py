"""The sessions on disk: find, list, delete."""

import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gantlet.messages import JsonValue, loads
from gantlet.messages.value import value
from gantlet.session.place import is_session_id, project_key
from gantlet.session.transcript import SessionError

_END_BYTES = 65_536
_SECONDS_A_DAY = 86_400.0
#: Its time says when old sessions were last deleted.
_PURGED = ".purged"


@value
class SessionInfo:
    """What a list of sessions says about one; only its beginning and end are read for that."""

    id: str
    path: Path
    modified: float
    size: int
    title: str = ""
    first_prompt: str = ""
    last_prompt: str = ""
    cwd: str = ""
    git_branch: str = ""
    created: str = ""

    @property
    def name(self) -> str:
        """What a person would call it."""
        return self.title or self.last_prompt or self.first_prompt


@value
class Shelf:
    """The folders in which sessions lie; the first is our own."""

    folders: tuple[Path, ...]

    def sessions(self, cwd: str | None = None) -> list[SessionInfo]:
        """Return the sessions of a folder, or all there are, newest first."""
        infos = [info for path in self._paths(cwd) if (info := read_info(path)) is not None]
        return sorted(infos, key=lambda info: info.modified, reverse=True)

    def find(self, wanted: str, cwd: str | None = None) -> Path:
        """Return the transcript of a session, by its id, the beginning of that, or its title.

        Raises:
            SessionError: There is none, or there are several.
        """
        if is_session_id(wanted):
            paths = [path for path in self._paths(None) if path.stem == wanted.lower()]
            here = [path for path in paths if cwd and path.parent.name == project_key(cwd)]
            if paths:
                return (here or paths)[0]
        matches = [
            info
            for info in self.sessions(cwd)
            if info.title == wanted or (len(wanted) >= 4 and info.id.startswith(wanted))
        ]
        if not matches:
            raise SessionError(
                f"No session '{wanted}' was found. List those there are: gantlet sessions"
            )
        if len({info.id for info in matches}) > 1:
            ids = ", ".join(info.id for info in matches[:5])
            raise SessionError(f"Several sessions are meant by '{wanted}': {ids}. Give one's id.")
        return matches[0].path

    def latest(self, cwd: str) -> Path:
        """Return the transcript that was written last in a folder.

        Raises:
            SessionError: There is none.
        """
        found = self.sessions(cwd)
        if not found:
            raise SessionError(f"There is no session in {cwd} to continue.")
        return found[0].path

    def purge(self, days: float, now: float) -> list[str]:
        """Delete our own sessions that were not touched for so many days; return their ids.

        What another program has open stays.
        """
        oldest = now - days * _SECONDS_A_DAY
        gone: list[str] = []
        for path in _transcripts(self.folders[0]):
            with suppress(OSError):
                if path.stat().st_mtime < oldest and not is_in_use(path):
                    delete(path)
                    gone.append(path.stem)
        return gone

    def purge_if_due(self, days: float, now: float) -> list[str]:
        """Do the same, unless that was done within the last day."""
        mark = self.folders[0] / _PURGED
        try:
            if mark.exists() and now - mark.stat().st_mtime < _SECONDS_A_DAY:
                return []
            mark.touch(mode=0o600)
        except OSError:  # there is no folder yet, or it is not ours to write
            return []
        return self.purge(days, now)

    def _paths(self, cwd: str | None) -> Iterator[Path]:
        """Return the transcripts of a folder, or all."""
        for folder in self.folders:
            if cwd is None:
                yield from _transcripts(folder)
            else:
                yield from _jsonl(folder / project_key(cwd))


def is_in_use(path: Path) -> bool:
    """Return whether a program holds a transcript."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def delete(path: Path) -> None:
    """Delete a transcript and what lies beside it.

    Raises:
        OSError: It could not be deleted.
    """
    path.unlink()
    shutil.rmtree(path.with_suffix(""), ignore_errors=True)


def read_info(path: Path) -> SessionInfo | None:
    """Return what a list says about a session; None if there is no conversation in it."""
    try:
        facts = path.stat()
        with path.open("rb") as file:
            head = file.read(_END_BYTES)
            file.seek(max(0, facts.st_size - _END_BYTES))
            tail = file.read(_END_BYTES)
    except OSError:
        return None
    first, last = _objects(head), _objects(tail)
    prompts = [text for line in first if (text := _prompt(line))]
    if any(line.get("isSidechain") for line in first[:1]):
        return None
    info = SessionInfo(
        path.stem,
        path,
        facts.st_mtime,
        facts.st_size,
        title=_newest((*first, *last), "customTitle") or _newest((*first, *last), "aiTitle"),
        first_prompt=prompts[0] if prompts else "",
        last_prompt=_newest((*first, *last), "lastPrompt"),
        cwd=_oldest(first, "cwd"),
        git_branch=_newest((*first, *last), "gitBranch"),
        created=_oldest(first, "timestamp"),
    )
    return info if info.name else None


def _transcripts(folder: Path) -> Iterator[Path]:
    """Return the transcripts below a folder of projects."""
    try:
        projects = sorted(folder.iterdir())
    except OSError:
        return
    for project in projects:
        yield from _jsonl(project)


def _jsonl(project: Path) -> list[Path]:
    """Return the transcripts of one project."""
    try:
        return sorted(path for path in project.glob("*.jsonl") if is_session_id(path.stem))
    except OSError:
        return []


def _objects(part: bytes) -> list[dict[str, JsonValue]]:
    """Return the lines that are whole in a part of a file."""
    found: list[dict[str, JsonValue]] = []
    for text in part.split(b"\n"):
        with suppress(ValueError):
            line = loads(text) if text.startswith(b"{") else None
            if isinstance(line, dict):
                found.append(line)
    return found


def _prompt(line: dict[str, JsonValue]) -> str:
    """Return the words of a line of the user's."""
    message = line.get("message")
    if line.get("type") != "user" or line.get("isMeta") or not isinstance(message, dict):
        return ""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    words = [part.get("text") for part in parts if isinstance(part, dict)]
    return " ".join(" ".join(str(word).split()) for word in words if isinstance(word, str))[:200]


def _newest(lines: Sequence[dict[str, JsonValue]], key: str) -> str:
    """Return what was said last under a key."""
    return next((str(line[key]) for line in reversed(lines) if isinstance(line.get(key), str)), "")


def _oldest(lines: Sequence[dict[str, JsonValue]], key: str) -> str:
    """Return what was said first under a key."""
    return next((str(line[key]) for line in lines if isinstance(line.get(key), str)), "")
