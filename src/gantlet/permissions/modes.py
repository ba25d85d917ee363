"""How strict the modes are compared with each other."""

from gantlet.tool import Mode

#: The strictest first. Two modes of one rank differ in what they let pass.
_RANKS = {
    Mode.PLAN: 0,
    Mode.DONT_ASK: 1,
    Mode.DEFAULT: 2,
    Mode.ACCEPT_EDITS: 3,
    Mode.AUTO: 3,
    Mode.BYPASS: 4,
}


def meet(first: Mode, second: Mode) -> Mode:
    """Return a mode that lets nothing pass which either of the two would stop.

    Between plan and dontAsk it is plan, where then nobody may be asked: see `silences`.
    """
    if first is second:
        return first
    if _RANKS[first] == _RANKS[second]:
        return Mode.DEFAULT
    return min(first, second, key=_RANKS.__getitem__)


def silences(first: Mode, second: Mode) -> bool:
    """Return whether in the meet of two modes nobody may be asked."""
    return Mode.DONT_ASK in (first, second)


def read_mode(text: str) -> Mode | None:
    """Return the mode a text names; `manual` is an older name of the default."""
    return _NAMED.get(text)


_NAMED = {**{mode.value: mode for mode in Mode}, "manual": Mode.DEFAULT}
