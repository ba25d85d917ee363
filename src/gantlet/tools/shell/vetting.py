"""What the shell itself has against a command: places where its words say less than it does."""

import os
import re
import shutil
from functools import partial
from pathlib import Path

from gantlet.system import run_in_thread
from gantlet.tool import Ask, Mode, ToolContext, Vote
from gantlet.tools.shell.lines import CommandLine
from gantlet.tools.shell.session import ShellSession

_MAX_CONFIG_BYTES = 256_000
_MAX_LEVELS = 64
#: Settings of a repository by which git runs a program, or reads settings from elsewhere.
_RUNS_PROGRAMS = re.compile(
    r"core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand|hookspath)"
    r"|diff\.external|diff\..*\.(?:command|textconv)|filter\..*\.(?:clean|smudge|process)"
    r"|merge\..*\.driver|pager\..*|alias\..*|gpg\..*program|gpg\.program|credential\..*helper"
    r"|credential\.helper|include\.path|includeif\..*\.path|interactive\.difffilter"
    r"|trailer\..*\.(?:command|cmd)|uploadpack\..*|extensions\.worktreeconfig"
)
#: What bash does itself, so that no file of that name is run.
_OF_THE_SHELL = frozenset(
    {"true", "false", "echo", "printf", "cd", "pwd", "test", "[", "[[", ":", "type", "command"}
)
_HARMLESS = frozenset({"false", "no", "off", "0", ""})
_SECTION = re.compile(r"\[\s*([A-Za-z0-9.-]+)\s*(?:\"((?:[^\"\\]|\\.)*)\")?\s*\]")


async def objection(line: CommandLine, context: ToolContext, session: ShellSession) -> Vote | None:
    """Ask about a command that is taken to read only, and may run something else here.

    What is asked about or allowed for another reason needs none of this.
    """
    if not line.read_only or context.surroundings.mode is Mode.BYPASS:
        return None
    if line.programs <= _OF_THE_SHELL:
        return None
    why = await run_in_thread(partial(_why_not_only_reading, line, context, session))
    return Ask(why, "tool") if why else None


def _why_not_only_reading(line: CommandLine, context: ToolContext, session: ShellSession) -> str:
    """Return what else a command may do here, or nothing. Blocks."""
    cwd = context.surroundings.cwd
    path = session.environment.variables.get("PATH", os.defpath)
    for program in sorted(line.programs - _OF_THE_SHELL):
        found = shutil.which(program, path=path)
        if found is not None and session.holds(found, context):
            return (
                f"{program} is {found}, a file of the project, and not the program of the system."
            )
    return why_git_runs_more(Path(cwd)) if line.runs_git else ""


def why_git_runs_more(cwd: Path) -> str:
    """Return which setting of a repository makes git run a program, or nothing."""
    folder = _git_folder(cwd)
    if folder is None:
        return ""
    for name in ("config", "config.worktree"):
        for key, value in _settings(folder / name):
            if _RUNS_PROGRAMS.fullmatch(key) and not (
                key == "core.fsmonitor" and value.lower() in _HARMLESS
            ):
                return f"The repository's own settings have {key}, by which git may run a program."
    return ""


def _git_folder(cwd: Path) -> Path | None:
    """Return where the settings are that git would read here."""
    for place in (cwd, *cwd.parents)[:_MAX_LEVELS]:
        marker = place / ".git"
        if marker.is_dir():
            return marker
        if marker.is_file():
            return _pointed(marker)
    return None


def _pointed(marker: Path) -> Path:
    """Return the folder that a `.git` file names; of a worktree, that of its repository."""
    text = marker.read_text(encoding="utf-8", errors="replace")[:4096]
    folder = marker.parent / text.removeprefix("gitdir:").strip()
    try:
        common = (folder / "commondir").read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        return folder
    return folder / common.strip()


def _settings(path: Path) -> list[tuple[str, str]]:
    """Return a file's settings as git would name them; what cannot be read is one that is asked."""
    try:
        text = path.read_bytes()[: _MAX_CONFIG_BYTES + 1].decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    except OSError:
        return [("include.path", "")]
    if len(text) > _MAX_CONFIG_BYTES:
        return [("include.path", "")]
    found: list[tuple[str, str]] = []
    prefix = ""
    for raw in text.replace("\\\n", "").splitlines():
        rest = raw.strip()
        section = _SECTION.match(rest)
        if section:
            middle = f".{section[2]}" if section[2] is not None else ""
            prefix = f"{section[1].lower()}{middle}"
            rest = rest[section.end() :].strip()
        if rest and rest[0] not in "#;":
            name, _, value = rest.partition("=")
            found.append((f"{prefix}.{name.strip().lower()}", value.strip().strip('"')))
    return found
