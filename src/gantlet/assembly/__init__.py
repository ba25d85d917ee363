"""The only room that knows every concrete class; it wires them together."""

from gantlet.assembly.toolbox import open_toolbox
from gantlet.pool import RequestTools, Toolbox

__all__ = ["RequestTools", "Toolbox", "open_toolbox"]
