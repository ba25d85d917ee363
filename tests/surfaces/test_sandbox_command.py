"""`gantlet sandbox` as a person uses it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox_kit import NOBODY, SYSTEM_PYTHON, new_place, reason_against


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a project in a place of its own."""
    reason = reason_against(os.getuid())
    if reason is not None:
        pytest.skip(reason)
    place = new_place()
    (place / "project").mkdir()
    (place / "home").mkdir()
    yield place
    shutil.rmtree(place, ignore_errors=True)


def gantlet(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in the project."""
    program = [sys.executable, "-m", "gantlet", "sandbox", *words]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "SECRET_TOKEN": "hunter2"}
    return subprocess.run(
        program,
        cwd=folder / "project",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_person_runs_a_command_inside(folder: Path) -> None:
    said = gantlet(
        folder, "run", "--", "sh", "-c", "echo x > file; cat file; touch /etc/x; env; exit 4"
    )

    assert said.returncode == 4
    assert said.stdout.startswith("x\n")
    assert "Read-only file system" in said.stderr
    assert "hunter2" not in said.stdout


def test_status_says_what_holds(folder: Path) -> None:
    said = gantlet(folder, "status")

    assert said.returncode == 0
    assert "the sandbox holds" in said.stdout
    assert f"writable: {folder}/project" in said.stdout
    assert "network: off" in said.stdout


def test_a_missing_sandbox_is_said_loudly_and_nothing_runs(folder: Path) -> None:
    missing = ["--settings", json.dumps({"sandbox": {"bwrapPath": "/nowhere/bwrap"}})]

    status = gantlet(folder, "status", *missing)
    ran = gantlet(folder, "run", *missing, "--", "touch", "file")

    assert status.returncode == 1
    assert status.stdout.startswith("THERE IS NO SANDBOX HERE")
    assert ran.returncode == 1
    assert "The command was not run" in ran.stderr
    assert not (folder / "project" / "file").exists()


def test_what_rules_deny_is_hidden_inside(folder: Path) -> None:
    project = folder / "project"
    (project / "deep").mkdir()
    for path in (project / ".env", project / "deep" / "key.pem", project / "pinned"):
        path.write_text("hunter2")
    denied = {"permissions": {"deny": ["Read(./.env)", "Read(**/*.pem)", "Edit(pinned)"]}}

    said = gantlet(
        folder,
        "run",
        "--settings",
        json.dumps(denied),
        "--",
        "sh",
        "-c",
        "cat .env deep/key.pem; echo x > pinned; mv deep gone; cat gone/key.pem",
    )

    assert "hunter2" not in said.stdout
    assert (project / "pinned").read_text() == "hunter2"
    assert (project / "deep").is_dir()


def test_settings_that_cannot_be_read_are_said(folder: Path) -> None:
    broken = json.dumps({"sandbox": {"enabled": True, "filesystem": {"denyRead": "~/.ssh"}}})

    said = gantlet(folder, "status", "--settings", broken)

    assert "BLOCKED" in said.stdout


def test_another_user_has_a_sandbox_that_holds() -> None:
    reason = reason_against(NOBODY)
    if reason is not None:
        pytest.skip(reason)
    place = new_place()
    place.chmod(0o777)
    source = Path(__file__).parents[2] / "src"
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    code = (
        "import anyio, sys\nfrom pathlib import Path\n"
        "from gantlet.system.sandbox import Policy, Sandbox\n"
        f"print(anyio.run(Sandbox(Policy(({str(place)!r},)), Path({str(place)!r}) / 'home').state))"
    )

    said = subprocess.run(
        [SYSTEM_PYTHON, "-c", code],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{source}:{packages}", "HOME": str(place)},
        capture_output=True,
        text=True,
        check=False,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
    )

    shutil.rmtree(place, ignore_errors=True)
    assert said.stdout == "Holds(was_tested_now=True)\n", said.stderr
