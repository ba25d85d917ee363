"""What is written of calls: that one runs, its result, and how it came to it."""

from gantlet.messages import (
    CallDeferred,
    CallFinished,
    CallQueued,
    CallStarted,
    PermissionDecided,
    ResultBlock,
    block_to_wire,
)
from gantlet.messages.value import slotted
from gantlet.session import entries
from gantlet.session.entries import Line
from gantlet.session.pen import Pen


@slotted
class _Call:
    """What is known of a call until it ends."""

    queued_at: str
    started_at: str | None = None
    decision: Line | None = None


class CallLines:
    """Writes `started` before a call runs, its result when it is certain, and its record.

    Attributes:
        owners: The line of the block that asked for each call.
    """

    def __init__(self, pen: Pen, owners: dict[str, str]) -> None:
        self.owners = owners
        self._pen = pen
        self._calls: dict[str, _Call] = {}
        self._results: dict[str, tuple[ResultBlock, str]] = {}

    def line_of_result(self, call_id: str) -> str | None:
        """Return the line of a result that is not yet part of the conversation."""
        written = self._results.get(call_id)
        return written[1] if written is not None else None

    def hear_queued(self, queued: CallQueued) -> None:
        """Keep when a call was asked for."""
        self._calls[queued.call.id] = _Call(entries.timestamp())

    def hear_started(self, started: CallStarted) -> None:
        """Write that a call runs from now on."""
        call_id = started.call_id
        line = self._pen.scene.aside(entries.STARTED, toolUseId=call_id, name=started.name)
        if call_id in self._calls:
            self._calls[call_id].started_at = str(line["timestamp"])
        self._pen.put(line)

    def hear_decision(self, decided: PermissionDecided) -> None:
        """Keep how a call was judged, for the line about it."""
        if decided.call_id in self._calls:
            self._calls[decided.call_id].decision = {
                "behaviour": decided.behaviour.value,
                "reason": decided.reason,
                "layer": decided.layer,
                "rule": decided.rule,
                "source": decided.source,
            }

    def hear_finished(self, finished: CallFinished) -> None:
        """Write a result, and what happened to its call."""
        call = self._calls.pop(finished.call_id, None) or _Call(entries.timestamp())
        line = self._line(finished.result)
        if finished.structured is not None:
            line["toolUseResult"] = finished.structured
        self._pen.put(line)
        self._results[finished.call_id] = (finished.result, str(line["uuid"]))
        self._pen.put_aside(
            entries.CALL,
            toolUseId=finished.call_id,
            name=finished.name,
            outcome=finished.outcome.value,
            queuedAt=call.queued_at,
            startedAt=call.started_at,
            endedAt=line["timestamp"],
            waitedFor=list(finished.waited_for),
            decision=call.decision,
        )

    def hear_deferred(self, deferred: CallDeferred) -> None:
        """Write that a hook put a call off: it is asked again when the session is resumed."""
        self._pen.put_aside(entries.DEFERRED, toolUseId=deferred.call.id, name=deferred.call.name)

    def answer(self, result: ResultBlock) -> None:
        """Write a result that the history has and the transcript lacks."""
        self._pen.put_next(self._line(result))

    def settle(self, result: ResultBlock) -> str:
        """Write a result that is new, or what stands in place of a written one; return its line."""
        written = self._results.get(result.tool_use_id)
        if written is None:
            line = self._line(result)
            self._pen.put(line)
            self._results[result.tool_use_id] = written = (result, str(line["uuid"]))
        elif written[0] != result:
            new: Line = {"uuid": written[1], "block": block_to_wire(result)}
            self._pen.put_aside(entries.REPLACED, replacements=[new])
        return written[1]

    def forget_calls(self) -> None:
        """Let go of calls that did not end: the turn is over."""
        self._calls.clear()

    def forget_results(self) -> None:
        """Let go of results that are part of the conversation now, or never will be."""
        self._results.clear()

    def _line(self, result: ResultBlock) -> Line:
        """Return the line of a result; it follows the block that asked for it."""
        owner = self.owners.get(result.tool_use_id, self._pen.leaf)
        return self._pen.scene.chained(
            "user",
            owner,
            message=dict(entries.user_message([result])),
            sourceToolAssistantUUID=owner,
        )
