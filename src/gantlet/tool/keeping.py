"""What is kept of a tool class, so that start-up need not load it: who writes it down asks here."""

from functools import cached_property
from typing import Any

from gantlet.tool.contract import AnyTool, Tool
from gantlet.tool.kept import KEPT_ATTRIBUTES
from gantlet.tool.ports import Port, Ports


def keep(tool_class: type[AnyTool]) -> dict[str, object]:
    """Return what start-up reads of one tool class, as JSON has it."""
    asked = _Asked()
    tool = tool_class.build(asked)
    attributes = {
        name: getattr(tool_class, name)
        for name in KEPT_ATTRIBUTES
        if getattr(tool_class, name) != getattr(Tool, name)
    }
    entry: dict[str, object] = {"module": tool_class.__module__, "class": tool_class.__name__}
    if tool_class.described_in:
        entry["described_in"] = tool_class.described_in
    elif isinstance(tool_class.description, str):
        entry["description"] = tool_class.description
    schema = tool.input_format.json_schema
    return {**entry, "ports": asked.names, "attributes": attributes, "schema": schema}


class _Asked(Ports):
    """Remembers which ports are asked for, and hands over nothing in particular."""

    @cached_property
    def names(self) -> list[str]:
        """The names of the ports, each once."""
        return []

    def need(self, port: Port[Any]) -> Any:  # noqa: ANN401 - whatever the port offers
        """Remember a name."""
        if port.name not in self.names:
            self.names.append(port.name)
        return _Anything()


class _Anything:
    """Stands for whatever a tool is given when it is built."""

    def __getattr__(self, name: str) -> "_Anything":
        return self

    def __call__(self, *args: object, **kwargs: object) -> "_Anything":
        return self

    def __fspath__(self) -> str:
        return "/"
