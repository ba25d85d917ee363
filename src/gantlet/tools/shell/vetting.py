"""What the shell itself has against a command: places where its words say less than it does."""

import os
import posixpath
import shutil
from functools import partial
from pathlib import Path

from gantlet.system import run_in_thread
from gantlet.tool import Ask, Mode, ToolContext, Vote
from gantlet.tools.shell.git_settings import why_git_runs_more
from gantlet.tools.shell.lines import CommandLine
from gantlet.tools.shell.session import ShellSession

#: What bash does itself, so that no file of that name is run.
_OF_THE_SHELL = frozenset(
    {"true", "false", "echo", "printf", "cd", "pwd", "test", "[", "[[", ":", "type", "command"}
)


async def objection(line: CommandLine, context: ToolContext, session: ShellSession) -> Vote | None:
    """Doubt a command that is taken to read only, and may run something else here.

    A rule that covers the command answers this. What cannot be taken to read only anyway needs
    none of it.
    """
    if not line.may_only_read or context.surroundings.mode is Mode.BYPASS:
        return None
    if line.programs <= _OF_THE_SHELL:
        return None
    return await run_in_thread(partial(_doubt, line, context, session))


def _doubt(line: CommandLine, context: ToolContext, session: ShellSession) -> Ask | None:
    """Return what else a command may do here. Blocks."""
    path = session.environment.variables.get("PATH", os.defpath)
    for program in sorted(line.programs - _OF_THE_SHELL):
        found = shutil.which(program, path=path)
        if found is not None and session.holds(found, context):
            why = f"{program} is {found}, a file of the project, and not the program of the system."
            return Ask(why, "tool", programs=(program,))
    for folder in sorted(line.git_folders):
        why = why_git_runs_more(Path(posixpath.normpath(f"{context.surroundings.cwd}/{folder}")))
        if why:
            return Ask(why, "tool", programs=("git",))
    return None
