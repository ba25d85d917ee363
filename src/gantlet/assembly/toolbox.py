"""The tools of a session, wired together: discovered, built, pooled, and written for requests."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gantlet import tools as builtin_tools
from gantlet.assembly.files import SessionFiles
from gantlet.assembly.shell import open_shell
from gantlet.pool import (
    DEFAULT_FLAGS,
    Catalog,
    Definitions,
    Selection,
    Toolbox,
    assemble,
    read_setting,
)
from gantlet.system import Environment, home_folder
from gantlet.tool import (
    ENVIRONMENT,
    FILE_CHANGES,
    FILE_KNOWLEDGE,
    TOOL_CATALOG,
    AnyTool,
    Port,
    Ports,
)
from gantlet.tools.shell import SHELL


def open_toolbox(
    own: Iterable[AnyTool] = (),
    mcp: Iterable[AnyTool] = (),
    *,
    environment: Environment | None = None,
    denied: Sequence[str] = (),
    selected: str = "default",
    ports: Ports | None = None,
    expects_mcp: bool = False,
) -> Toolbox:
    """Discover the built-in tools, add the given ones, and assemble them for a session.

    `selected` chooses among the built-in ones; those that are given are there.
    """
    environment = environment or Environment.current(DEFAULT_FLAGS)
    definitions = Definitions(environment.flags)
    catalog = Catalog(definitions)
    given = ports.offered if ports is not None else {}
    offered: dict[Port[Any], object] = {TOOL_CATALOG: catalog, ENVIRONMENT: environment, **given}
    if FILE_KNOWLEDGE not in given or FILE_CHANGES not in given:
        offered = {**SessionFiles.below(home_folder(environment)).ports, **offered}
    if SHELL not in offered:
        offered.update(open_shell(str(Path.cwd()), environment).ports)
    selection = Selection.parse(selected)
    built, left_out = builtin_tools.build_kept(builtin_tools, Ports(offered), selection.names)
    whole = assemble([*built, *own], mcp, environment=environment, denied=denied)
    pool, unknown = selection.of(whole, among=built)
    deferral, misread = read_setting(environment)
    problems = [*left_out, *whole.problems, *unknown, *([misread] if misread else [])]
    return Toolbox(pool, catalog, definitions, deferral, tuple(problems), expects_mcp)
