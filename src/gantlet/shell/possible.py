"""What a program that nobody knows may run: any of its words may begin a command."""

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.carry import is_carrying
from gantlet.shell.programs.names import TAKES_NAMES

_MAX_STARTS = 32
_MAX_WORDS = 64


def possible_commands(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return what an unknown program may run; nothing for one that is known.

    Its words from each of them on, and the words inside each. This is for rules that forbid, and
    for a question only: nobody knows that the program runs anything.
    """
    name = command.program
    if name is None or name in TAKES_NAMES or is_carrying(name) or command.is_carried:
        return ()
    found = []
    for start, word in enumerate(command.argv[1 : _MAX_STARTS + 1], start=1):
        if word.text.startswith("-"):
            continue
        found.append(replace(command, argv=command.argv[start : start + _MAX_WORDS], raw=""))
        inner = word.text.split(maxsplit=_MAX_WORDS)
        if len(inner) > 1:
            words = tuple(Word(text, is_literal=True, raw=text) for text in inner)
            found.append(replace(command, argv=words, raw=""))
    return tuple(found)
