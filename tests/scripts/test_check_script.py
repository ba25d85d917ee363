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


def fail_tests(
    project: Path, *, count: int, first: int = 1, alone: int = 0, broken: str = ""
) -> None:
    """Let tests fail beside each other, and what failed end with another status alone."""
    failed = [f"tests/test_x.py::test_{number}" for number in range(count)]
    named = [*failed, broken] if broken else failed
    names = "".join(f'  "{name}": true,\n' for name in named)
    cache = ".pytest_cache/v/cache"
    put(
        project,
        "python",
        f"case \"$*\" in *--last-failed*) echo 'one by one'; exit {alone};; esac\n"
        f"mkdir -p {cache}; cat > {cache}/lastfailed <<'END'\n{{\n{names}}}\nEND\n"
        f"exit {first}",
    )


def test_a_failure_that_does_not_repeat_alone_is_told_and_refuses_nothing(project: Path) -> None:
    fail_tests(project, count=2)

    done = check(project)

    assert done.returncode == 0
    assert done.stdout.index("== what failed, alone") < done.stdout.index("one by one")
    assert done.stdout.index("PASSED ALONE") < done.stdout.index("tests/test_x.py::test_1")


def test_a_failure_that_repeats_alone_ends_the_check(project: Path) -> None:
    fail_tests(project, count=1, alone=1)

    done = check(project)

    assert done.returncode == 1
    assert "PASSED ALONE" not in done.stdout


@pytest.mark.parametrize(("count", "first"), [(4, 1), (0, 1), (1, 2), (1, 3)])
def test_many_failures_or_a_run_that_broke_off_are_not_tried_again(
    project: Path, count: int, first: int
) -> None:
    fail_tests(project, count=count, first=first)

    done = check(project)

    assert done.returncode == first
    assert "one by one" not in done.stdout


@pytest.mark.parametrize("broken", ["tests/test_x.py", "gw1"])
@pytest.mark.parametrize("count", [0, 1])
def test_what_could_not_be_collected_ends_the_check(project: Path, count: int, broken: str) -> None:
    fail_tests(project, count=count, broken=broken)

    done = check(project)

    assert done.returncode == 1
    assert "one by one" not in done.stdout


def test_what_failed_in_an_earlier_run_is_not_taken_for_a_failure_of_this_one(
    project: Path,
) -> None:
    fail_tests(project, count=3)
    check(project)
    put(
        project,
        "python",
        "case \"$*\" in *--last-failed*) echo 'one by one'; exit 0;; esac; exit 1",
    )

    done = check(project)

    assert done.returncode == 1
    assert "one by one" not in done.stdout
