"""One file (or folder) for each built-in tool. A new file is found.

Nothing else needs to be told.
"""

import inspect
import pkgutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from gantlet.messages import FrozenDict, freeze, loads
from gantlet.tool import AnyTool, MissingPortError, Ports, Problem, Tool
from gantlet.tool.wording import quoted

SNAPSHOT_FILE = "schemas.json"


def discover(package: ModuleType) -> tuple[list[type[AnyTool]], list[Problem]]:
    """Return the tool classes of every module in `package`, by name.

    A broken file loses only itself.
    """
    found: dict[str, type[AnyTool]] = {}
    broken: list[Problem] = []
    for module_info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
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
    for value in vars(module).values():
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


def with_snapshots(classes: Iterable[type[AnyTool]]) -> None:
    """Give each built-in tool the kept copy of its schema.

    So that its model is built only when it is called.
    """
    kept = read_snapshots()
    for tool_class in classes:
        snapshot = kept.get(tool_class.name)
        if isinstance(snapshot, FrozenDict):
            tool_class.schema_snapshot = snapshot


def read_snapshots() -> FrozenDict:
    """Return the kept schemas by tool name; none where the file is missing."""
    try:
        text = (Path(__file__).parent / SNAPSHOT_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return FrozenDict()
    kept = freeze(loads(text))
    return kept if isinstance(kept, FrozenDict) else FrozenDict()
