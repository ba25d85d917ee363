"""Commands of Bash in the sandbox, by the settings of a session."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from bash_kit import Bench, bench, said
from gantlet.assembly.configuration import open_configuration
from gantlet.assembly.shell import open_session_shell
from gantlet.config import SettingsRequest
from gantlet.messages import Event
from gantlet.system import Environment, make_private_folder
from gantlet.system.held_folders import hold_folder
from gantlet.system.sandbox import Shelter
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


async def test_temporary_files_last_as_long_as_the_session(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await sheltered(here, {"enabled": True})
        await here.bash("echo kept > /tmp/gantlet-lasts.txt")
        later = await here.bash("cat /tmp/gantlet-lasts.txt; stat -c %a /tmp")
        assert isinstance(here.shell.shelter, Shelter)
        folder = here.shell.shelter.sandbox.policy.tmp

    assert said(later) == "kept\n1777"
    assert not is_there("/tmp/gantlet-lasts.txt")
    assert folder is not None
    assert not is_there(folder)


async def test_what_a_killed_session_left_is_told_by_its_lock(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        around = here.home / "sandbox" / "tmp"
        left, held = around / "session-left", around / "session-held"
        for folder in (left, held):
            make_private_folder(folder)
            os.utime(folder, (1_000_000_000, 1_000_000_000))
        lock = hold_folder(held)  # as a session in another container does, whose number nobody sees
        try:
            await sheltered(here, {"enabled": True})
            were_there = (is_there(str(left)), is_there(str(held)))
        finally:
            os.close(lock)
        assert isinstance(here.shell.shelter, Shelter)
        own = here.shell.shelter.sandbox.policy.tmp

    assert were_there == (False, True)
    assert own is not None
    assert sorted(one.name for one in around.iterdir()) == ["session-held"]


async def test_a_refused_host_is_told_with_the_result(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await sheltered(here, {"enabled": True, "network": {"allowedDomains": ["a.example"]}})
        asking = (
            "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT b.example:443 HTTP/1.1\\r\\n\\r\\n'"
        )
        answer = await here.bash(f"{asking} >&3; head -1 <&3; true")
        failed = await here.bash(f"{asking} >&3; head -1 <&3; exit 3")
        quiet = await here.bash("true")

    refusal = "b.example is not among the allowed hosts (sandbox.network.allowedDomains)."
    assert said(answer).endswith(f"The sandbox refused the network: {refusal}")
    assert f"The sandbox refused the network: {refusal}" in said(failed)
    assert said(quiet) == ""


async def test_a_command_that_fails_for_the_sandbox_is_told_of_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await sheltered(here, {"enabled": True})
        disk = await here.bash("touch /etc/gantlet-test")
        other = await here.bash("exit 3")
        await sheltered(here, {"enabled": True, "allowUnsandboxedCommands": False})
        strict = await here.bash("touch /etc/gantlet-test")

    assert "It ran in the sandbox" in said(disk)
    assert "dangerouslyDisableSandbox" in said(disk)
    assert said(other) == "Exit code 3"
    assert "It ran in the sandbox" in said(strict)
    assert "dangerouslyDisableSandbox" not in said(strict)
