"""Characters that have no place in a command: a person would not see what the shell does."""

import re

_REASONS = {
    "\x00": "a NUL byte",
    "\r": "a carriage return",
}

_SUSPECT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline
    "\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f"  # blanks, zero width, direction
    "\u2800\u3000\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\ue000-\uf8ff"  # surrogates, private use
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"  # tags, variation selectors, private use
    "]"
)


def suspect_characters(text: str) -> tuple[str, ...]:
    """Return why the characters of `text` cannot be trusted, or nothing."""
    found = dict.fromkeys(_SUSPECT.findall(text))
    return tuple(
        f"The command holds {_REASONS.get(character, f'the character U+{ord(character):04X}')}."
        for character in found
    )


def without_suspects(text: str, replacement: str) -> str:
    """Return `text` with each of those characters replaced."""
    return _SUSPECT.sub(replacement, text)
