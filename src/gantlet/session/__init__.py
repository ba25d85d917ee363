"""A history on disk: append, resume, fork; the audit record; undo; what is known of files."""

from gantlet.session.chain import PointNotFoundError, Restored, restore
from gantlet.session.change_log import ChangeEntry, ChangeLog, Image, change_logs
from gantlet.session.known_files import KnownFiles
from gantlet.session.place import (
    all_sessions_folders,
    is_session_id,
    project_key,
    sessions_folder,
)
from gantlet.session.session import Session, forked, new_session, resumed, unsure_calls
from gantlet.session.shelf import SessionInfo, Shelf, delete, is_in_use, read_info
from gantlet.session.story import CallStory, Passage, Story, tell
from gantlet.session.transcript import SessionError, read_lines
from gantlet.session.undo import BlockedFile, RestoredFile, UndoResult, rewind, undo, undone_numbers

__all__ = [
    "BlockedFile",
    "CallStory",
    "ChangeEntry",
    "ChangeLog",
    "Image",
    "KnownFiles",
    "Passage",
    "PointNotFoundError",
    "Restored",
    "RestoredFile",
    "Session",
    "SessionError",
    "SessionInfo",
    "Shelf",
    "Story",
    "UndoResult",
    "all_sessions_folders",
    "change_logs",
    "delete",
    "forked",
    "is_in_use",
    "is_session_id",
    "new_session",
    "project_key",
    "read_info",
    "read_lines",
    "restore",
    "resumed",
    "rewind",
    "sessions_folder",
    "tell",
    "undo",
    "undone_numbers",
    "unsure_calls",
]
