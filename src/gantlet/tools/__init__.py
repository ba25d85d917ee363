"""One file (or folder) for each built-in tool. A new file is found.

Nothing else needs to be told.
"""

import inspect
import json
import os
import pkgutil
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from gantlet.tool import AnyTool, MissingPortError, Ports, Problem, Tool
from gantlet.tool.kept import Kept
from gantlet.tool.wording import quoted

SNAPSHOT_FILE = "schemas.json"
INDEX_FILE = "names.json"
_SNAPSHOT = str(Path(__file__).parent / SNAPSHOT_FILE)
_INDEX = str(Path(__file__).parent / INDEX_FILE)
_NO_MODULES = frozenset({SNAPSHOT_FILE, INDEX_FILE, "__init__.py", "__pycache__"})


def discover(
    package: ModuleType, but_not: Collection[str] = ()
) -> tuple[list[type[AnyTool]], list[Problem]]:
    """Return the tool classes of every module in `package`, by name.

    A broken file loses only itself. Files and folders in `but_not` are not looked at.
    """
    found: dict[str, type[AnyTool]] = {}
    broken: list[Problem] = []
    for module_info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if module_info.name.rpartition(".")[2] in but_not:
            continue
        try:
            tool_classes = list(_tool_classes(import_module(module_info.name)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken file becomes a value here
            broken.append(Problem(module_info.name, f"importing it failed: {quoted(error, 300)}"))
            continue
        for tool_class in tool_classes:
            if found.setdefault(tool_class.name, tool_class) is not tool_class:
                reason = f"{module_info.name} defines it again; the first one stays"
                broken.append(Problem(tool_class.name, reason))
    return [found[name] for name in sorted(found)], broken


def _tool_classes(module: ModuleType) -> Iterable[type[AnyTool]]:
    """Yield the tools a module or folder defines: subclasses of `Tool` with a name."""
    names = dict.fromkeys((*vars(module), *getattr(module, "__all__", ())))  # some are fetched late
    for value in [getattr(module, name) for name in names]:
        if (
            inspect.isclass(value)
            and issubclass(value, Tool)
            and f"{value.__module__}.".startswith(f"{module.__name__}.")
            and isinstance(getattr(value, "name", None), str)
        ):
            yield value


def build_all(
    classes: Iterable[type[AnyTool]], ports: Ports
) -> tuple[list[AnyTool], list[Problem]]:
    """Build each tool; one that fails, or lacks a port, is left out with its reason."""
    built: list[AnyTool] = []
    left_out: list[Problem] = []
    for tool_class in classes:
        try:
            built.append(tool_class.build(ports))
        except MissingPortError as error:
            left_out.append(Problem(tool_class.name, str(error)))
        except Exception as error:  # noqa: BLE001 - a broken tool becomes a value here
            left_out.append(Problem(tool_class.name, f"building it failed: {quoted(error, 300)}"))
    return built, left_out


def build_kept(
    package: ModuleType, ports: Ports, wanted: Callable[[Sequence[str]], bool] = bool
) -> tuple[list[AnyTool], list[Problem]]:
    """Build the tools of `package` from what was kept of them, by name; nothing is imported.

    Those whose name and aliases are not `wanted` are left out without a word. A file or folder of
    which nothing was kept is discovered.
    """
    index = read_index()
    prefix = f"{package.__name__}."
    known = {module.removeprefix(prefix).partition(".")[0] for module, *_ in index.values()}
    classes, broken = discover(package, known) if _has_others(package, known) else ([], [])
    fresh, left_out = build_all(classes, ports)
    chosen = {name for name, (_, *aliases) in index.items() if wanted([name, *aliases])}
    for one in read_kept() if chosen else ():
        try:
            if one.name in chosen:
                fresh.append(one.build(ports))
        except MissingPortError as error:
            left_out.append(Problem(one.name, str(error)))
    return sorted(fresh, key=lambda tool: tool.name), [*broken, *left_out]


def read_index() -> dict[str, list[str]]:
    """Return the module and the further names of each built-in tool of which something was kept.

    That is enough for choosing among them, and a small part of what was kept.
    """
    return _read(_INDEX)


def read_kept() -> list[Kept]:
    """Return what was kept of the built-in tools; nothing where the file is missing."""
    return [
        Kept(
            entry["module"],
            entry["class"],
            name,
            entry.get("description", ""),
            entry.get("described_in", ""),
            tuple(entry["ports"]),
            entry["schema"],
            {
                attribute: tuple(given) if isinstance(given, list) else given
                for attribute, given in entry["attributes"].items()
            },
        )
        for name, entry in _read(_SNAPSHOT).items()
    ]


def _read(file: str) -> dict[str, Any]:
    """Return what a file holds by the names of tools; nothing where it is missing."""
    try:
        # A path object takes as long as reading, and there is nothing to buffer.
        with open(file, "rb", buffering=0) as opened:  # noqa: PTH123
            found: dict[str, Any] = json.loads(opened.read())
    except FileNotFoundError:
        return {}
    return found


def _has_others(package: ModuleType, known: Collection[str]) -> bool:
    """Return whether a package may hold more than what is known; looking closer takes longer."""
    for folder in package.__path__:
        try:
            names = os.listdir(folder)  # noqa: PTH208 - plain text is all it takes
        except OSError:
            return True
        for name in names:
            stem = name.partition(".")[0]
            if stem not in known and name not in _NO_MODULES:
                return True
    return False
