"""What a tool needs from the upper floors, handed over when it is built."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Generic, Protocol, TypeVar, cast

from gantlet.messages.value import value
from gantlet.system import Environment
from gantlet.tool.result import ResultContent

_Offer = TypeVar("_Offer")


@value
class Port(Generic[_Offer]):
    """The name under which something of a certain kind is offered."""

    name: str


class MissingPortError(LookupError):
    """A tool needs a port that this program does not offer; the tool is left out."""

    def __init__(self, port: Port[Any]) -> None:
        super().__init__(f"it needs the port {port.name!r}, which is not offered here")
        self.port = port


@value
class Ports:
    """What a program offers to the tools it builds."""

    offered: Mapping[Port[Any], object] = field(default_factory=dict)

    def need(self, port: Port[_Offer]) -> _Offer:
        """Return what is offered at `port`.

        Raises:
            MissingPortError: Nobody offers it.
        """
        if port not in self.offered:
            raise MissingPortError(port)
        return cast(_Offer, self.offered[port])


class ToolCatalog(Protocol):
    """The tools that are announced by name only, and can be looked up."""

    def look_up(self, query: str, max_results: int) -> ResultContent:
        """Answer a query in the form the model's API takes, and reveal what was found."""


TOOL_CATALOG: Port[ToolCatalog] = Port("tool catalog")
#: The machine and its variables, as the session has them.
ENVIRONMENT: Port[Environment] = Port("environment")
