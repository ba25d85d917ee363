"""Trees to search, and both programs that search them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builders import args_of, tool_use
from gantlet.tool import AnyTool, Judged, Surroundings, ToolContext, ToolResult, Withheld
from gantlet.tool.withheld import NOTHING_WITHHELD
from gantlet.tools.search.programs import FALLBACK, Program, packaged_ripgrep
from gantlet.tools.search.query import Query, ripgrep_options
from gantlet.tools.search.searching import Searcher

RIPGREP = Program(next(path for path in packaged_ripgrep() if Path(path).exists()))
PROGRAMS = {"ripgrep": RIPGREP, "fallback": FALLBACK}
#: When the first file of a tree was changed.
BEGINNING = 1_700_000_000


def make_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, each changed a second after the one before; return where they are."""
    for number, (name, content) in enumerate(files.items()):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(file, (BEGINNING + number, BEGINNING + number))
    return root


def without_end(program: Program, folder: Path) -> Program:
    """Return a program that answers as another does, and then never ends."""
    script = folder / "without-end"
    script.write_text(f'#!/bin/sh\n{program.path} "$@"\nexec sleep 1000\n')
    script.chmod(0o755)
    return Program(str(script), is_ripgrep=program.is_ripgrep)


def searcher(program: Program = RIPGREP, **variables: str) -> Searcher:
    """Return what searches with one program."""
    return Searcher(variables, program)


def context_in(folder: Path, withheld: Withheld = NOTHING_WITHHELD) -> ToolContext:
    """Return the context of a call in a folder."""
    return ToolContext(tool_use("Search"), Surroundings(str(folder)), judged=Judged({}, withheld))


async def output_of(
    tool: AnyTool, folder: Path, /, withheld: Withheld = NOTHING_WITHHELD, **given: Any
) -> ToolResult[str]:
    """Return what a call hands back."""
    output = await tool.run(args_of(tool, **given), context_in(folder, withheld))
    return output if isinstance(output, ToolResult) else ToolResult(str(output))


async def said_by(tool: AnyTool, folder: Path, /, **given: Any) -> str:
    """Return what the model reads of a call."""
    return (await output_of(tool, folder, **given)).data


def ripgrep_says(query: Query, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run ripgrep itself."""
    command = [RIPGREP.path, *ripgrep_options(query)]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=100, check=False)
