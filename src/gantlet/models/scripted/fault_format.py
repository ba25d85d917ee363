"""How a fault is written in a script file: what goes wrong, where in the reply, how often."""

from collections.abc import Callable, Sequence

from gantlet.models.scripted import reading
from gantlet.models.scripted.api_errors import ERRORS, api_error
from gantlet.models.scripted.nodes import Fields, Item
from gantlet.models.scripted.script import (
    ApiError,
    At,
    Call,
    Drop,
    Fault,
    Garble,
    Piece,
    Stall,
    Thought,
    Truncate,
    Unheard,
    Words,
)

_COMMON = ("at", "nth", "times")
_NEEDED: dict[At, tuple[type, str]] = {
    At.MID_TEXT: (Words, "text"),
    At.MID_THINKING: (Thought, "thinking"),
    At.MID_JSON: (Call, "call"),
    At.AFTER_CALL: (Call, "call"),
}


def read_faults(item: Item, pieces: Sequence[Piece]) -> tuple[Fault, ...]:
    """Return the faults of a reply, which happen one after another as it is asked for again.

    Raises:
        UserError: One is not written as a fault is, or cannot happen in this reply.
    """
    return reading.one_or_more(item, lambda one: _fault(one, pieces))


def _fault(item: Item, pieces: Sequence[Piece]) -> Fault:
    """Return one fault."""
    named = item.content if isinstance(item.content, dict) else {}
    kind = next((name for name in _FAULTS if name in named), None)
    if kind is None:
        raise item.refusal(f"a fault has one of the keys {', '.join(_FAULTS)}.")
    keys, read = _FAULTS[kind]
    fields = Fields(item, (kind, *keys, *_COMMON))
    fault = Fault(
        what=read(fields),
        at=fields.take("at", reading.choice(At), At.BEFORE),
        nth=fields.take("nth", reading.count, 1),
        times=fields.take("times", _times, 1),
    )
    _check(fault, pieces, item)
    return fault


def _check(fault: Fault, pieces: Sequence[Piece], item: Item) -> None:
    """Refuse a fault that has no place in the reply."""
    if isinstance(fault.what, Truncate) and fault.at is At.BEFORE:
        raise item.refusal("a reply that ends before it begins is none. Give `at` another value.")
    if fault.at not in _NEEDED:
        if fault.nth != 1:
            raise item.refusal(f"`nth` says which text, thought or call; {fault.at} needs none.")
        return
    wanted, name = _NEEDED[fault.at]
    found = sum(
        piece.count if isinstance(piece, Call) else 1
        for piece in pieces
        if isinstance(piece, wanted)
    )
    if found < fault.nth:
        raise item.refusal(
            f"`at: {fault.at}` needs {fault.nth} x {name}, and the reply has {found}."
        )


def _times(item: Item) -> int | None:
    """Return how often a fault happens, None for always."""
    return None if item.content == "always" else reading.count(item)


def _error(fields: Fields) -> ApiError:
    """Return an error of the API."""
    name = fields.take("error", reading.text, None)
    if name is not None and name not in ERRORS:
        raise fields["error"].refusal(f"{name!r} is not known. Known are {', '.join(ERRORS)}.")
    return api_error(
        name,
        status=fields.take("status", _status, None),
        message=fields.take("message", reading.text, None),
        retry_after_seconds=fields.take("retry_after", reading.seconds, None),
    )


def _status(item: Item) -> int:
    """Return a status that means no."""
    return reading.count(item, lowest=400, highest=599)


def _drop(fields: Fields) -> Drop:
    """Return a closed connection."""
    reading.true(fields["drop"])
    return Drop()


def _stall(fields: Fields) -> Stall:
    """Return a silence."""
    return Stall(reading.seconds_or_forever(fields["stall"]))


def _garble(fields: Fields) -> Garble:
    """Return something that is no event."""
    return reading.choice(Garble)(fields["garble"])


def _unheard(fields: Fields) -> Unheard:
    """Return something that no client has heard of."""
    return reading.choice(Unheard)(fields["unknown"])


def _truncate(fields: Fields) -> Truncate:
    """Return an early end."""
    stop_reason = reading.text(fields["truncate"])
    return Truncate(stop_reason, fields.take("closes", reading.flag, default=True))


_ERROR_KEYS = ("error", "status", "message", "retry_after")
#: For each kind of fault its own key, the keys beside it, and what reads it.
_FAULTS: dict[
    str,
    tuple[
        tuple[str, ...],
        Callable[[Fields], ApiError | Drop | Stall | Garble | Truncate | Unheard],
    ],
] = {
    "error": (_ERROR_KEYS, _error),
    "status": (_ERROR_KEYS, _error),
    "drop": ((), _drop),
    "stall": ((), _stall),
    "garble": ((), _garble),
    "truncate": (("closes",), _truncate),
    "unknown": ((), _unheard),
}
