"""Where a conversation is written down, seen from the loop."""

from typing import Protocol

from gantlet.loop.history import History


class Record(Protocol):
    """Keeps what is said. It may not raise: a conversation goes on without its record."""

    def entered(self, history: History) -> None:
        """Take note that the conversation now stands like this."""
