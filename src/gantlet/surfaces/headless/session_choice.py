"""Which session the flags ask for, and how long one is kept that nobody touches."""

from pathlib import Path

from gantlet.config import Settings
from gantlet.rules import SourceKind
from gantlet.session import (
    PointNotFoundError,
    Session,
    Shelf,
    all_sessions_folders,
    forked,
    new_session,
    resumed,
    sessions_folder,
)
from gantlet.surfaces.headless import COMPATIBLE_VERSION
from gantlet.surfaces.headless.flags import FlagError, Flags
from gantlet.system import Environment

#: How long a session is kept that nobody touches, unless a setting says otherwise.
KEPT_DAYS = 30.0


def open_session(flags: Flags, cwd: str, environment: Environment) -> Session | None:
    """Return the session the flags ask for; None if nothing is to be written down.

    Raises:
        UserError: It is not there, in use, or has no such point.
    """
    if flags.is_unrecorded:
        return None
    own = sessions_folder(environment)
    if not flags.is_resumed:
        return new_session(own, cwd, COMPATIBLE_VERSION, session_id=flags.session_id)
    shelf = Shelf(all_sessions_folders(environment))
    path = shelf.find(flags.resume, cwd) if flags.resume else shelf.latest(cwd)
    at = flags.resume_session_at
    _check_dropped(flags, path)
    try:
        if flags.fork_session:
            home = path.parent.parent
            session = forked(
                path, home, cwd, COMPATIBLE_VERSION, at=at, session_id=flags.session_id
            )
        else:
            session = resumed(path, cwd, COMPATIBLE_VERSION, at=at)
    except PointNotFoundError as error:
        raise FlagError(f"--resume-session-at: {error}") from error
    return session


def _check_dropped(flags: Flags, path: Path) -> None:
    """Refuse to drop another turn than the one that is meant."""
    dropped = flags.resume_drops_turn
    if dropped is None:
        return
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    after = False
    for line in lines:
        if after and f'"uuid":"{dropped}"' in line:
            return
        if flags.resume_session_at and f'"uuid":"{flags.resume_session_at}"' in line:
            after = True
    raise FlagError(
        f"Resume rejected by --resume-drops-turn: {dropped} is not among what would be dropped."
    )


def kept_days(settings: Settings) -> float:
    """Return for how many days sessions are kept.

    What a project says about it does not count: it must not delete what is not its own.
    """
    foreign = (SourceKind.PROJECT, SourceKind.LOCAL)
    for setting in settings.counted.get("cleanupPeriodDays", ()):
        days = setting.content
        if setting.source.kind not in foreign and isinstance(days, int | float) and days > 0:
            return float(days)
    return KEPT_DAYS
