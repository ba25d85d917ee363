"""What the file tools of a session share: what it knows of files, and the log of its changes."""

import secrets
from pathlib import Path
from typing import Any

from gantlet.messages import Compacted, Event, TurnStarted
from gantlet.messages.value import value
from gantlet.session import ChangeLog, KnownFiles
from gantlet.tool import FILE_CHANGES, FILE_KNOWLEDGE, Port

#: The events that say something about files. Most say nothing.
FILES_HEAR = frozenset({Compacted, TurnStarted})


@value
class SessionFiles:
    """What lasts as long as a session. Nothing is written before a call touches a file."""

    changes: ChangeLog
    knowledge: KnownFiles

    @classmethod
    def below(
        cls, home: Path, session_id: str = "", known_files: Path | None = None
    ) -> "SessionFiles":
        """Return the files of a session that keeps its changes below `home`.

        With `known_files`, what it has seen is written there, and read again when it is resumed.
        """
        return cls(ChangeLog(home, session_id or secrets.token_hex(16)), KnownFiles(known_files))

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
