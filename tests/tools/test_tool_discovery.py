"""A tool is found in its file or folder, and one bad file never takes the others down."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

from gantlet.messages import FrozenDict
from gantlet.tool import Port, Ports, Problem, Tool
from gantlet.tools import build_all, build_kept, discover

MakePackage: TypeAlias = Callable[[dict[str, str]], ModuleType]

GOOD = """
from gantlet.tool import Tool, ToolInput

class {name}Input(ToolInput):
    pass

class {name}(Tool[{name}Input]):
    name = "{name}"
    description = "Does {name}."
    input_type = {name}Input
"""
NEEDS_A_PORT = """
from gantlet.tool import Port, Ports, Tool

MODEM: Port[str] = Port("modem")

class Dial(Tool[object]):
    name = "Dial"
    description = "Dials."
    input_schema = {"type": "object"}

    def __init__(self, modem: str) -> None:
        self.modem = modem

    @classmethod
    def build(cls, ports: Ports) -> "Dial":
        return cls(ports.need(MODEM))
"""
_numbers = count(1)


@pytest.fixture
def package(tmp_path: Path) -> Iterator[MakePackage]:
    """Make packages of the given files; they are forgotten afterwards."""
    made: list[str] = []

    def make(files: dict[str, str]) -> ModuleType:
        name = f"package_for_a_test_{next(_numbers)}"
        made.append(name)
        for file, text in {"__init__.py": "", **files}.items():
            target = tmp_path / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace("PACKAGE", name))
        return import_module(name)

    sys.path.insert(0, str(tmp_path))
    yield make
    sys.path.remove(str(tmp_path))
    for module in [each for each in sys.modules if each.startswith(tuple(made or ["\0"]))]:
        del sys.modules[module]


def names(classes: list[type[Tool[object]]]) -> list[str]:
    return [each.name for each in classes]


def test_tools_are_found_in_files_and_folders_sorted_by_name(package: MakePackage) -> None:
    made = package(
        {
            "zebra.py": GOOD.format(name="Aardvark"),
            "ant.py": GOOD.format(name="Zebra"),
            "folder/__init__.py": "from PACKAGE.folder.inner import Middle",
            "folder/inner.py": GOOD.format(name="Middle"),
            "helpers.py": "from PACKAGE.ant import Zebra\nWIDTH = 3",
        }
    )

    classes, broken = discover(made)

    assert (names(classes), broken) == (["Aardvark", "Middle", "Zebra"], [])


def test_a_class_without_a_name_is_no_tool(package: MakePackage) -> None:
    made = package(
        {
            "base.py": """
from gantlet.tool import Tool

class Base(Tool[object]):
    description = "For others to build on."

class Odd(Tool[object]):
    name = 3
"""
        }
    )

    assert discover(made) == ([], [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('no')", "importing it failed: RuntimeError('no')"),
        ("import no_such_module", "ModuleNotFoundError"),
        ("def broken(:", "SyntaxError"),
        ("import sys; sys.exit(3)", "importing it failed: SystemExit(3)"),
        (
            "class E(Exception):\n    def __repr__(self): raise ValueError\nraise E",
            "importing it failed: that cannot be shown",
        ),
        (
            "from gantlet.tool import tool\n@tool\ndef f(x): ...",
            "ToolDefinitionError",
        ),
    ],
)
def test_a_broken_file_loses_only_itself(text: str, reason: str, package: MakePackage) -> None:
    made = package(
        {
            "a.py": GOOD.format(name="First"),
            "broken.py": text,
            "z.py": GOOD.format(name="Last"),
        }
    )

    classes, broken = discover(made)

    assert names(classes) == ["First", "Last"]
    assert [problem.tool_name for problem in broken] == [f"{made.__name__}.broken"]
    assert reason in broken[0].reason


def test_a_second_tool_of_the_same_name_is_left_out_and_said(package: MakePackage) -> None:
    made = package({"a.py": GOOD.format(name="Same"), "b.py": GOOD.format(name="Same")})

    classes, broken = discover(made)

    assert [each.__module__ for each in classes] == [f"{made.__name__}.a"]
    assert broken == [Problem("Same", f"{made.__name__}.b defines it again; the first one stays")]


def test_a_tool_that_lacks_a_port_or_cannot_be_built_is_left_out(package: MakePackage) -> None:
    made = package(
        {
            "a.py": GOOD.format(name="Plain"),
            "dial.py": NEEDS_A_PORT,
            "fails.py": GOOD.format(name="Fails")
            + "\n    def __init__(self) -> None:\n        raise OSError('disk full')",
        }
    )
    classes, _ = discover(made)

    built, left_out = build_all(classes, Ports())
    all_built, _ = build_all(classes, Ports({Port("modem"): "/dev/modem"}))

    assert [tool.name for tool in built] == ["Plain"]
    assert left_out == [
        Problem("Dial", "it needs the port 'modem', which is not offered here"),
        Problem("Fails", "building it failed: OSError('disk full')"),
    ]
    assert [tool.name for tool in all_built] == ["Dial", "Plain"]


def test_a_tool_of_which_nothing_was_kept_is_discovered(package: MakePackage) -> None:
    made = package({"a.py": GOOD.format(name="NeverKept")})

    built, _ = build_kept(made, Ports())

    [found] = [tool for tool in built if tool.name == "NeverKept"]
    assert found.input_format.json_schema == FrozenDict(
        type="object", properties={}, additionalProperties=False
    )
