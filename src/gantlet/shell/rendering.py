"""The text of a command that rules are matched on."""

import re

from gantlet.shell.analysis import Assignment, SimpleCommand, Word

_BARE = re.compile(r"[\w@%+=:,./^{}~!#-]+")


def text_of(command: SimpleCommand) -> str:
    """Return a command as text: decoded words, quoted where they must be, single spaces.

    Variables in front of it are part of the text, redirections are not.
    """
    words = [_assignment(assignment) for assignment in command.assignments]
    words.extend([_word(word) for word in command.argv])
    return " ".join(words)


def _assignment(assignment: Assignment) -> str:
    return f"{assignment.name}={_word(assignment.value) if assignment.value.text else ''}"


def _word(word: Word) -> str:
    if not word.is_literal:
        return word.raw or word.text
    text = word.text
    if _BARE.fullmatch(text) and not text.startswith("#"):
        return text
    return "'" + text.replace("'", "'\\''") + "'"
