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

from gantlet.tool import AnyTool, MissingPortError, Ports, Problem, Tool
from gantlet.tool.kept import Kept
from gantlet.tool.wording import quoted

SNAPSHOT_FILE = "schemas.json"
_SNAPSHOT = str(Path(__file__).parent / SNAPSHOT_FILE)
#: How an entry ends.
_END = "\n  }"
_NO_MODULES = frozenset({SNAPSHOT_FILE, "__init__.py", "__pycache__"})


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
    kept = _kept_texts()
    prefix = f"{package.__name__}."
    known = {_module_in(text).removeprefix(prefix).partition(".")[0] for text in kept.values()}
    classes, broken = discover(package, known) if _has_others(package, known) else ([], [])
    fresh, left_out = build_all(classes, ports)
    for name, text in kept.items():
        if not wanted([name, *_aliases_in(text)]):
            continue
        try:
            fresh.append(_kept(name, text).build(ports))
        except MissingPortError as error:
            left_out.append(Problem(name, str(error)))
    return sorted(fresh, key=lambda tool: tool.name), [*broken, *left_out]


def read_kept() -> list[Kept]:
    """Return what was kept of the built-in tools; nothing where the file is missing."""
    return [_kept(name, text) for name, text in _kept_texts().items()]


def _kept_texts() -> dict[str, str]:
    """Return what was kept of each tool, by name, as the JSON it is.

    Parsing all of it takes long, and a session may want few of them: the file is written such that
    each entry begins on a line of its own, two columns in.
    """
    try:
        with open(_SNAPSHOT, "rb") as opened:  # noqa: PTH123 - a path object takes as long as reading
            whole = opened.read().decode()
    except FileNotFoundError:
        return {}
    _, *entries = whole.split('\n  "')
    parts = [entry.partition('": ') for entry in entries]
    return {name: f"{text.rpartition(_END)[0]}{_END}" for name, _, text in parts}


def _module_in(text: str) -> str:
    """Return the module of a tool, which is the first thing that is kept of it."""
    return text.partition('"module": "')[2].partition('"')[0]


def _aliases_in(text: str) -> Sequence[str]:
    """Return the other names of a tool. Most have none."""
    head = text.partition('\n    "schema": ')[0]
    if '"aliases": [' not in head:
        return ()
    aliases: Sequence[str] = json.loads(f"{head.rstrip(',')}}}")["attributes"].get("aliases", ())
    return aliases


def _kept(name: str, text: str) -> Kept:
    """Return what was kept of one tool."""
    entry = json.loads(text)
    return Kept(
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
