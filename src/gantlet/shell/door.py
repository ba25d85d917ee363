"""The way into the room: what it can do, loaded when it is first asked for.

Tables and grammar take some time to load, and a program that starts may never run a command. So
this is the one place in the room where imports stand inside functions. Each is done once: to name a
module again would take longer than some of these functions do.
"""

# ruff: noqa: PLC0415 - see above

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from gantlet.shell.analysis import Analysis, ExitMeaning, Judgement, SimpleCommand
from gantlet.shell.sweep import Sweep

#: Programs that change files by where they lie.
_SWEEPING = frozenset({"fd", "fdfind", "find", "gfind", "git", "gxargs", "xargs"})


def analyse(command: str) -> Analysis:
    """Take a command line apart as bash would.

    Never raises, and takes time in proportion to the length. What is not sure is a doubt; then
    too, all that may run is among the commands.
    """
    return _analyse()(command)


def judge(command: SimpleCommand, start: str = "") -> Judgement:
    """Judge one command by the table of programs.

    Redirections count: what only reads but is redirected into a file writes that file. `start` is
    the absolute path of the directory the command line starts in; git is known to read only
    there, since another directory may hold a repository of its own.
    """
    return _judge()(command, start)


def critical_removal(
    analysis: Analysis, cwd: str, home: str, directories: Iterable[str]
) -> str | None:
    """Return why a command line may remove something vital, or None.

    `cwd` and `home` are absolute; `directories` are the further ones the session works in.
    """
    return _critical_removal()(analysis, cwd, home, directories)


def sweeps_of(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return which files a command changes by where they lie, without naming each of them."""
    return _sweeps_of()(command) if command.program in _SWEEPING else ()


def suggest_rules(analysis: Analysis) -> tuple[str, ...]:
    """Return one pattern for each part that needs approval, or nothing if one has none.

    Rules are only suggested if all of them together would cover the command next time.
    """
    return _suggest_rules()(analysis)


def strip_for_rules(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that denies or asks is matched on.

    They are the command as written, without its variables, with the bare name of its program,
    without options before a subcommand, in other spellings, and all that again behind each wrapper.
    """
    return _strip_for_rules()(command)


def strip_for_allow(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return the forms a rule that allows is matched on: as written, and behind plain wrappers.

    Seen through are timeout, time, nice, nohup, stdbuf, command, builtin, noglob and bare xargs;
    variables known to be safe are left out. The first form is the command without those.
    """
    return _strip_for_allow()(command)


def possible_commands(command: SimpleCommand) -> tuple[SimpleCommand, ...]:
    """Return what an unknown program may run; nothing for one that is known.

    Its words from each of them on, and the words inside each. This is for rules that forbid, and
    for a question only: nobody knows that the program runs anything.
    """
    return _possible_commands()(command)


def text_of(command: SimpleCommand) -> str:
    """Return a command as text: decoded words, quoted where they must be, single spaces.

    Variables in front of it are part of the text, redirections are not.
    """
    return _text_of()(command)


def exit_meaning(argv: Sequence[str], code: int) -> ExitMeaning:
    """Return what an exit code says about a command."""
    return _exit_meaning()(argv, code)


def failing_command(analysis: Analysis) -> SimpleCommand | None:
    """Return the command whose exit code is that of a failing command line, if that is sure.

    It is the last of a list and of a pipeline. Before `&&` a `cd` is supposed to have worked.
    """
    return _failing_command()(analysis)


@cache
def _analyse() -> Callable[[str], Analysis]:
    from gantlet.shell.analyser import analyse

    return analyse


@cache
def _judge() -> Callable[[SimpleCommand, str], Judgement]:
    from gantlet.shell.judging import judge

    return judge


@cache
def _critical_removal() -> Callable[[Analysis, str, str, Iterable[str]], str | None]:
    from gantlet.shell.removal import critical_removal

    return critical_removal


@cache
def _sweeps_of() -> Callable[[SimpleCommand], tuple[Sweep, ...]]:
    from gantlet.shell.sweeps import sweeps_of

    return sweeps_of


@cache
def _suggest_rules() -> Callable[[Analysis], tuple[str, ...]]:
    from gantlet.shell.suggestions import suggest_rules

    return suggest_rules


@cache
def _strip_for_rules() -> Callable[[SimpleCommand], tuple[SimpleCommand, ...]]:
    from gantlet.shell.stripping import strip_for_rules

    return strip_for_rules


@cache
def _strip_for_allow() -> Callable[[SimpleCommand], tuple[SimpleCommand, ...]]:
    from gantlet.shell.stripping import strip_for_allow

    return strip_for_allow


@cache
def _possible_commands() -> Callable[[SimpleCommand], tuple[SimpleCommand, ...]]:
    from gantlet.shell.possible import possible_commands

    return possible_commands


@cache
def _text_of() -> Callable[[SimpleCommand], str]:
    from gantlet.shell.rendering import text_of

    return text_of


@cache
def _exit_meaning() -> Callable[[Sequence[str], int], ExitMeaning]:
    from gantlet.shell.exits import exit_meaning

    return exit_meaning


@cache
def _failing_command() -> Callable[[Analysis], SimpleCommand | None]:
    from gantlet.shell.exits import failing_command

    return failing_command
