"""The one place where the present permission context is kept, and changed by replacing it."""

import logging
from collections.abc import Callable
from typing import Protocol

from gantlet.permissions.context import PermissionContext
from gantlet.permissions.updates import AddDirectories, SetMode, Update
from gantlet.permissions.workspace import Directory

_log = logging.getLogger(__name__)


class Saver(Protocol):
    """Whoever writes changes to settings files."""

    async def save(self, update: Update) -> None:
        """Write a change where it says."""


class ContextHolder:
    """Holds the context of a session. Who reads it has a snapshot that never changes."""

    def __init__(
        self,
        context: PermissionContext,
        saver: Saver | None = None,
        names_of: Callable[[str], tuple[str, ...]] | None = None,
    ) -> None:
        self.current = context
        self._saver = saver
        self._names_of = names_of

    def apply(self, update: Update) -> PermissionContext:
        """Change the context for the session, and return it."""
        changed = self.current.updated(update)
        if isinstance(update, AddDirectories) and self._names_of is not None:
            known = set(self.current.directories)
            fresh = [one for one in changed.directories if one not in known]
            named = [Directory(self._names_of(one.path), one.source) for one in fresh]
            changed = self.current.with_directories(named)
        self.current = changed
        return changed

    def replace(self, context: PermissionContext) -> None:
        """Put another context in its place, as after settings were read again."""
        self.current = context

    def leave_plan(self) -> None:
        """Go back to the mode before planning."""
        self.current = self.current.left_plan()

    async def save(self, update: Update) -> bool:
        """Write a change that outlives the session; return whether it was written.

        A mode is never written: neither bypassPermissions nor any other outlives its session.
        """
        if self._saver is None or isinstance(update, SetMode) or not update.destination.is_saved:
            return False
        try:
            await self._saver.save(update)
        except Exception:  # noqa: BLE001 - a failure to write is told, and changes nothing
            _log.exception("A permission could not be saved; it holds for this session only.")
            return False
        return True
