"""What a failed call means for the others of its reply."""

from collections.abc import Sequence

from gantlet.execution.abort import Abort, AbortKind
from gantlet.execution.foreign import contained_now
from gantlet.execution.outcome import Failed, Outcome
from gantlet.execution.settings import SiblingFailure
from gantlet.execution.tracked import QUEUED, Tracked
from gantlet.messages.value import slotted
from gantlet.tool import Parsed


@slotted
class Siblings:
    """Remembers the first failure that stops others, and says whom it stops.

    With `dependent`, calls behind it that are of the same kind, change things and have not started:
    what they build on was probably not done. Nothing that runs is touched. With `all`, everything.
    """

    setting: SiblingFailure
    _failure: Abort | None = None
    _first_failed: int | None = None

    def victims_of(
        self, failed: Tracked, outcome: Outcome, calls: Sequence[Tracked]
    ) -> list[tuple[Tracked, Abort]]:
        """Return the calls that make no sense after this one, and why."""
        if not self._stops_others(failed, outcome):
            return []
        self._failure = self._failure or Abort(AbortKind.SIBLING, _description(failed))
        reason = self._failure
        concerned = self._not_yet_stopped(failed.position, calls)
        if self.setting is SiblingFailure.ALL:
            return [(call, reason) for call in concerned if not call.is_done]
        return [(call, reason) for call in concerned if _has_not_started(call) and _depends(call)]

    def _not_yet_stopped(self, failed: int, calls: Sequence[Tracked]) -> Sequence[Tracked]:
        """Return those whom a failure can stop and an earlier one has not looked at."""
        known, self._first_failed = self._first_failed, failed
        if known is None:
            return calls if self.setting is SiblingFailure.ALL else calls[failed + 1 :]
        self._first_failed = min(known, failed)
        return () if self.setting is SiblingFailure.ALL else calls[failed + 1 : known]

    def reason_to_cancel(self, tracked: Tracked) -> Abort | None:
        """Return why a call that comes after the failure is not started, or None."""
        if self._failure is None:
            return None
        cancels = self.setting is SiblingFailure.ALL or _depends(tracked)
        return self._failure if cancels else None

    def _stops_others(self, failed: Tracked, outcome: Outcome) -> bool:
        """Return whether an outcome is a failure that concerns others."""
        if self.setting is SiblingFailure.OFF:
            return False
        if not isinstance(outcome, Failed) or outcome.is_benign:
            return False
        traits = failed.prepared.traits
        if not traits.failure_stops_siblings:
            return False
        return self.setting is SiblingFailure.ALL or not traits.read_only


def _has_not_started(call: Tracked) -> bool:
    """Return whether a call waits in the queue, still or again."""
    return call.state is QUEUED


def _depends(call: Tracked) -> bool:
    """Return whether a call would build on what a failed one was to do."""
    traits = call.prepared.traits
    return traits.failure_stops_siblings and not traits.read_only


def _description(failed: Tracked) -> str:
    """Return one line that says which call failed; nothing if it cannot be told."""
    tool, parsed = failed.prepared.tool, failed.prepared.parsed
    if tool is None or not isinstance(parsed, Parsed):
        return ""
    try:
        return contained_now(lambda: tool.summary(parsed.args))
    except Exception:  # noqa: BLE001 - the text is only a courtesy
        return ""
