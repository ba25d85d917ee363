"""The beginning and the end of a long text, cut where nothing breaks."""

import re
import unicodedata

HEAD_CHARS = 2_000
TAIL_CHARS = 1_000

#: A terminal's control sequence: CSI, a string (OSC, DCS and such) with its end, a short escape.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_INTRODUCER = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
#: Where to look for the beginning of an escape that the cut may be in.
_ESCAPE_WINDOW = 8_192
#: A "character" longer than this was made to be a nuisance, and is cut.
_LONGEST_CHARACTER = 256

_ZWJ = "\u200d"
#: Change the character before them without being marks: joiners, vowels of Thai and Lao, kana.
_EXTENDERS = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")


def head_and_tail(text: str, head: int = HEAD_CHARS, tail: int = TAIL_CHARS) -> tuple[str, str]:
    """Return the first and the last characters of `text`, without cutting through any of them."""
    if len(text) <= head + tail:
        return text, ""
    end = safe_cut(text, head, forward=False)
    start = safe_cut(text, len(text) - tail, forward=True)
    return text[:end], text[start:]


def safe_cut(text: str, at: int, *, forward: bool) -> int:
    """Return a place near `at` where `text` can be cut, later with `forward`, else earlier."""
    while True:
        past_character = _past_character(text, at, 1 if forward else -1)
        past_escape = _past_escape(text, past_character, forward=forward)
        if past_escape == past_character:
            return past_character
        at = past_escape


def _past_character(text: str, at: int, step: int) -> int:
    """Return the nearest place in one direction that is between two characters."""
    place = at
    for _ in range(_LONGEST_CHARACTER):
        if not 0 < place < len(text) or not _belong_together(text, place):
            return place
        place += step
    return at


def _past_escape(text: str, at: int, *, forward: bool) -> int:
    """Return the nearest place in one direction that is not inside of an escape."""
    begin = max(0, at - _ESCAPE_WINDOW)
    while first := _INTRODUCER.search(text, begin, at):
        escape = _ESCAPE.match(text, first.start())
        begin = first.end() if escape is None else escape.end()
        if escape is not None and begin > at:
            return begin if forward else first.start()
    return at


def _belong_together(text: str, at: int) -> bool:
    """Return whether what stands before and after `at` are parts of one visible character."""
    before, after = text[at - 1], text[at]
    return (
        (before == "\r" and after == "\n")
        or _extends(after)
        or before == _ZWJ
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
        or _is_second_half_of_a_flag(text, at)
        or _is_same_syllable(before, after)
    )


def _extends(character: str) -> bool:
    """Return whether a character only changes the one before it."""
    if character < "\u0300":
        return False
    return (
        character in _EXTENDERS
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags, as in the flag of Wales
        or unicodedata.category(character).startswith("M")
    )


def _is_second_half_of_a_flag(text: str, at: int) -> bool:
    """Return whether a flag, which is two letters, stands on both sides of `at`."""
    if not _is_flag_letter(text[at]):
        return False
    start = at
    while start > max(0, at - _LONGEST_CHARACTER * 2) and _is_flag_letter(text[start - 1]):
        start -= 1
    return (at - start) % 2 == 1


def _is_flag_letter(character: str) -> bool:
    """Return whether a character is one half of a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_same_syllable(before: str, after: str) -> bool:
    """Return whether two parts of Hangul make one syllable."""
    starts = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    goes_on = "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb"
    whole = "\uac00" <= after <= "\ud7a3"
    if starts:
        return goes_on or whole or "\u1100" <= after <= "\u115f" or "\ua960" <= after <= "\ua97c"
    is_hangul = "\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7fb"
    return is_hangul and goes_on
