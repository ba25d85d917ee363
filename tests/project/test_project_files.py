"""What the files around the code promise: pins, layers, sentences, one version."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "gantlet"
SOURCES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted({file.relative_to(PACKAGE).parts[0] for file in SOURCES if file.parent != PACKAGE})
PINNED = sorted((ROOT / "requirements").glob("*.txt"))
PINNED_FROM = [ROOT / "pyproject.toml", *sorted((ROOT / "requirements").glob("*.in"))]


def pyproject() -> dict[str, Any]:
    """Return the project file."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def named(path: Path) -> str:
    """Return a path as seen from the root, to name a test case."""
    return path.relative_to(ROOT).as_posix()


def requirements(file: Path) -> Iterator[str]:
    """Yield each requirement with its options, on one line."""
    joined = file.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (line.partition(" #")[0].strip() for line in joined.splitlines())
    yield from (line for line in lines if line and not line.startswith("#"))


def test_there_are_six_files_of_pinned_requirements() -> None:
    assert [file.name for file in PINNED] == [
        "build.txt",
        "clients.txt",
        "dev.txt",
        "local-model.txt",
        "local.txt",
        "runtime.txt",
    ]


@pytest.mark.parametrize("file", PINNED, ids=named)
def test_every_requirement_is_pinned_and_has_a_hash(file: Path) -> None:
    pin = re.compile(r"[\w.\[\]-]+==\S+( ;.*?)?(\s+--hash=sha256:[0-9a-f]{64})+")

    without = [line for line in requirements(file) if not pin.fullmatch(line)]

    assert without == []
    assert len(list(requirements(file))) > 0


@pytest.mark.parametrize("file", PINNED, ids=named)
def test_a_requirement_file_holds_no_address(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert re.findall(r"\S*://\S*|\S+ @ \S+|--(?:extra-)?index-url\S*|--find-links\S*", text) == []


@pytest.mark.parametrize("file", PINNED_FROM, ids=named)
def test_no_file_that_is_pinned_from_names_an_index(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert re.findall(r"\S*://\S*|index-url|find-links", text) == []


def test_every_dependency_of_the_package_is_pinned_for_running_and_for_development() -> None:
    wanted = {re.split(r"[<>=~!\[ ]", one)[0] for one in pyproject()["project"]["dependencies"]}

    pinned = {
        file.stem: {line.partition("==")[0] for line in requirements(file)} for file in PINNED
    }

    assert wanted - pinned["runtime"] == set()
    assert pinned["runtime"] - pinned["dev"] == set()
    assert pinned["local"] - pinned["runtime"] == {"xllamacpp"}


def test_no_lock_file_of_another_tool_is_kept() -> None:
    hidden = (path for path in ROOT.rglob("uv.lock") if ".venv" not in path.parts)

    assert list(hidden) == []
    assert "uv.lock" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()


def test_the_staircase_lists_every_room_once() -> None:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")

    placed = [room.strip() for layer in layers for room in layer.split("|")]

    assert sorted(placed) == sorted([*ROOMS, "__main__"])


def test_the_rooms_that_must_not_draw_are_all_but_the_surfaces() -> None:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    drawing = next(one for one in contracts if one["name"] == "Only surfaces draw")

    assert sorted(drawing["source_modules"]) == [
        f"gantlet.{room}" for room in ROOMS if room != "surfaces"
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_opens_with_its_purpose(room: str) -> None:
    text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("file", SOURCES, ids=named)
def test_every_source_file_opens_with_a_sentence(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""

    assert re.match(r"\S.*?[.:…]", docstring, re.DOTALL), docstring


def test_what_lands_is_decided_by_make_test() -> None:
    run = ROOT / ".ci" / "run"
    commands = run.read_text(encoding="utf-8").splitlines()

    assert "make test" in commands
    assert commands.index("set -euo pipefail") < commands.index("make test")
    assert run.stat().st_mode & 0o111


def test_every_target_that_make_lists_exists_and_the_other_way_round() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout

    listed = {line.split()[1] for line in shown.splitlines()}
    phony = set(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split())
    defined = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))

    assert listed | {"help"} == phony == defined


def test_the_version_is_written_once() -> None:
    project = pyproject()
    assigned = re.compile(r"^__version__\s*(?::.*)?=", re.MULTILINE)

    holders = [named(file) for file in SOURCES if assigned.search(file.read_text(encoding="utf-8"))]

    assert holders == ["src/gantlet/__init__.py"]
    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == holders[0]


def test_the_command_prints_the_version_of_the_source() -> None:
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    version = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)[0]
    command = shutil.which("gantlet", path=str(Path(sys.executable).parent))
    assert command is not None

    done = subprocess.run(
        [command, "--version"], capture_output=True, text=True, timeout=60, check=True
    )

    assert (done.stdout, done.stderr) == (f"{version} (Gantlet)\n", "")
