"""What the model is told before anything else, in an order that keeps the prompt cache warm.

First what never changes, then what holds for this machine and folder, then the user's own files.
"""

import platform
from collections.abc import Collection, Sequence
from datetime import date
from functools import partial
from pathlib import Path

from gantlet.assembly.guidance import guidance
from gantlet.config import MemoryFile
from gantlet.messages.value import value
from gantlet.rules import SourceKind
from gantlet.system import Environment, run_child, run_in_thread
from gantlet.tools.shell.git_settings import why_git_runs_more

GIT_SECONDS = 2.0
MAX_STATUS_CHARS = 2_000
_COMMITS = 5


@value
class Place:
    """Where an agent works, as the model is told."""

    cwd: Path
    directories: tuple[str, ...] = ()
    git: str | None = None

    def text(self, model: str, today: date) -> str:
        """Return it in words."""
        lines = [
            "# Where you are",
            "",
            f"Working directory: {self.cwd}",
            *(f"Also at your disposal: {folder}" for folder in self.directories),
            f"Git repository: {'yes' if self.git is not None else 'no'}",
            f"Platform: {platform.system()} {platform.release()} ({platform.machine()})",
            f"Date: {today.isoformat()}",
            f"Model: {model}",
        ]
        if self.git:
            lines += ["", "State of the repository when the session began:", "", self.git]
        return "\n".join(lines)


async def look_at_repository(cwd: Path, environment: Environment) -> str | None:
    """Return the state of a git repository in a few lines; None where there is none."""
    root = next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)
    if root is None:
        return None
    if await run_in_thread(partial(why_git_runs_more, root)):
        return ""
    status = await _git(cwd, environment, "status", "--short", "--branch", "--no-renames")
    log = await _git(cwd, environment, "log", f"-{_COMMITS}", "--oneline", "--no-decorate")
    if len(status) > MAX_STATUS_CHARS:
        status = status[:MAX_STATUS_CHARS] + "\n… (there is more)"
    recent = f"\n\nNewest commits:\n{log}" if log else ""
    return f"{status}{recent}"


async def _git(cwd: Path, environment: Environment, *words: str) -> str:
    """Run git so that nothing of the repository's own runs; return what it says, or nothing."""
    hardened = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")
    own = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
    path = environment.variables.get("PATH", "/usr/bin:/bin")
    variables = {"PATH": path, "HOME": environment.variables.get("HOME", "/"), **own}
    try:
        result = await run_child(
            ["git", *hardened, *words], cwd=str(cwd), env=variables, seconds=GIT_SECONDS
        )
    except OSError:
        return ""
    return result.stdout.decode("utf-8", "replace").strip() if result.exit_code == 0 else ""


def memory_text(files: Sequence[MemoryFile]) -> str:
    """Return the instructions of files, each under its name."""
    told = {
        SourceKind.POLICY: "the organisation's instructions",
        SourceKind.USER: "the person's own instructions, for all projects",
        SourceKind.PROJECT: "the project's instructions, which everybody has",
        SourceKind.LOCAL: "the person's own instructions for this project",
    }
    parts = [
        f"## {file.path} ({told.get(file.kind, 'instructions')})\n\n{file.text.strip()}"
        for file in files
        if file.text.strip()
    ]
    if not parts:
        return ""
    return "# Instructions from files\n\nFollow them where they apply.\n\n" + "\n\n".join(parts)


def system_prompt(
    tools: Collection[str],
    here: str,
    *,
    appended: str = "",
    memory: Sequence[MemoryFile] = (),
) -> str:
    """Return the whole text for a model with these tools; `here` tells where the agent works."""
    parts = [guidance(tools), here, memory_text(memory), appended]
    return "\n\n".join(part for part in parts if part)
