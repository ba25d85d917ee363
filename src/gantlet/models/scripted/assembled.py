"""A reply in one piece, put together from the events that would have streamed it."""

from collections.abc import Iterable, Mapping

from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockDelta,
    BlockStart,
    InputJsonDelta,
    JsonValue,
    MessageDelta,
    MessageStart,
    ReplyEnd,
    SignatureDelta,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    Usage,
    block_from_wire,
    block_to_wire,
    freeze,
    loads,
    thaw,
)

#: Where the API's documentation says to put an input that is not JSON.
INVALID_JSON_KEY = "INVALID_JSON"


class _Builder:
    """A block and what was added to it."""

    def __init__(self, block: Block) -> None:
        self._start = block
        self._added: dict[str, list[str]] = {}

    def add(self, delta: object) -> None:
        """Add a delta; one of an unknown kind adds nothing."""
        match delta:
            case TextDelta(text):
                self._added.setdefault("text", []).append(text)
            case ThinkingDelta(thinking):
                self._added.setdefault("thinking", []).append(thinking)
            case SignatureDelta(signature):
                self._added.setdefault("signature", []).append(signature)
            case InputJsonDelta(partial_json):
                self._added.setdefault("input", []).append(partial_json)

    def block(self) -> Block:
        """Return the block with all of it."""
        wire = thaw(block_to_wire(self._start))
        if not isinstance(wire, dict) or not self._added:
            return self._start
        for name, pieces in self._added.items():
            whole = "".join(pieces)
            wire[name] = _input(whole) if name == "input" else f"{wire.get(name, '')}{whole}"
        return block_from_wire(wire)


def _input(source: str) -> JsonValue:
    """Return a call's input; what is not a JSON object is wrapped into one."""
    try:
        value = freeze(loads(source or "{}"))
    except ValueError:
        return {INVALID_JSON_KEY: source}
    return value if isinstance(value, dict) else {INVALID_JSON_KEY: source}


def assemble(events: Iterable[StreamEvent]) -> AssistantMessage:
    """Return the message that the events of one reply make up."""
    start, end = AssistantMessage(()), MessageDelta(ReplyEnd())
    builders: dict[int, _Builder] = {}
    told: dict[str, JsonValue] = {}
    for event in events:
        match event:
            case MessageStart(message):
                start = message
            case BlockStart(index, block):
                builders[index] = _Builder(block)
            case BlockDelta(index, delta) if index in builders:
                builders[index].add(delta)
            case MessageDelta():
                end = event
                told |= event.delta.extra
    content = tuple(builders[index].block() for index in sorted(builders))
    return _ended(start, end, content, told)


def _ended(
    start: AssistantMessage,
    end: MessageDelta,
    content: tuple[Block, ...],
    told: Mapping[str, JsonValue],
) -> AssistantMessage:
    """Return the message with its content, its ending, and what else was told of it."""
    extra = {"type": "message", **told}
    return AssistantMessage(
        content=content,
        id=start.id,
        model=start.model,
        stop_reason=end.delta.stop_reason,
        stop_sequence=end.delta.stop_sequence,
        stop_details=end.delta.stop_details,
        usage=(start.usage or Usage()).updated(end.usage or Usage()),
        extra=freeze(extra),
    )
