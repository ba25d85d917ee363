"""The tool system of a coding agent: `from gantlet import Agent, tool`.

This is the package's face and its one named seam for late imports: a name is fetched from its
room when it is first used, so that `gantlet --version` and a program that needs one thing do not
pay for everything.
"""

import gc
from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # for those who check types; importing it would be most of `--version`
if TYPE_CHECKING:
    from gantlet.assembly.agent import Agent
    from gantlet.assembly.agent_parts import AgentParts
    from gantlet.assembly.run_result import RunResult
    from gantlet.loop import Priority
    from gantlet.models.scripted import ScriptedModel, load_script, script_of
    from gantlet.pool import Pool, ToolChoice, assemble
    from gantlet.system import Environment
    from gantlet.tool import (
        EXCLUSIVE,
        READS_ANYTHING,
        READS_ONLY,
        TOUCHES_NOTHING,
        UNBOUNDED,
        Access,
        File,
        Interrupt,
        Mode,
        Named,
        Ports,
        Rejected,
        Tool,
        ToolContext,
        ToolDefinitionError,
        ToolError,
        ToolInput,
        ToolResult,
        Traits,
        Tree,
        UserError,
        tool,
    )

_ROOM_OF = {
    "Agent": "gantlet.assembly.agent",
    "AgentParts": "gantlet.assembly.agent_parts",
    "RunResult": "gantlet.assembly.run_result",
    "Priority": "gantlet.loop",
    "ScriptedModel": "gantlet.models.scripted",
    "load_script": "gantlet.models.scripted",
    "script_of": "gantlet.models.scripted",
    "Pool": "gantlet.pool",
    "ToolChoice": "gantlet.pool",
    "assemble": "gantlet.pool",
    "Environment": "gantlet.system",
    "EXCLUSIVE": "gantlet.tool",
    "READS_ANYTHING": "gantlet.tool",
    "READS_ONLY": "gantlet.tool",
    "TOUCHES_NOTHING": "gantlet.tool",
    "UNBOUNDED": "gantlet.tool",
    "Access": "gantlet.tool",
    "File": "gantlet.tool",
    "Interrupt": "gantlet.tool",
    "Mode": "gantlet.tool",
    "Named": "gantlet.tool",
    "Ports": "gantlet.tool",
    "Rejected": "gantlet.tool",
    "Tool": "gantlet.tool",
    "ToolContext": "gantlet.tool",
    "ToolDefinitionError": "gantlet.tool",
    "ToolError": "gantlet.tool",
    "ToolInput": "gantlet.tool",
    "ToolResult": "gantlet.tool",
    "Traits": "gantlet.tool",
    "Tree": "gantlet.tool",
    "UserError": "gantlet.tool",
    "tool": "gantlet.tool",
}

__all__ = [
    "EXCLUSIVE",
    "READS_ANYTHING",
    "READS_ONLY",
    "TOUCHES_NOTHING",
    "UNBOUNDED",
    "Access",
    "Agent",
    "AgentParts",
    "Environment",
    "File",
    "Interrupt",
    "Mode",
    "Named",
    "Pool",
    "Ports",
    "Priority",
    "Rejected",
    "RunResult",
    "ScriptedModel",
    "Tool",
    "ToolChoice",
    "ToolContext",
    "ToolDefinitionError",
    "ToolError",
    "ToolInput",
    "ToolResult",
    "Traits",
    "Tree",
    "UserError",
    "__version__",
    "assemble",
    "load_script",
    "script_of",
    "tool",
]


def __getattr__(name: str) -> object:
    """Fetch a name from its room when it is first used."""
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'gantlet' has no attribute {name!r}")
    return getattr(_loaded(room), name)


def _loaded(room: str) -> object:
    """Import a room. What it defines stays, so that looking for garbage meanwhile is in vain.

    Afterwards it counts as old: freezing and thawing does that without a look at it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return import_module(room)
    finally:
        if was_on and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
