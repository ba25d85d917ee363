"""What the file tools of a session share: what it knows of files, and the log of its changes."""

import secrets
from pathlib import Path
from typing import Any

from gantlet.messages import Compacted, Event, TurnStarted
from gantlet.messages.value import value
from gantlet.session import ChangeLog, KnownFiles, Session
from gantlet.tool import FILE_CHANGES, FILE_KNOWLEDGE, Port

#: The events that say something about files. Most say nothing.
FILES_HEAR = frozenset({Compacted, TurnStarted})


@value
class SessionFiles:
    """What lasts as long as a session. Nothing is written before a call touches a file."""

    changes: ChangeLog
    knowledge: KnownFiles

    @classmethod
    def below(cls, home: Path, session: Session | None = None) -> "SessionFiles":
        """Return the files of a session that keeps its changes below `home`.

        What one with a transcript has seen is written beside that, and read when it is resumed.
        """
        if session is None:
            return cls(ChangeLog(home, secrets.token_hex(16)), KnownFiles())
        return cls(ChangeLog(home, session.id), KnownFiles(session.known_files))

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
