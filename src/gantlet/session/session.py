"""One session: a transcript that is held open, and the conversation in it."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from gantlet.loop import History
from gantlet.messages import Event, JsonValue, ToolUse, dumps
from gantlet.messages.value import replace
from gantlet.session import entries
from gantlet.session.chain import Restored, restore
from gantlet.session.entries import Line, Scene
from gantlet.session.known_files import hand_on
from gantlet.session.place import project_key
from gantlet.session.recorder import Recorder
from gantlet.session.transcript import SessionError, read_lines
from gantlet.system import PrivateLines, make_private_folder, new_id

_HEAD = "ref: refs/heads/"


class Session:
    """A conversation that is written down as it happens. Nobody else can write it meanwhile.

    Attributes:
        id: The session's id.
        path: Its transcript.
        notes: What had to be mended when it was resumed, in words for a person.
    """

    def __init__(self, path: Path, scene: Scene, restored: Restored | None = None) -> None:
        self.id = scene.session_id
        self.path = path
        self.restored = restored or Restored(History(), None, {})
        self.notes = self.restored.notes
        self._scene = scene
        self._lines: PrivateLines | None = None
        self.recorder = Recorder(
            scene,
            self._add,
            leaf=self.restored.leaf,
            history=self.restored.history,
            owners=dict(self.restored.owners),
        )
        if self.restored.missing:
            self._hold()
            self.recorder.answer(self.restored.missing)

    @property
    def history(self) -> History:
        """The conversation with which it began."""
        return self.restored.history

    @property
    def deferred(self) -> ToolUse | None:
        """The call that a hook put off, with which the conversation is taken up."""
        return next(iter(self.restored.history.open_calls), None)

    @property
    def results_folder(self) -> Path:
        """Where the results that are too big for the conversation go."""
        return self.path.with_suffix("") / "tool-results"

    @property
    def known_files(self) -> Path:
        """Where it is written down which files the conversation has seen."""
        return _known_files(self.path)

    def entered(self, history: History) -> None:
        """Take note that the conversation now stands like this."""
        self.recorder.entered(history)

    def heard(self, event: Event) -> None:
        """Write what an event says."""
        self.recorder.heard(event)

    def write(self, kind: str, **fields: JsonValue) -> None:
        """Write a line that is no part of the conversation."""
        self.recorder.write(kind, **fields)

    def rename(self, title: str) -> None:
        """Give the session a title."""
        self.write(entries.TITLE, customTitle=title)

    def close(self) -> None:
        """Let the transcript go; more than once is no harm."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def hold(self) -> None:
        """Take the transcript for ourselves, before anything is written.

        Raises:
            SessionError: Another program has it.
        """
        self._hold()

    def _hold(self) -> PrivateLines:
        """Open the transcript, once."""
        if self._lines is None:
            try:
                make_private_folder(self.path.parent)
                lines = PrivateLines(self.path, is_new=False)
            except OSError as error:
                raise SessionError(f"{self.path} cannot be written: {error.strerror}.") from error
            if not lines.lock():
                lines.close()
                raise SessionError(
                    f"Session {self.id} is in use by another program. Wait for it to end, or fork"
                    " the session."
                )
            lines.mend()
            self._lines = lines
        return self._lines

    def _add(self, line: bytes) -> None:
        """Write a line."""
        try:
            self._hold().add(line)
        except SessionError as error:
            raise OSError(str(error)) from error


def new_session(folder: Path, cwd: str, version: str, *, session_id: str | None = None) -> Session:
    """Return a session that begins; its file is made when the first line is written.

    Raises:
        SessionError: A session of that id exists.
    """
    own = session_id or new_id()
    path = folder / project_key(cwd) / f"{own}.jsonl"
    if session_id is not None and path.exists():
        raise SessionError(f"Session {own} exists already. Use --resume {own}, or another id.")
    return Session(path, scene_of(own, cwd, version))


def resumed(path: Path, cwd: str, version: str, *, at: str | None = None) -> Session:
    """Return a session that goes on where a transcript ends, or at one of its lines.

    Raises:
        SessionError: It cannot be read, or another program has it.
        PointNotFoundError: It has no such line.
    """
    lines, notes = read_lines(path)
    told = restore(lines, at=at)
    session = Session(path, scene_of(path.stem, cwd, version), _noted(told, notes))
    session.hold()
    if at is not None and told.left_behind:
        hand_on(session.known_files, session.known_files, told.left_behind)
    return session


def forked(
    path: Path,
    folder: Path,
    cwd: str,
    version: str,
    *,
    at: str | None = None,
    session_id: str | None = None,
) -> Session:
    """Return a new session that begins with what another one holds; that one stays as it is.

    Raises:
        SessionError: It cannot be read, or a session of the new id exists.
        PointNotFoundError: It has no such line.
    """
    lines, notes = read_lines(path)
    told = restore(lines, at=at)
    fresh = new_session(folder, cwd, version, session_id=session_id or new_id())
    for line in _copied(lines, told, fresh.id):
        fresh._add(line)
    fresh.close()
    hand_on(_known_files(path), fresh.known_files, told.left_behind)
    again, _ = read_lines(fresh.path)
    return Session(fresh.path, fresh._scene, _noted(restore(again), notes))


def _known_files(path: Path) -> Path:
    """Return where it is written down which files the conversation of a transcript has seen."""
    return path.with_suffix("") / "known-files.jsonl"


def _copied(lines: list[Line], told: Restored, session_id: str) -> Iterator[bytes]:
    """Return the lines of a fork: those of the conversation, and what is said about them."""
    wanted = set(told.lines)
    last = max((n for n, line in enumerate(lines) if line.get("uuid") in wanted), default=-1)
    for number, line in enumerate(lines):
        if line.get("type") in entries.CHAINED:
            if line.get("uuid") not in wanted:
                continue
            source: Line = {"sessionId": line.get("sessionId"), "messageUuid": line.get("uuid")}
            yield dumps({**line, "sessionId": session_id, "forkedFrom": source})
        elif number <= last or line.get("toolUseId") in told.owners or "messageId" in line:
            yield dumps({**line, "sessionId": session_id})


def _noted(told: Restored, notes: tuple[str, ...]) -> Restored:
    """Return a conversation with what was wrong with its file besides."""
    return replace(told, notes=(*notes, *told.notes)) if notes else told


def scene_of(session_id: str, cwd: str, version: str) -> Scene:
    """Return what every line of a session says."""
    return Scene(session_id, cwd, version, _branch(Path(cwd)))


def _branch(folder: Path) -> str:
    """Return the branch that is checked out, as far as one look at the files tells."""
    for place in (folder, *folder.parents):
        try:
            head = (place / ".git" / "HEAD").read_text("utf-8").strip()
        except (OSError, ValueError):
            continue
        return head.removeprefix(_HEAD) if head.startswith(_HEAD) else "HEAD"
    return ""


def unsure_calls(session: Session) -> list[str]:
    """Return what the model should know of calls that ran in a reply that was lost."""
    names = session.restored.unsure
    if not names:
        return []
    return [
        f"The program stopped while calls of a reply that is lost had begun: {', '.join(names)}."
        " Whether they took effect is not known. Check before you repeat them."
    ]
