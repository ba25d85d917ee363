"""The arguments that say which settings are meant, the same for every command."""

import argparse
from pathlib import Path

from gantlet.config import SettingsRequest, read_sources
from gantlet.messages.value import replace
from gantlet.system import Environment, absolute
from gantlet.tool import UserError


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which settings are meant."""
    parser.add_argument("--cwd", metavar="DIR", help="default: where you are")
    parser.add_argument("--home", metavar="DIR", help="default: your home directory")
    parser.add_argument("--settings", metavar="FILE-OR-JSON", help="more settings, for this once")
    parser.add_argument(
        "--setting-sources", metavar="LIST", help="which files count: user,project,local"
    )
    parser.add_argument("--trust", action="store_true", help="trust the folder for this once")


def settings_request(arguments: argparse.Namespace) -> SettingsRequest:
    """Return which settings are meant.

    Raises:
        UserError: There is no such folder, or no such source.
    """
    here = Environment.current()
    variables = {**here.variables, "HOME": str(home_of(arguments))}
    return SettingsRequest(
        cwd_of(arguments),
        replace(here, variables=variables) if arguments.home else here,
        arguments.settings,
        read_sources(arguments.setting_sources),
        arguments.trust,
    )


def cwd_of(arguments: argparse.Namespace) -> Path:
    """Return where a session would start."""
    return folder_of(arguments.cwd) if arguments.cwd else Path.cwd()


def home_of(arguments: argparse.Namespace) -> Path:
    """Return whose home it is."""
    return Path(absolute(arguments.home, str(Path.cwd()))) if arguments.home else Path.home()


def folder_of(text: str) -> Path:
    """Return a folder that a person named.

    Raises:
        UserError: There is none.
    """
    path = Path(absolute(text, str(Path.cwd())))
    if not path.is_dir():
        raise UserError(f"There is no folder {text!r}.")
    return path
