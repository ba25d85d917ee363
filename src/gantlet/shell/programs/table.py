"""All programs that are known to read only, by name."""

from gantlet.shell.programs.files import FILE_PROGRAMS
from gantlet.shell.programs.git import GIT
from gantlet.shell.programs.languages import LANGUAGE_PROGRAMS
from gantlet.shell.programs.odd import ODD_PROGRAMS
from gantlet.shell.programs.scripts import SCRIPT_PROGRAMS
from gantlet.shell.programs.search import SEARCH_PROGRAMS
from gantlet.shell.programs.spec import Program
from gantlet.shell.programs.system import SYSTEM_PROGRAMS
from gantlet.shell.programs.text import TEXT_PROGRAMS

PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        *FILE_PROGRAMS,
        *TEXT_PROGRAMS,
        *SEARCH_PROGRAMS,
        *SCRIPT_PROGRAMS,
        *SYSTEM_PROGRAMS,
        *ODD_PROGRAMS,
        *LANGUAGE_PROGRAMS,
        GIT,
    )
}
PROGRAMS["fdfind"] = PROGRAMS["fd"]


def entries() -> dict[str, Program]:
    """Return every entry by its name, subcommands too."""
    found: dict[str, Program] = {}
    waiting = list(PROGRAMS.values())
    while waiting:
        program = waiting.pop(0)
        found.setdefault(program.name, program)
        waiting = [*(one for key, one in program.subcommands.items() if key), *waiting]
    return found
