"""The command line: which words mean what. Each command brings in what it needs when it runs."""

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import NoReturn, Protocol, cast

from gantlet import __version__

_COMMANDS = {
    "config": ("gantlet.surfaces.config_command", "show the settings in force, or their schema"),
    "doctor": ("gantlet.surfaces.doctor_command", "say what was loaded, and what was ignored"),
    "export": ("gantlet.surfaces.export_command", "write a session as a page to look at"),
    "permissions": ("gantlet.surfaces.permissions_command", "say what may run, and by which rule"),
    "sandbox": ("gantlet.surfaces.sandbox_command", "try the sandbox, or run a command in it"),
    "serve-script": (
        "gantlet.surfaces.serve_script_command",
        "be a Messages API that says what a script says",
    ),
    "trust": ("gantlet.surfaces.trust_command", "say which folders you trust, and with what"),
    "sessions": ("gantlet.surfaces.sessions_command", "list, show, rename and delete sessions"),
    "tasks": ("gantlet.surfaces.tasks_command", "list what runs in the background, or stop it"),
    "tools": ("gantlet.surfaces.tools_command", "list the tools, or show one as the model sees it"),
    "undo": ("gantlet.surfaces.undo_command", "take back what calls changed in files"),
}


_FIRST_SCREEN = """\
Gantlet is the tool system of a coding agent: a model works in your folder
through tools that read, search, edit and run things, and each call is checked
before it runs.

start here:
  gantlet -p "What does this do?"         answer one prompt, without a screen
  git diff | gantlet -p "Review this"     what is piped in belongs to the prompt
  gantlet -p --continue "Now change it"   go on with the newest session here
  gantlet -p --help                       see every flag"""
_LAST_LINES = """\
gantlet COMMAND --help says more about a command. The key for the Messages API
is taken from ANTHROPIC_API_KEY, another server from ANTHROPIC_BASE_URL; with
gantlet -p --script FILE a script plays the model, and no key is needed."""


class Command(Protocol):
    """A module with one command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it and return the exit code."""


def run(argv: Sequence[str]) -> int:
    """Run one command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a narrow terminal loses a letter only
    return _to_the_end(lambda: _run(argv))


def _run(argv: Sequence[str]) -> int:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(
        prog="gantlet",
        usage="gantlet -p PROMPT [FLAGS]\n       gantlet COMMAND ...",
        description=_FIRST_SCREEN,
        epilog=_LAST_LINES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-v", "--version", action="version", version=f"{__version__} (Gantlet)")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", prog="gantlet"
    )
    chosen = argv[0] if argv else ""
    if chosen not in _COMMANDS and argv[:1] not in ([], ["-h"], ["--help"]):
        return _run_main(argv)
    for name, (module, about) in _COMMANDS.items():
        command_parser = commands.add_parser(name, help=about, description=about)
        if name == chosen:
            _load(module).add_arguments(command_parser)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as ended:  # argparse has printed what it wanted to
        return ended.code if isinstance(ended.code, int) else 0
    if not arguments.command:
        parser.print_help()
        return 0
    return _guarded(_load(_COMMANDS[arguments.command][0]), arguments)


def _run_main(argv: Sequence[str]) -> int:
    """Run the program itself: a prompt, or a program that drives us."""
    from gantlet.surfaces.headless.flag_names import add_flags, joined  # noqa: PLC0415 - other commands need not pay for it
    from gantlet.surfaces.headless.flag_reading import flags_of  # noqa: PLC0415 - nor for this
    from gantlet.tool.errors import UserError  # noqa: PLC0415 - --help must not pay for it

    parser = _BriefParser(
        prog="gantlet",
        usage="gantlet -p [PROMPT] [FLAGS]",
        description="Runs one prompt, or what a program sends, and prints what came of it.",
        epilog="All of it is told in docs/guides/headless.md. gantlet --help lists the commands.",
        formatter_class=partial(argparse.HelpFormatter, max_help_position=36),
        allow_abbrev=False,
    )
    parser.add_argument("-v", "--version", action="version", version=f"{__version__} (Gantlet)")
    add_flags(parser)
    try:
        flags = flags_of(parser.parse_args(joined(argv)))
        if not flags.is_headless:
            parser.error("there is no screen yet; use gantlet -p 'PROMPT'")
        from gantlet.surfaces.headless.program import run_headless  # noqa: PLC0415 - bad flags are told before it is paid for

        return run_headless(flags)
    except SystemExit as ended:  # argparse has printed what it wanted to
        return ended.code if isinstance(ended.code, int) else 0
    except UserError as error:
        print(f"gantlet: {error}", file=sys.stderr)
        return 1


class _BriefParser(argparse.ArgumentParser):
    """Says in one line what is wrong with a command line."""

    def error(self, message: str) -> NoReturn:
        """Say it, and where to read more."""
        self.exit(2, f"gantlet: {message}. See: gantlet -p --help\n")


def _to_the_end(command: Callable[[], int]) -> int:
    """Run something and write out all that it printed; a closed pipe is no failure."""
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in {errno.EPIPE, errno.ENOSPC}:
            raise
        # The stream is pointed elsewhere, or Python complains about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return 0
        print(f"gantlet: the output could not be written: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _guarded(command: Command, arguments: argparse.Namespace) -> int:
    """Run a command; what a person should read is one line."""
    from gantlet.tool.errors import UserError  # noqa: PLC0415 - --help must not pay for it

    try:
        return command.run(arguments)
    except UserError as error:
        print(f"gantlet: {error}", file=sys.stderr)
        return 1


def _load(module: str) -> Command:
    """Import a command's module."""
    return cast(Command, import_module(module))
