"""`gantlet trust`: which folders you said yes to, and to what."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from gantlet.config import BrokenStoreError, ExposureTrust, FolderTrust, SettingsRequest, Standing
from gantlet.surfaces.plain_text import plain
from gantlet.surfaces.settings_arguments import folder_of
from gantlet.system import Environment
from gantlet.tool import UserError

_YES = frozenset({"y", "yes"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    commands = parser.add_subparsers(title="commands", dest="trust_command", required=True)
    listing = commands.add_parser("list", help="list the folders you trust")
    listing.add_argument("--json", action="store_true", help="as JSON")
    for name, about in (
        ("show", "show what of a folder needs trust, and what changed"),
        ("add", "trust a folder as it is now"),
        ("remove", "trust a folder no longer"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("folder", nargs="?", help="default: where you are")
        if name == "add":
            command.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Do what the second word says."""
    commands = {"list": _list, "show": _show, "add": _add, "remove": _remove}
    return commands[arguments.trust_command](arguments)


def _list(arguments: argparse.Namespace) -> int:
    """List the folders that are trusted."""
    try:
        entries = SettingsRequest(Path.cwd(), Environment.current()).store.entries()
    except BrokenStoreError as error:
        raise UserError(f"{error}.") from error
    if arguments.json:
        listed = [
            {"folder": entry.folder, "since": entry.since, "exposures": sorted(entry.digests)}
            for entry in entries.values()
        ]
        print(json.dumps(listed, indent=2))
        return 0
    for entry in entries.values():
        parts = ", ".join(str(exposure) for exposure in entry.digests) or "nothing in it"
        gone = "" if Path(entry.folder).is_dir() else "  (there is no such folder)"
        print(plain(f"{entry.folder}  since {entry.since}  {parts}{gone}"))
    if not entries:
        print("no folder is trusted")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    """Show what needs trust."""
    trust = _request(arguments).read().trust
    for line in trust_page(trust):
        print(line)
    return 0 if trust.is_whole else 1


def _add(arguments: argparse.Namespace) -> int:
    """Trust a folder as it is shown."""
    request = _request(arguments)
    settings = request.read()
    for line in trust_page(settings.trust):
        print(line)
    if request.question(settings.places).store is None:
        raise UserError(f"{request.own_folder} lies in this folder, so it cannot keep its trust.")
    if not arguments.yes and not _is_confirmed():
        print("not trusted")
        return 1
    request.store.put(settings.trust.root, [part.found for part in settings.trust.parts])
    print(plain(f"trusted: {settings.trust.root}"))
    return 0


def _is_confirmed() -> bool:
    """Ask the person."""
    if not sys.stdin.isatty():
        raise UserError("Nobody can be asked here: look at what is shown, then pass --yes.")
    try:
        return input("Trust this folder as it is shown? [y/N] ").strip().lower() in _YES
    except EOFError:
        return False


def _remove(arguments: argparse.Namespace) -> int:
    """Trust a folder no longer, also one that is gone."""
    named = arguments.folder or str(Path.cwd())
    request = SettingsRequest(Path.cwd(), Environment.current())
    if Path(named).is_dir():
        request = _request(arguments)
        folder = os.path.realpath(request.places().root)
    else:
        folder = os.path.realpath(named)
    if not request.store.remove(folder):
        raise UserError(f"{folder} was not trusted.")
    print(plain(f"not trusted any more: {folder}"))
    return 0


def _request(arguments: argparse.Namespace) -> SettingsRequest:
    """Return how the settings of a folder are read."""
    here = folder_of(arguments.folder) if arguments.folder else Path.cwd()
    return SettingsRequest(here, Environment.current())


def trust_page(trust: FolderTrust) -> Iterator[str]:
    """Yield what of a folder needs trust and how it stands, with what changed."""
    yield plain(f"{trust.root}: {trust.by or 'not trusted'}")
    if trust.problem:
        yield plain(f"  {trust.problem}")
    for part in trust.parts:
        yield f"  {part.found.exposure}: {part.standing}"
        yield from (plain(f"  {line}") for line in _items(part))
    if not trust.parts:
        yield "  nothing in it needs trust"


def _items(part: ExposureTrust) -> Iterator[str]:
    """Yield what a part holds; of one that changed, what came and what went."""
    if part.standing is not Standing.CHANGED:
        yield from (f"    {item}" for item in part.found.items)
        return
    yield from (f"  - {item}" for item in part.removed)
    yield from (f"  + {item}" for item in part.added)
    same = len(part.found.items) - len(part.added)
    if same:
        yield f"    and {same} as before"
