"""A transcript as a story for people: turns, replies, calls with what was decided and when."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from gantlet.messages import Block, JsonValue, ResultBlock, ToolUse
from gantlet.messages.value import value
from gantlet.session import entries
from gantlet.session.entries import Line
from gantlet.session.nodes import Asides, nodes_of


@value
class CallStory:
    """One call: what was asked, what was decided, what came of it, and when.

    Times are seconds since the session's first line; None where nothing is known.
    """

    call: ToolUse
    result: ResultBlock | None = None
    outcome: str = "unknown"
    queued: float | None = None
    started: float | None = None
    ended: float | None = None
    waited_for: tuple[str, ...] = ()
    decision: Mapping[str, JsonValue] | None = None


@value
class Passage:
    """A run of blocks that one side said."""

    speaker: str
    blocks: tuple[Block, ...] = ()
    calls: tuple[CallStory, ...] = ()
    at: float = 0.0
    is_summary: bool = False


@value
class Story:
    """A whole session."""

    session_id: str
    title: str
    cwd: str
    began: str
    seconds: float
    cost_usd: float | None
    passages: tuple[Passage, ...]

    @property
    def calls(self) -> tuple[CallStory, ...]:
        """Every call, in order."""
        return tuple(call for passage in self.passages for call in passage.calls)


def tell(lines: Sequence[Line]) -> Story:
    """Return the story of a session. What was compacted away is told too; what was lost is not."""
    asides = Asides.of(lines)
    nodes = nodes_of(lines, asides)
    times = {str(line.get("uuid")): _moment(line) for line in lines if line.get("uuid")}
    moments = [moment for line in lines if (moment := _moment(line)) is not None]
    began = min(moments, default=0.0)
    results = {
        block.tool_use_id: block
        for node in nodes
        for block in node.blocks
        if isinstance(block, ResultBlock)
    }
    records = {
        str(line.get("toolUseId")): line for line in lines if line.get("type") == entries.CALL
    }
    passages: list[Passage] = []
    reply: str | None = None
    for node in nodes:
        at = (times.get(node.id) or began) - began
        if node.kind == "assistant":
            calls = tuple(
                _call(block, results.get(block.id), records.get(block.id, {}), began)
                for block in node.calls
            )
            last = passages[-1] if passages else None
            if last is not None and last.speaker == "assistant" and reply == node.reply:
                passages[-1] = Passage(
                    "assistant", (*last.blocks, *node.blocks), (*last.calls, *calls), last.at
                )
            else:
                passages.append(Passage("assistant", node.blocks, calls, at))
            reply = node.reply
        elif node.kind == "user" and not node.has_results:
            speaker = "user" if node.is_prompt else "summary"
            passages.append(Passage(speaker, node.blocks, (), at, not node.is_prompt))
        elif node.is_boundary:
            passages.append(Passage("boundary", (), (), at))
    return Story(
        session_id=_first(lines, "sessionId"),
        title=_last(lines, "customTitle") or _last(lines, "lastPrompt"),
        cwd=_first(lines, "cwd"),
        began=_first(lines, "timestamp"),
        seconds=max(moments, default=0.0) - began,
        cost_usd=_cost(lines),
        passages=tuple(passages),
    )


def _call(call: ToolUse, result: ResultBlock | None, record: Line, began: float) -> CallStory:
    """Return what is known of one call."""
    waited, decision = record.get("waitedFor"), record.get("decision")
    return CallStory(
        call,
        result,
        str(record.get("outcome") or "unknown"),
        _since(record.get("queuedAt"), began),
        _since(record.get("startedAt"), began),
        _since(record.get("endedAt"), began),
        tuple(str(one) for one in waited) if isinstance(waited, list) else (),
        decision if isinstance(decision, dict) else None,
    )


def _since(text: JsonValue, began: float) -> float | None:
    """Return how long after the beginning a moment was."""
    moment = _parsed(text)
    return None if moment is None else max(0.0, moment - began)


def _moment(line: Line) -> float | None:
    """Return when a line was written."""
    return _parsed(line.get("timestamp"))


def _parsed(text: JsonValue) -> float | None:
    """Return a time as a number."""
    try:
        return datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return None


def _first(lines: Sequence[Line], key: str) -> str:
    """Return what is said first under a key."""
    return next((str(line[key]) for line in lines if isinstance(line.get(key), str)), "")


def _last(lines: Sequence[Line], key: str) -> str:
    """Return what is said last under a key."""
    return _first(list(reversed(lines)), key)


def _cost(lines: Sequence[Line]) -> float | None:
    """Return what all turns cost, as far as that is known."""
    costs = [line.get("costUSD") for line in lines if line.get("type") == "turn"]
    known = [float(cost) for cost in costs if isinstance(cost, int | float)]
    return sum(known) if known else None
