"""A history on disk: append, resume, fork; the audit record; undo."""

from gantlet.session.chain import PointNotFoundError, Restored, restore
from gantlet.session.place import (
    all_sessions_folders,
    is_session_id,
    project_key,
    sessions_folder,
)
from gantlet.session.session import Session, forked, new_session, resumed, unsure_calls
from gantlet.session.shelf import SessionInfo, Shelf, delete, read_info
from gantlet.session.transcript import SessionError, read_lines

__all__ = [
    "PointNotFoundError",
    "Restored",
    "Session",
    "SessionError",
    "SessionInfo",
    "Shelf",
    "all_sessions_folders",
    "delete",
    "forked",
    "is_session_id",
    "new_session",
    "project_key",
    "read_info",
    "read_lines",
    "restore",
    "resumed",
    "sessions_folder",
    "unsure_calls",
]
