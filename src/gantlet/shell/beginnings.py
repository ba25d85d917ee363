"""Command lines that consist of nothing but commands with certain first words."""

from collections.abc import Sequence

from gantlet.shell.analysis import SimpleCommand
from gantlet.shell.door import analyse

_ANYTHING_ELSE = (":*", "*")


def all_begin_with(line: str, beginnings: Sequence[str]) -> bool:
    """Return whether it is proved that every command of a line begins with words of an entry.

    An entry is the beginning of a command, in whole words: `docker`, `git push`, `npm run *`. A
    line that cannot be read is none.
    """
    prefixes = [words for words in map(_words, beginnings) if words]
    if not prefixes:
        return False
    analysis = analyse(line)
    if not analysis.is_proved or analysis.unknowns or not analysis.commands:
        return False
    return all(_fits(command, prefixes) for command in analysis.commands)


def _words(entry: str) -> tuple[str, ...]:
    """Return the words that an entry wants a command to begin with."""
    text = entry.strip()
    for ending in _ANYTHING_ELSE:
        text = text.removesuffix(ending)
    return tuple(text.split())


def _fits(command: SimpleCommand, prefixes: Sequence[tuple[str, ...]]) -> bool:
    """Return whether a command begins with the words of an entry, and with nothing before them."""
    if command.assignments or not all(word.is_literal for word in command.argv):
        return False
    words = tuple(word.text for word in command.argv)
    return any(words[: len(prefix)] == prefix for prefix in prefixes)
