"""The way into the room: what it can do, loaded when it is first asked for.

Tables and grammar take some time to load, and a program that starts may never run a command. So
this is the one place in the room where imports stand inside functions. They name a module's own
function, which is quicker than to name the module each time.
"""

# ruff: noqa: PLC0415 - see above

from collections.abc import Sequence

from gantlet.shell.analysis import Analysis, ExitMeaning, Judgement, SimpleCommand


def analyse(command: str) -> Analysis:
    """Take a command line apart as bash would.

    Never raises, and takes time in proportion to the length. What is not sure is a doubt; then
    too, all that may run is among the commands.
    """
    from gantlet.shell.analyser import analyse as loaded

    return loaded(command)


def judge(command: SimpleCommand, start: str = "") -> Judgement:
    """Judge one command by the table of programs.

    Redirections count: what only reads but is redirected into a file writes that file. `start` is
    the absolute path of the directory the command line starts in; git is known to read only
    there, since another directory may hold a repository of its own.
    """
    from gantlet.shell.judging import judge as loaded

    return loaded(command, start)


def critical_removal(
    analysis: Analysis, cwd: str, home: str, directories: Sequence[str]
) -> str | None:
    """Return why a command line may remove something vital, or None.

    `cwd` and `home` are absolute; `directories` are the further ones the session works in.
    """
    from gantlet.shell.removal import critical_removal as loaded

    return loaded(analysis, cwd, home, directories)


def suggest_rules(analysis: Analysis) -> tuple[str, ...]:
    """Return one pattern for each part that needs approval, or nothing if one has none.

    Rules are only suggested if all of them together would cover the command next time.
    """
    from gantlet.shell.suggestions import suggest_rules as loaded

    return loaded(analysis)


def strip_for_rules(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that denies or asks is matched on.

    They are the command as written, without its variables, with the bare name of its program,
    without options before a subcommand, in other spellings, and all that again behind each wrapper.
    """
    from gantlet.shell.stripping import strip_for_rules as loaded

    return loaded(command)


def strip_for_allow(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that allows is matched on: as written, and behind plain wrappers.

    Seen through are timeout, time, nice, nohup, stdbuf, command, builtin, noglob and bare xargs;
    variables known to be safe are left out. The first form is the command without those.
    """
    from gantlet.shell.stripping import strip_for_allow as loaded

    return loaded(command)


def possible_commands(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return what an unknown program may run; nothing for one that is known.

    Its words from each of them on, and the words inside each. This is for rules that forbid, and
    for a question only: nobody knows that the program runs anything.
    """
    from gantlet.shell.possible import possible_commands as loaded

    return loaded(command)


def text_of(command: SimpleCommand) -> str:
    """Return a command as text: decoded words, quoted where they must be, single spaces.

    Variables in front of it are part of the text, redirections are not.
    """
    from gantlet.shell.rendering import text_of as loaded

    return loaded(command)


def exit_meaning(argv: Sequence[str], code: int) -> ExitMeaning:
    """Return what an exit code says about a command."""
    from gantlet.shell.exits import exit_meaning as loaded

    return loaded(argv, code)


def failing_command(analysis: Analysis) -> SimpleCommand | None:
    """Return the command whose exit code is that of a failing command line, if that is sure.

    It is the last of a list and of a pipeline. Before `&&` a `cd` is supposed to have worked.
    """
    from gantlet.shell.exits import failing_command as loaded

    return loaded(analysis)
