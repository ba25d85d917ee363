"""`gantlet export`: a session as one page to look at, or as the lines it is made of."""

import argparse
import sys
from pathlib import Path

from gantlet.session import Shelf, all_sessions_folders, read_lines, tell
from gantlet.surfaces.export_page import page
from gantlet.system import Environment, Masker, write_private


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("session", nargs="?", help="its id, the beginning of that, or its title")
    parser.add_argument("--html", action="store_true", help="one self-contained page (the default)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to; '-' is standard output")


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    environment = Environment.current()
    shelf, here = Shelf(all_sessions_folders(environment)), str(Path.cwd())
    path = shelf.find(arguments.session, here) if arguments.session else shelf.latest(here)
    lines, notes = read_lines(path)
    for note in notes:
        print(f"gantlet: {note}", file=sys.stderr)
    html = page(tell(lines), Masker(environment.variables).text)
    if arguments.output == "-":
        sys.stdout.write(html)
        return 0
    target = Path(arguments.output or f"gantlet-{path.stem[:8]}.html")
    write_private(target.absolute(), html)
    print(f"{target}")
    return 0
