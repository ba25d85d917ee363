"""`gantlet undo`: take back what calls changed in files."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gantlet.session import ChangeEntry, ChangeLog, change_logs, undo, undone_numbers
from gantlet.system import Environment, home_folder, shown_name
from gantlet.tool import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "target",
        nargs="?",
        default="",
        metavar="CALL|TURN",
        help="the id of a call or the beginning of one, or the number of a turn;"
        " without it, the last turn that changed files",
    )
    parser.add_argument("--list", action="store_true", help="show what can be undone")
    parser.add_argument("--session", default="", metavar="ID", help="of this session")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument(
        "--force", action="store_true", help="also over what others have changed since"
    )


def run(arguments: argparse.Namespace) -> int:
    """Undo, or list."""
    home = home_folder(Environment.current())
    log = _named(home, arguments.session) if arguments.session else _latest(home)
    if arguments.list:
        _list(log)
        return 0
    result = undo(log, arguments.target, is_forced=arguments.force, is_trial=arguments.dry_run)
    would = "would be " if arguments.dry_run or result.blocked else ""
    for file in result.restored:
        print(f"{would}{file.action}: {_shown(file.path)}")
    for blocked in result.blocked:
        print(f"left alone: {_shown(blocked.path)}: {blocked.reason}", file=sys.stderr)
    if result.blocked:
        print("gantlet: nothing was undone; --force undoes it all the same.", file=sys.stderr)
        return 1
    if not result.restored:
        print("Everything is as it was already.")
    elif result.call_id:
        print(f"This can be taken back: gantlet undo {result.call_id} --session {log.session_id}")
    return 0


def _named(home: Path, session_id: str) -> ChangeLog:
    """Return the log of a session.

    Raises:
        UserError: It has none.
    """
    log = next((one for one in change_logs(home) if one.session_id == session_id), None)
    if log is None or not log.entries():
        raise UserError(f"session {session_id!r} has changed no files that are known of.")
    return log


def _latest(home: Path) -> ChangeLog:
    """Return the log of the session that last changed something here.

    Raises:
        UserError: There is none.
    """
    here = str(Path.cwd().resolve())
    for log in change_logs(home):
        if any(_is_below(entry.path, here) for entry in log.entries()):
            return log
    raise UserError("no session has changed files in this folder. Name one with --session.")


def _is_below(path: str, folder: str) -> bool:
    """Return whether a path lies in a folder."""
    return path.startswith(folder.rstrip("/") + "/")


def _list(log: ChangeLog) -> None:
    """Print the changes of a session, turn by turn."""
    entries = log.entries()
    print(f"session {log.session_id}")
    turn = None
    for entry, line in zip(entries, _lines(entries), strict=True):
        if entry.turn != turn:
            turn = entry.turn
            print(f"turn {turn}")
        print(line)


def _lines(entries: Sequence[ChangeEntry]) -> Iterator[str]:
    """Yield a line for each change."""
    undone = undone_numbers(entries)
    width = max(len(entry.call_id) for entry in entries)
    for entry in entries:
        state = "  (undone)" if entry.number in undone else ""
        call = f"{_plain(entry.call_id):<{width}}  {_plain(entry.tool_name):<12}"
        yield f"  {call}  {_verb(entry):<7}  {_shown(entry.path)}{state}"


def _verb(entry: ChangeEntry) -> str:
    """Return what a change did."""
    if entry.before is None:
        return "created"
    return "removed" if entry.after is None else "changed"


def _shown(path: str) -> str:
    """Return a path as seen from here, if it is shorter so."""
    here = str(Path.cwd().resolve())
    return _plain(shown_name(path[len(here) + 1 :] if _is_below(path, here) else path))


def _plain(text: str) -> str:
    """Return a text on one line, in which nothing can steer a terminal."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
