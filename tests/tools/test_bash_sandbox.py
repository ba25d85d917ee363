"""Commands of Bash in the sandbox, by the settings of a session."""

import shutil
import sys
from pathlib import Path

import pytest

from bash_kit import Bench, bench, said
from gantlet.assembly.configuration import open_configuration
from gantlet.assembly.shell import open_session_shell
from gantlet.config import SettingsRequest
from gantlet.messages import Event
from gantlet.system import Environment
from gantlet.tool import Ask

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        sys.platform != "linux" or shutil.which("bwrap") is None,
        reason="bubblewrap is not installed",
    ),
]


def is_there(path: str) -> bool:
    """Return whether there is something at a path."""
    return Path(path).exists()


async def sheltered(here: Bench, sandbox: dict[str, object]) -> list[Event]:
    """Give a session the sandbox that settings ask for, and return what it tells of it."""
    told: list[Event] = []
    environment = Environment(
        variables={**here.shell.environment.variables, "HOME": str(here.home)}
    )
    given = {"sandbox": sandbox}
    configuration = open_configuration(SettingsRequest(here.folder, environment, given))
    holder = configuration.open_engine(None, told.append, None).holder
    opened = open_session_shell(str(here.folder), configuration, holder)
    here.shell.shelter = opened.session.shelter
    here.closing.append(opened.leave)
    opened.session.shelter = here.shell.shelter
    await opened.enter(told.append)
    return told


async def test_a_command_inside_writes_only_where_it_may(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    async with bench(tmp_path) as here:
        await sheltered(here, {"enabled": True})
        inside = await here.bash("echo in > in.txt && cat in.txt && cd / && true")
        elsewhere = await here.bash(f"echo out > {outside}; ls {outside}")
        refused = await here.bash("echo out > /etc/outside.txt")
        daemon = await here.bash("sleep 1000 & echo started")

    assert said(inside) == f"in\nShell cwd was reset to {here.folder}"
    assert refused.block.is_error is True
    assert "Read-only file system" in said(refused)
    assert said(elsewhere) == str(outside)  # in a /tmp of its own
    assert not outside.exists()
    assert not is_there("/etc/outside.txt")
    assert said(daemon).startswith("started")


async def test_what_is_excluded_or_asks_runs_outside_and_says_so(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    async with bench(tmp_path) as here:
        await sheltered(here, {"enabled": True, "excludedCommands": ["touch"]})
        excluded = await here.bash(f"touch {outside}")
        asked = await here.bash(f"rm {outside}", dangerouslyDisableSandbox=True)
        vote = await here.tool("Bash").check_permissions(
            *here.asked("Bash", command="ls", dangerouslyDisableSandbox=True)
        )

    assert "outside the sandbox: sandbox.excludedCommands names it" in said(excluded)
    assert "outside the sandbox: the call asked for that" in said(asked)
    assert not outside.exists()
    assert isinstance(vote, Ask)


async def test_without_a_sandbox_it_is_said_loudly_or_nothing_runs(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        told = await sheltered(here, {"enabled": True, "bwrapPath": "/nowhere/bwrap"})
        loud = await here.bash("echo ran")
        await sheltered(
            here, {"enabled": True, "bwrapPath": "/nowhere/bwrap", "failIfUnavailable": True}
        )
        refused = await here.bash("echo ran")

    assert "none that holds" in str(told)
    assert said(loud).startswith("ran\nTHERE IS NO SANDBOX")
    assert "The command was not run" in said(refused)
