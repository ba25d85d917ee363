"""What the shell itself has against a command: places where its words say less than it does."""

import posixpath
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gantlet.system import run_in_thread
from gantlet.tool import Ask, Mode, Surroundings, ToolContext, Vote
from gantlet.tools.shell.binding import Binding, bind
from gantlet.tools.shell.git_settings import why_git_runs_more
from gantlet.tools.shell.lines import CommandLine
from gantlet.tools.shell.session import ShellSession

#: What is asked about a command that is to run as if there were no sandbox.
NO_SANDBOX = "The command wants to run without the sandbox."
#: How many calls may wait for their answer before the first of them is looked at again.
_MAX_KEPT = 256
#: By these, git works in another repository than the one it is found in.
_ELSEWHERE = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXEC_PATH")


async def objection(line: CommandLine, context: ToolContext, session: ShellSession) -> Vote | None:
    """Doubt programs of a command that are known by their names, and may be others here.

    A rule that covers what they run answers this. What was found is kept for when the call runs.
    """
    binding = await _found(line, context, session)
    while len(session.bound) >= _MAX_KEPT:
        session.bound.pop(next(iter(session.bound)))
    session.bound[context.call.id] = (line.text, context.surroundings.cwd, binding)
    return vote_on(binding, context.surroundings.mode)


def vote_on(binding: Binding, mode: Mode | None) -> Vote | None:
    """Return what is to be asked about the programs of a command, if there is anything."""
    if not binding.doubts or mode is Mode.BYPASS:
        return None
    reasons = " ".join(dict.fromkeys(binding.doubts.values()))
    return Ask(reasons, "tool", programs=tuple(binding.doubts))


async def binding_of(line: CommandLine, context: ToolContext, session: ShellSession) -> Binding:
    """Return which programs a command runs, as it was when the call was judged."""
    text, cwd, binding = session.bound.pop(context.call.id, ("", "", None))
    if binding is not None and (text, cwd) == (line.text, context.surroundings.cwd):
        return binding
    return await _found(line, context, session)


async def _found(line: CommandLine, context: ToolContext, session: ShellSession) -> Binding:
    """Look at the programs of a command, and at the repositories git would work in."""
    variables = await session.plain_variables(context.surroundings.cwd)
    return await run_in_thread(partial(look_up, line, context.surroundings, session, variables))


def look_up(
    line: CommandLine,
    surroundings: Surroundings,
    session: ShellSession,
    variables: Mapping[str, str],
) -> Binding:
    """Look at what a command would run here. Blocks."""
    cwd, path = surroundings.cwd, variables["PATH"]
    extra = surroundings.extra_directories
    binding = bind(line, cwd, path, session.fixed_path(path, (cwd, *extra)))
    why = _why_not_git(line, cwd, variables) if binding.rests_on("git") else ""
    return binding.doubted("git", why) if why else binding


def _why_not_git(line: CommandLine, cwd: str, variables: Mapping[str, str]) -> str:
    """Return why git may run other programs here, or nothing."""
    for name in _ELSEWHERE:
        if variables.get(name):
            return f"{name} is set, so that git may work elsewhere than it seems."
    for folder in sorted(line.git_folders):
        why = why_git_runs_more(Path(posixpath.normpath(posixpath.join(cwd, folder))))
        if why:
            return why
    return ""
