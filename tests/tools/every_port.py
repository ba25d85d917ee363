"""Whatever tools may ask for when they are built, so that each can be looked at."""

from typing import Any

from gantlet.assembly.shell import open_shell
from gantlet.system import Environment
from gantlet.tool import Port, Ports


class StandIn:
    """Stands in for whatever a tool is given when it is built."""

    def __getattr__(self, name: str) -> "StandIn":
        return self

    def __call__(self, *args: object, **kwargs: object) -> "StandIn":
        return self


class EveryPort(Ports):
    """Offers whatever is asked for."""

    def need(self, port: Port[Any]) -> Any:
        """Hand over a stand-in; a shell is cheap as long as nothing is run."""
        return open_shell("/", Environment()).ports.get(port) or StandIn()
