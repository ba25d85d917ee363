"""Which programs a command would run, looked up as a session does it. Nothing is run."""

import posixpath
from collections.abc import Mapping
from pathlib import Path

from gantlet.assembly.configuration import Configuration
from gantlet.assembly.shell import open_session_shell
from gantlet.config import Settings, SettingsRequest, SettingsWatch
from gantlet.messages.value import value
from gantlet.permissions import ContextHolder, PermissionContext
from gantlet.system import run_in_thread
from gantlet.system.programs import absolute_folders, find_program
from gantlet.tool import Ask, Surroundings, Vote
from gantlet.tools.shell.binding import Binding, is_of_the_shell
from gantlet.tools.shell.lines import CommandLine, read_line
from gantlet.tools.shell.vetting import NO_SANDBOX, look_up, vote_on


@value
class ProgramLook:
    """The programs of a command.

    Attributes:
        files: The file each name is, in the order of the command; nothing for one that is nowhere.
        doubts: Why some of them need not be what they are known to be.
        vote: What the shell's tool thinks of the command.
    """

    files: Mapping[str, str]
    doubts: Mapping[str, str]
    vote: Vote | None


async def look_at_programs(
    given: Mapping[str, object],
    request: SettingsRequest,
    settings: Settings,
    context: PermissionContext,
) -> ProgramLook:
    """Look up the programs of a call of the shell, as a session in the same folder would.

    Args:
        given: The call's input.
        request: Which settings hold.
        settings: What they say.
        context: What the call is judged against.

    Raises:
        UserError: The settings of the shell make no sense.
    """
    configuration = Configuration(request, settings, SettingsWatch(()))
    cwd = context.workspace.cwd.path
    shell = open_session_shell(str(request.cwd), configuration, ContextHolder(context))
    further = tuple(one.path for one in context.working_directories if one.path != cwd)
    session, surroundings = shell.session, Surroundings(cwd, further, context.mode)
    line = read_line(str(given.get("command") or ""))
    variables = await session.plain_variables(cwd)
    binding = await run_in_thread(lambda: look_up(line, surroundings, session, variables))
    files = await run_in_thread(lambda: _files(line, cwd, binding, variables["PATH"]))
    vote: Vote | None = vote_on(binding, context.mode)
    if given.get("dangerouslyDisableSandbox") and session.has_sandbox:
        vote = Ask(NO_SANDBOX, "tool")
    return ProgramLook(files, binding.doubts, vote)


def _files(line: CommandLine, cwd: str, binding: Binding, path: str) -> dict[str, str]:
    """Return the file of each program: as it is bound, or as the search path finds it."""
    files: dict[str, str] = {}
    for one in line.analysis.commands:
        name = one.argv[0].text if one.argv and one.argv[0].is_literal else ""
        if name and name not in files and not is_of_the_shell(name):
            here = None if one.cwd is None else posixpath.join(cwd, one.cwd)
            files[name] = binding.files.get(name) or _found(name, here, path)
    return {name: file if not file or Path(file).exists() else "" for name, file in files.items()}


def _found(name: str, here: str | None, path: str) -> str:
    """Return the file a name leads to from a directory, or nothing."""
    if "/" not in name:
        return find_program(name, absolute_folders(path))
    if here is None and not name.startswith("/"):
        return ""
    return posixpath.normpath(posixpath.join(here or "", name))
