"""The text of a command that rules are matched on."""

import re
from operator import attrgetter

from gantlet.shell.analysis import Assignment, SimpleCommand, Word

_BARE = re.compile(r"[\w@%+=:,./^{}~!#-]+")
#: Words that need no quotes, each behind one space.
_BARE_LINE = re.compile(r"(?!#)[\w@%+=:,./^{}~!#-]++(?: (?!#)[\w@%+=:,./^{}~!#-]++)*+")
_TEXT, _IS_LITERAL = attrgetter("text"), attrgetter("is_literal")


def text_of(command: SimpleCommand) -> str:
    """Return a command as text: decoded words, quoted where they must be, single spaces.

    Variables in front of it are part of the text, redirections are not.
    """
    line = " ".join(map(_TEXT, command.argv))
    if not command.assignments and _BARE_LINE.fullmatch(line):
        is_literal = all(map(_IS_LITERAL, command.argv))
        if is_literal and line.count(" ") == len(command.argv) - 1:
            return line
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
