"""Taking a command line apart."""

from gantlet.shell.analysis import Analysis
from gantlet.shell.grammar.characters import suspect_characters
from gantlet.shell.meaning.loose import loose_commands
from gantlet.shell.meaning.reading import MAX_COMMANDS, Reading
from gantlet.shell.meaning.state import State
from gantlet.shell.meaning.walk import Where
from gantlet.shell.second_opinion import missed_names

MAX_LENGTH = 64 * 1024

_START, _TOP = State(), Where()
_TOO_LONG = f"The command is longer than {MAX_LENGTH} characters."
_TOO_MANY = f"The command has more than {MAX_COMMANDS} parts."
_TOO_DEEP = "The command is nested too deeply."


def analyse(command: str) -> Analysis:
    """Take a command line apart as bash would.

    Never raises, and takes time in proportion to the length. What is not sure is a doubt; then
    too, all that may run is among the commands.
    """
    if len(command) > MAX_LENGTH:
        return Analysis(command, (), tuple(loose_commands(command, ())), (_TOO_LONG,))
    reading = Reading(budget=4 * len(command) + 4096)
    suspects = suspect_characters(command)
    is_whole = True
    try:
        reading.read(command, _START, _TOP)
    except RecursionError:
        is_whole = False
        reading.doubts[_TOO_DEEP] = None
    for doubt in suspects:
        reading.doubts[doubt] = None
    commands = tuple(reading.commands)
    if len(commands) > MAX_COMMANDS:
        reading.doubts[_TOO_MANY] = None
    if suspects or not is_whole or reading.guesses_left <= 0:
        commands = (*commands, *loose_commands(command, ()))
    if not reading.doubts:
        for name in missed_names(command, commands):
            reading.doubts[f"A second reading finds the command {name!r}."] = None
    parts, unknowns = tuple(reading.parts), tuple(reading.unknowns)
    return Analysis(command, parts, commands, tuple(reading.doubts), unknowns)
