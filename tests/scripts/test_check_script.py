"""`scripts/check` on a copy, with small programs in place of the real checks."""

import shutil
import subprocess
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check"
PROGRAMS = ("ruff", "lint-imports", "mypy", "python")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tree with a copy of the script, in which every check is silent and content."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(CHECK, tmp_path / "scripts" / "check")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for program in PROGRAMS:
        put(tmp_path, program, "exit 0")
    return tmp_path


def put(project: Path, program: str, body: str) -> None:
    """Write a program that notes its name and then does `body`."""
    file = project / ".venv" / "bin" / program
    file.write_text(f'#!/bin/sh\necho "{program} $1" >>ran\n{body}\n', encoding="utf-8")
    file.chmod(0o755)


def check(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    script = str(project / "scripts" / "check")
    return subprocess.run(
        [script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


def ran(project: Path) -> list[str]:
    """Return the programs that ran, in order, each with its first argument."""
    return (project / "ran").read_text(encoding="utf-8").splitlines()


def test_every_step_runs_once_in_its_order(project: Path) -> None:
    done = check(project)

    steps = [line for line in done.stdout.splitlines() if line]
    assert done.returncode == 0
    assert steps == ["== format", "== lint", "== imports", "== types", "== tests"]
    assert ran(project) == [
        "ruff format",
        "ruff check",
        "lint-imports --no-logo",
        "mypy ",
        "mypy --no-error-summary",
        "python -m",
    ]


def test_a_contract_that_is_kept_says_nothing(project: Path) -> None:
    put(project, "lint-imports", "echo 'Contracts: 4 kept, 0 broken.'")

    done = check(project)

    assert done.returncode == 0
    assert "Contracts" not in done.stdout


def test_a_broken_contract_is_shown_whole_and_keeps_its_exit_status(project: Path) -> None:
    put(project, "lint-imports", "echo 'on stdout'; echo 'on stderr' >&2; exit 7")

    done = check(project)

    assert done.returncode == 7
    assert done.stdout.endswith("== imports\non stdout\non stderr\n")
    assert ran(project)[-1] == "lint-imports --no-logo"


def test_a_file_that_is_not_formatted_says_what_to_run(project: Path) -> None:
    put(project, "ruff", '[ "$1" != format ]')

    done = check(project)

    assert done.returncode == 1
    assert done.stdout.endswith("Run: .venv/bin/ruff format . scripts/measure\n")
    assert ran(project) == ["ruff format"]


@pytest.mark.parametrize("program", ["mypy", "python"])
def test_a_failing_step_ends_the_check(project: Path, program: str) -> None:
    put(project, program, "echo 'it failed'; exit 3")

    done = check(project)

    assert done.returncode == 3
    assert done.stdout.endswith("it failed\n")


def test_what_has_a_target_of_its_own_is_left_out(project: Path) -> None:
    put(project, "python", 'echo "$@"')

    done = check(project)

    assert " -m not deep and not clients and not local " in done.stdout
