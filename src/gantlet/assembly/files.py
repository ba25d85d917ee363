"""What the file tools of a session share: what it knows of files, and the log of its changes."""

import secrets
from dataclasses import field
from pathlib import Path
from typing import Any

from gantlet.messages import Compacted, Event, TurnStarted
from gantlet.messages.value import value
from gantlet.session import ChangeLog, KnownFiles
from gantlet.tool import FILE_CHANGES, FILE_KNOWLEDGE, Port


@value
class SessionFiles:
    """What lasts as long as a session. Nothing is written before a call changes a file."""

    changes: ChangeLog
    knowledge: KnownFiles = field(default_factory=KnownFiles)

    @classmethod
    def below(cls, home: Path, session_id: str = "") -> "SessionFiles":
        """Return the files of a session that keeps its own below `home`."""
        return cls(ChangeLog(home, session_id or secrets.token_hex(16)))

    @property
    def ports(self) -> dict[Port[Any], object]:
        """What is offered to the tools."""
        return {FILE_KNOWLEDGE: self.knowledge, FILE_CHANGES: self.changes}

    def hear(self, event: Event) -> None:
        """Take note of what happens in the conversation."""
        if isinstance(event, Compacted):
            self.knowledge.forget_showing()
        elif isinstance(event, TurnStarted):
            self.changes.begin_turn()
