"""The pieces of a reply as stream events, with the places where a fault can strike."""

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise

from gantlet.messages import (
    Block,
    BlockDelta,
    BlockStart,
    BlockStop,
    Delta,
    InputJsonDelta,
    Ping,
    SignatureDelta,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ToolUse,
    block_from_wire,
    dumps,
    stream_event_from_wire,
)
from gantlet.messages.value import slotted, value
from gantlet.models.scripted.scene import Scene
from gantlet.models.scripted.script import (
    At,
    Call,
    Piece,
    RawBlock,
    RawEvent,
    Thought,
    Wait,
    Words,
)
from gantlet.models.scripted.templates import TemplateError, fill, fill_all


@value
class Pause:
    """Nothing is sent for so long."""

    seconds: float


@value
class Send:
    """An event is sent."""

    event: StreamEvent


@value
class Place:
    """Where a fault can strike: before which step, and inside which block."""

    step: int
    block: int | None = None


@slotted
class Speech:
    """Says pieces, one after another.

    Attributes:
        scene: What has happened before.
        id_stem: What the ids of calls begin with.
        breaks_at: Where a fault will strike; what it strikes in has two deltas at least.
        chars: How much was said.
    """

    scene: Scene
    id_stem: str
    breaks_at: At | None = None
    steps: list[Pause | Send] = field(default_factory=list)
    places: dict[tuple[At, int], Place] = field(default_factory=dict)
    chars: int = 0
    _blocks: int = 0
    _ids: list[str] = field(default_factory=list)
    _seen: dict[At, int] = field(default_factory=dict)

    def mark(self, at: At, block: int | None = None) -> None:
        """Note that a fault of this kind can strike here."""
        number = self._seen.get(at, 0) + 1
        self._seen[at] = number
        self.places[at, number] = Place(len(self.steps), block)

    def send(self, event: StreamEvent) -> None:
        """Send an event."""
        self.steps.append(Send(event))

    def say(self, piece: Piece) -> None:
        """Say one piece.

        Raises:
            TemplateError: It names something that has not happened, or an id that was used.
        """
        match piece:
            case Words():
                self._say_words(piece, Text(""), TextDelta, At.MID_TEXT)
            case Thought(words, signature):
                thinking = Thinking("", "")
                self._say_words(words, thinking, ThinkingDelta, At.MID_THINKING, signature)
            case Call():
                for number in range(1, piece.count + 1):
                    self._call(piece, number)
            case RawBlock(block):
                self._block(block_from_wire(fill_all(block, self.scene)), ())
            case RawEvent(event):
                self.send(stream_event_from_wire(fill_all(event, self.scene)))
            case Wait(seconds):
                self.steps.append(Pause(seconds))

    def _say_words(
        self,
        words: Words,
        start: Block,
        delta: type[TextDelta] | type[ThinkingDelta],
        at: At,
        signature: str | None = None,
    ) -> None:
        """Say a text or think a thought."""
        parts = [fill(part, self.scene) for part in words.parts]
        if words.chunks is not None:
            parts = _cut("".join(parts), words.chunks)
        deltas: list[Delta] = [delta(part) for part in self._breakable(parts, at)]
        middle = (len(deltas) + 1) // 2
        if signature is not None:
            deltas.append(SignatureDelta(signature))
        self.chars += sum(map(len, parts))
        self._block(start, deltas, words.pause_seconds, at, middle)

    def _call(self, call: Call, number: int) -> None:
        """Ask for one call. As the API does, an empty piece of JSON comes first."""
        self._ids.append(self._new_id(call, number))
        source = call.input_json
        if source is None:
            filled = fill_all(call.input, self.scene, number)
            source = str(dumps(filled), "utf-8") if filled else ""
        else:
            source = fill(source, self.scene, number)
        parts = self._breakable(_cut(source, call.chunks), At.MID_JSON)
        deltas = [InputJsonDelta(part) for part in ["", *parts]]
        self.chars += len(source)
        start = ToolUse(self._ids[-1], call.tool, {})
        self._block(start, deltas, call.pause_seconds, At.MID_JSON, 1 + (len(parts) + 1) // 2)
        self.mark(At.AFTER_CALL)

    def _new_id(self, call: Call, number: int) -> str:
        """Return an id that no call had before."""
        if call.id is None:
            return f"{self.id_stem}_{len(self._ids) + 1}"
        call_id = fill(call.id, self.scene, number)
        if call_id in self._ids or self.scene.has_call(call_id):
            raise TemplateError(
                f"the id {call_id!r} has been used in this conversation. Leave `id` out where a "
                "reply is said again, or put {{ number }} into it."
            )
        return call_id

    def _breakable(self, parts: list[str], at: At) -> list[str]:
        """Return the parts, two at least if a fault is to strike between them."""
        if self.breaks_at is at and len(parts) < 2:
            return _cut("".join(parts), 2)
        return parts

    def _block(
        self,
        start: Block,
        deltas: Sequence[Delta],
        pause_seconds: float = 0.0,
        at: At | None = None,
        middle: int = 0,
    ) -> None:
        """Send a block; a fault can strike after so many deltas as `middle` says."""
        index = self._blocks
        self._blocks += 1
        self.send(BlockStart(index, start))
        if index == 0:
            self.send(Ping())
        for number, delta in enumerate(deltas):
            if number == middle and at is not None:
                self.mark(at, index)
            if number and pause_seconds:
                self.steps.append(Pause(pause_seconds))
            self.send(BlockDelta(index, delta))
        if middle >= len(deltas) and at is not None:
            self.mark(at, index)
        self.send(BlockStop(index))


def _cut(text: str, count: int) -> list[str]:
    """Return a text in so many parts of about one size, none of them empty."""
    bounds = [len(text) * at // count for at in range(count + 1)]
    parts = [text[start:end] for start, end in pairwise(bounds)]
    return [part for part in parts if part]
