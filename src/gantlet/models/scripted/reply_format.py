"""How a reply is written in a script file: its pieces and its ending."""

from collections.abc import Callable

from gantlet.messages import FrozenDict, Usage
from gantlet.models.scripted import reading
from gantlet.models.scripted.fault_format import read_faults
from gantlet.models.scripted.nodes import Fields, Item
from gantlet.models.scripted.script import (
    Call,
    Piece,
    RawBlock,
    RawEvent,
    Reply,
    Thought,
    Wait,
    Words,
)

REPLY_KEYS = ("say", "fault", "stop_reason", "stop_sequence", "stop_details", "usage")
SIGNATURE = "signed-by-the-script"
_TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


def read_reply(fields: Fields, number: int) -> Reply:
    """Return the reply that a mapping describes.

    Raises:
        UserError: It describes none.
    """
    pieces = reading.one_or_more(fields["say"], _piece)
    return Reply(
        pieces=pieces,
        faults=fields.take("fault", lambda item: read_faults(item, pieces), ()),
        stop_reason=fields.take("stop_reason", _text_or_null, None),
        ends_by_itself="stop_reason" not in fields,
        stop_sequence=fields.take("stop_sequence", reading.text, None),
        stop_details=fields.take("stop_details", reading.mapping, None),
        usage=fields.take("usage", _usage, Usage()),
        number=number,
        where=fields.item.where,
    )


def _text_or_null(item: Item) -> str | None:
    """Return a text, or what the API sends in place of one."""
    return None if item.content is None else reading.text(item)


def _usage(item: Item) -> Usage:
    """Return how many tokens the reply is said to take."""
    fields = Fields(item, _TOKENS)
    return Usage(
        input_tokens=fields.take("input_tokens", reading.tokens, None),
        output_tokens=fields.take("output_tokens", reading.tokens, None),
        cache_creation_input_tokens=fields.take(_TOKENS[2], reading.tokens, None),
        cache_read_input_tokens=fields.take(_TOKENS[3], reading.tokens, None),
    )


def _piece(item: Item) -> Piece:
    """Return one piece; a plain text is one that is said."""
    if isinstance(item.content, str):
        return Words((reading.template(item),))
    named = item.content if isinstance(item.content, dict) else {}
    kinds = [name for name in _PIECES if name in named]
    if len(kinds) != 1:
        raise item.refusal(
            f"a piece is a text, or has exactly one of the keys {', '.join(_PIECES)}."
        )
    keys, read = _PIECES[kinds[0]]
    return read(Fields(item, (kinds[0], *keys)))


def _said(fields: Fields) -> Words:
    """Return a text."""
    return _words(fields, "text")


def _words(fields: Fields, key: str) -> Words:
    """Return what is said or thought."""
    if isinstance(fields[key].content, tuple) and "chunks" in fields:
        raise fields["chunks"].refusal(
            "the list already says how the text is cut. Leave `chunks` out."
        )
    return Words(
        parts=reading.one_or_more(fields[key], reading.template),
        chunks=fields.take("chunks", reading.count, None),
        pause_seconds=fields.take("pause", reading.seconds, 0.0),
    )


def _thought(fields: Fields) -> Thought:
    """Return a thought."""
    signature = fields.take("signature", reading.text, SIGNATURE)
    return Thought(_words(fields, "thinking"), signature)


def _call(fields: Fields) -> Call:
    """Return a call."""
    if "input" in fields and "input_json" in fields:
        raise fields["input_json"].refusal("`input` and `input_json` exclude each other. Keep one.")
    return Call(
        tool=reading.text(fields["call"]),
        input=fields.take("input", reading.mapping, FrozenDict()),
        id=fields.take("id", reading.template, None),
        input_json=fields.take("input_json", reading.template, None),
        chunks=fields.take("chunks", reading.count, 1),
        pause_seconds=fields.take("pause", reading.seconds, 0.0),
        count=fields.take("repeat", reading.count, 1),
    )


def _block(fields: Fields) -> RawBlock:
    """Return a block as it is."""
    return RawBlock(reading.typed_mapping(fields["block"]))


def _event(fields: Fields) -> RawEvent:
    """Return an event as it is."""
    return RawEvent(reading.typed_mapping(fields["event"]))


def _ping(fields: Fields) -> RawEvent:
    """Return a ping."""
    reading.true(fields["ping"])
    return RawEvent(FrozenDict(type="ping"))


def _wait(fields: Fields) -> Wait:
    """Return a wait."""
    return Wait(reading.seconds(fields["wait"]))


#: For each kind of piece its own key, the keys beside it, and what reads it.
_PIECES: dict[str, tuple[tuple[str, ...], Callable[[Fields], Piece]]] = {
    "text": (("chunks", "pause"), _said),
    "thinking": (("signature", "chunks", "pause"), _thought),
    "call": (("input", "input_json", "id", "chunks", "pause", "repeat"), _call),
    "block": ((), _block),
    "event": ((), _event),
    "ping": ((), _ping),
    "wait": ((), _wait),
}
PIECE_KEYS = frozenset(_PIECES)
