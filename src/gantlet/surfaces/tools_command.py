"""`gantlet tools`: which tools there are, and how a model sees them."""

import argparse
import json
import sys

from gantlet.assembly import Toolbox, open_toolbox
from gantlet.tool import RequestView, UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", help="show this tool's definition")
    parser.add_argument(
        "--json", action="store_true", help="print the whole tools part of a request"
    )
    parser.add_argument("--tools", default="default", metavar="LIST", help="'default', '' or A,B")
    parser.add_argument("--deny", action="append", default=[], metavar="RULE", help="a deny rule")


def run(arguments: argparse.Namespace) -> int:
    """List the tools, or show one."""
    toolbox = open_toolbox(selected=arguments.tools, denied=arguments.deny)
    if arguments.name:
        print(json.dumps(_definition(toolbox, arguments.name), indent=2, ensure_ascii=False))
    elif arguments.json:
        print(toolbox.for_request(RequestView()).tools_part.decode())
    else:
        _list(toolbox)
    for problem in (*toolbox.problems, *toolbox.definitions.problems.values()):
        print(_plain(f"{problem.tool_name}: {problem.reason}"), file=sys.stderr)
    return 0


def _definition(toolbox: Toolbox, name: str) -> dict[str, object]:
    """Return one tool's definition, or say that there is no such tool."""
    tool = toolbox.pool.find(name)
    if tool is None:
        near = ", ".join(toolbox.pool.nearest(name))
        hint = f" Nearest: {near}." if near else " `gantlet tools` lists them."
        raise UserError(f"there is no tool named {name!r}.{hint}")
    definition = toolbox.definitions.one(tool, RequestView())
    if definition is None:
        raise UserError(
            f"{tool.name} cannot be shown: {toolbox.definitions.problems[tool.name].reason}"
        )
    return definition


def _list(toolbox: Toolbox) -> None:
    """Print a line for each tool."""
    width = max((len(tool.name) for tool in toolbox.pool), default=0)
    for tool in toolbox.pool:
        described = toolbox.definitions.describe(tool, RequestView()).strip()
        about = described.partition(". ")[0].partition("\n")[0].rstrip(".")
        print(f"{tool.name:<{width}}  {_plain(about)}")
    count = len(toolbox.pool)
    print(f"{count} tool{'' if count == 1 else 's'}")


def _plain(text: str) -> str:
    """Return a text on one line, in which nothing can steer a terminal."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
