"""A reply as a list of steps: what is sent, when, and what goes wrong. Nothing is sent here."""

from itertools import takewhile
from typing import TypeAlias

from gantlet.messages import (
    AssistantMessage,
    BlockDelta,
    BlockStart,
    BlockStop,
    FrozenDict,
    MessageDelta,
    MessageStart,
    MessageStop,
    ReplyEnd,
    StopReason,
    Unknown,
    UnknownDelta,
    UnknownEvent,
    Usage,
)
from gantlet.messages.value import value
from gantlet.models.scripted.position import Position
from gantlet.models.scripted.received import CHARS_A_TOKEN, InvalidRequestError, ReceivedRequest
from gantlet.models.scripted.script import (
    ApiError,
    At,
    Call,
    Drop,
    Fault,
    Garble,
    Reply,
    Stall,
    Truncate,
    Unheard,
    Wait,
)
from gantlet.models.scripted.speech import Pause, Send, Speech
from gantlet.models.scripted.templates import TemplateError

#: No script has so many blocks in one reply.
_UNHEARD_INDEX = 1_000_000


@value
class Hang:
    """Nothing comes any more."""


Step: TypeAlias = Pause | Send | Hang | ApiError | Drop | Garble


def perform(position: Position, request: ReceivedRequest, attempt: int) -> tuple[Step, ...]:
    """Return the steps of a reply; `attempt` is how often its request has been made before.

    Raises:
        InvalidRequestError: The script cannot answer it; the message names file and line.
    """
    reply = position.reply
    fault = _fault_of(reply, attempt)
    try:
        speech, usage = _spoken(position, request, fault.at if fault else None)
    except TemplateError as error:
        raise InvalidRequestError(f"{reply.where}: {error}") from error
    ending = _ending(reply, usage, _stop_reason(reply))
    if fault is None:
        return (*speech.steps, *ending)
    if isinstance(fault.what, Truncate):
        ending = _ending(reply, usage, fault.what.stop_reason)
    return _struck(speech, ending, fault)


def _spoken(
    position: Position, request: ReceivedRequest, breaks_at: At | None
) -> tuple[Speech, Usage]:
    """Say all the pieces; return what was said and what it took."""
    reply, ordinal = position.reply, position.scene.replies + 1
    speech = Speech(position.scene, f"toolu_{reply.number}_{ordinal}", breaks_at)
    waits = list(takewhile(lambda piece: isinstance(piece, Wait), reply.pieces))
    for wait in waits:
        speech.say(wait)
    speech.mark(At.BEFORE)
    asked = Usage(request.tokens, 1, 0, 0).updated(reply.usage)
    speech.send(_start(f"msg_{reply.number}_{ordinal}", request.model, asked))
    speech.mark(At.START)
    for piece in reply.pieces[len(waits) :]:
        speech.say(piece)
    speech.mark(At.END)
    counted = Usage(output_tokens=1 + speech.chars // CHARS_A_TOKEN)
    return speech, asked.updated(counted).updated(reply.usage)


def _start(message_id: str, model: str, usage: Usage) -> MessageStart:
    """Return how a reply begins."""
    return MessageStart(
        AssistantMessage(
            content=(),
            id=message_id,
            model=model,
            usage=usage.updated(Usage(output_tokens=1)),
            extra=FrozenDict(type="message", stop_reason=None, stop_sequence=None),
        )
    )


def _fault_of(reply: Reply, attempt: int) -> Fault | None:
    """Return what goes wrong this time."""
    for fault in reply.faults:
        if fault.times is None or attempt < fault.times:
            return fault
        attempt -= fault.times
    return None


def _stop_reason(reply: Reply) -> str | None:
    """Return why a reply ends that nothing disturbs."""
    if not reply.ends_by_itself:
        return reply.stop_reason
    if reply.stop_sequence is not None:
        return StopReason.STOP_SEQUENCE
    has_call = any(isinstance(piece, Call) for piece in reply.pieces)
    return StopReason.TOOL_USE if has_call else StopReason.END_TURN


def _ending(reply: Reply, usage: Usage, stop_reason: str | None) -> tuple[Send, Send]:
    """Return how a reply ends; what is null is sent as such."""
    reasons = {"stop_reason": stop_reason, "stop_sequence": reply.stop_sequence}
    nulls = {name: None for name, value in reasons.items() if value is None}
    end = ReplyEnd(stop_reason, reply.stop_sequence, reply.stop_details, FrozenDict(nulls))
    return Send(MessageDelta(end, usage)), Send(MessageStop())


def _struck(speech: Speech, ending: tuple[Send, Send], fault: Fault) -> tuple[Step, ...]:
    """Return what is sent when a fault strikes."""
    place = speech.places[fault.at, fault.nth]
    kept, rest = speech.steps[: place.step], speech.steps[place.step :]
    match fault.what:
        case Truncate(_, closes):
            closing = [Send(BlockStop(place.block))] if closes and place.block is not None else []
            return (*kept, *closing, *ending)
        case Stall(seconds):
            return (*kept, Hang()) if seconds is None else (*kept, Pause(seconds), *rest, *ending)
        case Unheard() as kind:
            return (*kept, *_unheard(kind, place.block), *rest, *ending)
        case what:
            return (*kept, what)


def _unheard(kind: Unheard, block: int | None) -> tuple[Send, ...]:
    """Return events that no client has heard of; a block of this kind has an index of its own."""
    match kind:
        case Unheard.EVENT:
            return (Send(UnknownEvent({"type": "unheard_of", "index": block})),)
        case Unheard.DELTA:
            return (Send(BlockDelta(block or 0, UnknownDelta({"type": "unheard_of_delta"}))),)
        case Unheard.BLOCK:
            begun = BlockStart(_UNHEARD_INDEX, Unknown({"type": "unheard_of"}))
            return Send(begun), Send(BlockStop(_UNHEARD_INDEX))
