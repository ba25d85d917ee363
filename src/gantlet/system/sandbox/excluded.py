"""Commands that are to run outside the sandbox, by their first words."""

from collections.abc import Sequence

from gantlet.shell import SimpleCommand, analyse

_ANYTHING_ELSE = (":*", "*")


def is_excluded(line: str, excluded: Sequence[str]) -> bool:
    """Return whether a command line runs outside: only if it is proved that all of it may.

    An entry is the beginning of a command, in whole words: `docker`, `git push`, `npm run *`. A
    line with one command that is not excluded stays inside, and so does one that cannot be read.
    """
    prefixes = [words for words in map(_words, excluded) if words]
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
