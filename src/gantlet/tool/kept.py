"""A built-in tool known from what was kept of it. Its module is loaded by its first call."""

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from importlib import import_module
from typing import Any

from gantlet.messages import FrozenDict, freeze
from gantlet.messages.value import lazy, value
from gantlet.tool.context import RequestView
from gantlet.tool.contract import AnyTool, Tool
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.inputs import InputFormat
from gantlet.tool.ports import MissingPortError, Port, Ports
from gantlet.tool.wording import told

#: What a pool, a catalog and a request ask of a tool that nobody called yet. The class says it;
#: what the session decides (limits, for example) is asked of the tool itself.
KEPT_ATTRIBUTES = (
    "aliases",
    "search_hint",
    "strict",
    "input_examples",
    "should_defer",
    "always_load",
    "requires_program",
    "requires_flag",
    "hidden_by_flag",
    "hidden",
    "path_fields",
    "path_kind",
    "path_verb",
    "rule_field",
    "runs_shell",
    "mcp",
    "input_schema",
)


@value
class Kept:
    """What was kept of one tool class.

    Attributes:
        module: Where the class is.
        class_name: What it is called there.
        name: What the tool is called.
        description: Its description, or nothing where the class computes it.
        described_in: The module that computes it, if the class names one.
        ports: The names of the ports that building it needs.
        schema: Its input as JSON Schema.
        attributes: Those of `KEPT_ATTRIBUTES` that are not what a tool has by default.
    """

    module: str
    class_name: str
    name: str
    description: str
    described_in: str
    ports: tuple[str, ...]
    schema: Mapping[str, object]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def build(self, ports: Ports) -> "KeptTool":
        """Return the tool for a session.

        Raises:
            MissingPortError: It needs a port that nobody offers.
        """
        for name in self.ports:
            if (port := Port[Any](name)) not in ports.offered:
                raise MissingPortError(port)
        return KeptTool(self, ports)


class _OfTheTool:
    """An attribute that only the tool itself has: asking for it loads the tool."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, kept: "KeptTool | None", owner: type) -> object:
        return self if kept is None else getattr(kept.loaded, self._name)


def _asked() -> Any:  # noqa: ANN401 - it stands for attributes of every kind
    """Return an attribute that is asked of the tool itself, typed as whatever it stands for."""
    return _OfTheTool()


class KeptTool(Tool[Any]):
    """Answers what was kept, and lets the tool itself answer everything else."""

    input_type = _asked()
    max_result_chars = _asked()
    max_failure_chars = _asked()
    keeps_input = _asked()
    timeout_seconds = _asked()
    traits = _asked()
    validate_input = _asked()
    check_permissions = _asked()
    paths = _asked()
    rule_text = _asked()
    permission_matcher = _asked()
    classifier_input = _asked()
    run = _asked()
    move_to_background = _asked()
    unfinished = _asked()
    to_result_block = _asked()
    user_facing_name = _asked()
    summary = _asked()

    def __init__(self, kept: Kept, ports: Ports) -> None:
        self._kept = kept
        self._ports = ports
        self.name = kept.name
        for name, given in kept.attributes.items():
            setattr(self, name, given)

    def __getattr__(self, name: str) -> object:
        """Answer by the tool itself what no contract names."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.loaded, name)

    @cached_property
    def loaded(self) -> AnyTool:
        """The tool itself.

        Raises:
            ToolDefinitionError: It cannot be loaded or built.
        """
        try:
            tool_class = getattr(import_module(self._kept.module), self._kept.class_name)
            built: AnyTool = tool_class.build(self._ports)
        except Exception as error:
            raise ToolDefinitionError(f"{self.name} cannot be loaded: {told(error)}") from error
        return built

    def describe(self, request: RequestView) -> str:
        """Return the description as it was kept, or as the session makes it."""
        return self._described or self.loaded.describe(request)

    @cached_property
    def description(self) -> str:  # type: ignore[override]  # a text, as the contract has it
        """The description as a text."""
        return self.describe(RequestView())

    @cached_property
    def _described(self) -> str:
        """What can be said without loading the tool."""
        if not self._kept.described_in:
            return self._kept.description
        said: str = import_module(self._kept.described_in).described(self._ports)
        return said

    @lazy
    def input_format(self) -> InputFormat[Any]:
        """The kept schema; inputs are read by the tool itself."""
        return _KeptFormat(self)

    @cached_property
    def kept_schema(self) -> FrozenDict:
        """The input as JSON Schema."""
        return freeze(self._kept.schema)


@value
class _KeptFormat:
    """Describes by what was kept, reads by the tool itself."""

    tool: KeptTool

    @property
    def json_schema(self) -> FrozenDict:
        """The input as JSON Schema."""
        return self.tool.kept_schema

    def read(self, raw: Mapping[str, object]) -> object:
        """Return the args, or everything that is wrong."""
        return self.tool.loaded.input_format.read(raw)
