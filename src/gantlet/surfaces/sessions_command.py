"""`gantlet sessions`: list, show, rename and delete what was talked about."""

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path

from gantlet.messages import JsonValue, Text, ToolUse, dumps
from gantlet.session import (
    SessionError,
    SessionInfo,
    Shelf,
    all_sessions_folders,
    delete,
    is_in_use,
    read_lines,
    resumed,
    tell,
)
from gantlet.surfaces.headless import COMPATIBLE_VERSION
from gantlet.system import Environment

_TITLE_CHARS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.set_defaults(action="list", all=False, json=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="those of this folder, newest first")
    listing.add_argument("--all", action="store_true", help="those of every folder")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")
    show = actions.add_parser("show", help="what was said in one")
    show.add_argument("session")
    rename = actions.add_parser("rename", help="give one a title")
    rename.add_argument("session")
    rename.add_argument("title")
    remove = actions.add_parser("delete", help="delete one, or those not touched for some days")
    remove.add_argument("session", nargs="?")
    remove.add_argument("--older-than", type=float, metavar="DAYS")


def run(arguments: argparse.Namespace) -> int:
    """Do it."""
    shelf = Shelf(all_sessions_folders(Environment.current()))
    actions = {"list": _list, "show": _show, "rename": _rename, "delete": _delete}
    return actions[arguments.action or "list"](shelf, arguments)


def _list(shelf: Shelf, arguments: argparse.Namespace) -> int:
    """Print a line for each session."""
    infos = shelf.sessions(None if arguments.all else str(Path.cwd()))
    if arguments.json:
        for info in infos:
            print(dumps(_wire(info)).decode("utf-8", "replace"))
        return 0
    if not infos:
        print("There is no session here yet." if not arguments.all else "There is no session yet.")
        return 0
    for info in infos:
        when = datetime.fromtimestamp(info.modified, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        where = f"  {info.cwd}" if arguments.all else ""
        print(f"{info.id}  {when}  {_printable(info.name)[:_TITLE_CHARS]}{where}")
    return 0


def _show(shelf: Shelf, arguments: argparse.Namespace) -> int:
    """Print what was said."""
    lines, _ = read_lines(shelf.find(arguments.session, str(Path.cwd())))
    story = tell(lines)
    print(f"Session {story.session_id} in {story.cwd}, begun {story.began}")
    for passage in story.passages:
        print()
        print({"user": "User:", "assistant": "Model:"}.get(passage.speaker, "(summary)"))
        outcomes = {one.call.id: one.outcome for one in passage.calls}
        for block in passage.blocks:
            if isinstance(block, Text):
                print(_printable(block.text))
            elif isinstance(block, ToolUse):
                given = dumps(dict(block.input)).decode("utf-8", "replace")
                print(f"  [{outcomes.get(block.id)}] {block.name} {_printable(given)[:200]}")
    return 0


def _rename(shelf: Shelf, arguments: argparse.Namespace) -> int:
    """Give a session a title."""
    path = shelf.find(arguments.session, str(Path.cwd()))
    with resumed(path, str(Path.cwd()), COMPATIBLE_VERSION) as session:
        session.rename(arguments.title)
    print(f"{path.stem} is now called '{arguments.title}'.")
    return 0


def _delete(shelf: Shelf, arguments: argparse.Namespace) -> int:
    """Delete sessions."""
    if arguments.older_than is not None:
        gone = shelf.purge(arguments.older_than, time.time())
        print(f"{len(gone)} sessions were deleted.")
        return 0
    if not arguments.session:
        raise SessionError("Say which session to delete, or --older-than DAYS.")
    path = shelf.find(arguments.session, str(Path.cwd()))
    if is_in_use(path):
        raise SessionError(f"Session {path.stem} is in use by another program. Wait for its end.")
    delete(path)
    print(f"{path.stem} is deleted.")
    return 0


def _wire(info: SessionInfo) -> dict[str, JsonValue]:
    """Return a session for programs."""
    return {
        "id": info.id,
        "title": info.title,
        "first_prompt": info.first_prompt,
        "last_prompt": info.last_prompt,
        "cwd": info.cwd,
        "git_branch": info.git_branch,
        "created": info.created,
        "modified": info.modified,
        "size": info.size,
        "path": str(info.path),
    }


def _printable(text: str) -> str:
    """Return a text without what a terminal would obey."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
