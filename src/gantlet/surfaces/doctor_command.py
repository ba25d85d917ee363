"""`gantlet doctor`: what was loaded, from where, and what was ignored and why."""

import argparse
import json
import sys
from collections.abc import Iterator
from difflib import get_close_matches

from gantlet import __version__
from gantlet.config import KEYS, BrokenStoreError, FileRead, Settings, SettingsRequest
from gantlet.surfaces.plain_text import plain, plain_json
from gantlet.surfaces.settings_arguments import add_settings_arguments, settings_request
from gantlet.surfaces.trust_command import trust_page

_PROGRAMS = ("bash", "git", "bwrap")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_settings_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the state of everything that decides; the exit code is 1 if something is wrong."""
    request = settings_request(arguments)
    settings = request.read()
    if arguments.json:
        print(json.dumps(_as_json(request, settings), indent=2, ensure_ascii=False))
    else:
        for line in _page(request, settings):
            print(line)
    return 1 if settings.problems or settings.trust.problem else 0


def _page(request: SettingsRequest, settings: Settings) -> Iterator[str]:
    """Yield what there is to say, part by part."""
    yield f"gantlet {__version__}, Python {sys.version.split()[0]}, {request.environment.platform}"
    found = [name for name in _PROGRAMS if request.environment.has_program(name)]
    missing = [name for name in _PROGRAMS if name not in found]
    yield f"programs: {', '.join(found)}" + (f"; missing: {', '.join(missing)}" if missing else "")
    yield plain(f"own files: {request.own_folder}")
    yield "\nSettings files, the weakest first"
    for read in settings.files:
        yield from _file_lines(read)
    yield "\nTrust"
    yield from trust_page(settings.trust)
    yield from _listed("Wrong", [str(problem) for problem in settings.problems])
    yield from _listed("Ignored", [str(one) for one in settings.ignored])
    yield from _listed("Not known", list(_unknown(settings)))
    yield "\nall is well" if _is_well(settings) else "\nsome things do not count as written"


def _file_lines(read: FileRead) -> Iterator[str]:
    """Yield what became of one file."""
    if not read.is_there:
        yield plain(f"  {read.kind:<12}  {read.file}  (not there)")
        return
    rules, keys = len(read.rules.rules), len({one.key for one in read.settings})
    notes = f"{rules} rule{'' if rules == 1 else 's'}, {keys} key{'' if keys == 1 else 's'}"
    if read.rules.may_hide_denies:
        notes += "; broken, so everything is asked about"
    if read.why_disowned:
        notes += f"; {read.why_disowned}"
    yield plain(f"  {read.kind:<12}  {read.file}  ({notes})")


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    """Yield a part with a title, if there is anything in it."""
    if lines:
        yield f"\n{title}"
        yield from (plain(f"  {line}") for line in lines)


def _unknown(settings: Settings) -> Iterator[str]:
    """Yield the keys that nobody knows, with what may have been meant."""
    for read in settings.files:
        for one in read.unknown:
            near = get_close_matches(one.key, KEYS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            shown = plain_json(one.content)[:60]
            yield f"{one.source.file}:{one.source.line}: {one.key!r} = {shown}{hint}"


def _is_well(settings: Settings) -> bool:
    """Return whether everything counts as written."""
    unknown = any(read.unknown for read in settings.files)
    return not (settings.problems or settings.ignored or settings.trust.problem or unknown)


def _as_json(request: SettingsRequest, settings: Settings) -> dict[str, object]:
    """Return the same for a program."""
    try:
        trusted = sorted(request.store.entries())
    except BrokenStoreError:
        trusted = []
    return {
        "version": __version__,
        "home": str(request.own_folder),
        "files": [
            {
                "source": str(read.kind),
                "file": read.file,
                "exists": read.is_there,
                "broken": read.rules.may_hide_denies,
                "rules": len(read.rules.rules),
                "keys": sorted({one.key for one in read.settings}),
            }
            for read in settings.files
        ],
        "trust": {
            "folder": settings.trust.root,
            "trusted": settings.trust.is_whole,
            "by": settings.trust.by,
            "exposures": {
                str(part.found.exposure): str(part.standing) for part in settings.trust.parts
            },
            "folders": trusted,
        },
        "problems": [str(problem) for problem in settings.problems],
        "ignored": [str(one) for one in settings.ignored],
        "unknown": list(_unknown(settings)),
    }
