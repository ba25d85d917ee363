"""What ends a turn from outside, or lets it go on with other words: the user, and the time."""

from collections.abc import Awaitable
from typing import TypeVar

import anyio

from gantlet.execution import Abort, AbortKind, AbortScope

_T = TypeVar("_T")


class Interruption:
    """Whether somebody wants the present step to end, and why.

    Attributes:
        scope: The present turn's scope, up to the next message that is to be read at once.
    """

    def __init__(self) -> None:
        self.scope = AbortScope()

    def by(self, kind: AbortKind) -> None:
        """End what is being said, and the calls as they say."""
        self.scope.abort(Abort(kind))

    @property
    def is_wanted(self) -> bool:
        """Whether somebody wants the step to end."""
        return self.scope.reason is not None

    def take_message(self) -> bool:
        """Return whether all that is wanted is that a message be read; then it has been heeded."""
        reason = self.scope.reason
        if reason is None or reason.kind is not AbortKind.MESSAGE:
            return False
        self.scope = AbortScope()
        return True

    async def outlast(self, work: Awaitable[_T]) -> _T | None:
        """Wait for something; None if the user, or the time, ends the turn meanwhile.

        A message that is to be read now waits for it: it is needed all the same.
        """
        with anyio.CancelScope() as waiting:

            def stop(why: Abort) -> None:
                if why.kind is not AbortKind.MESSAGE:
                    waiting.cancel()

            scope = self.scope.child(stop)
            try:
                if self.scope.reason is not None:
                    stop(self.scope.reason)
                return await work
            finally:
                scope.close()
        return None
