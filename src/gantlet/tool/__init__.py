"""The contract of a tool: what it declares, what it is given, what it hands back."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from gantlet.tool.access import (
    EXCLUSIVE,
    READS_ANYTHING,
    TOUCHES_NOTHING,
    Access,
    Anything,
    File,
    Footprint,
    Named,
    Resource,
    Tree,
    footprint,
)
from gantlet.tool.content import as_content, as_output, as_text
from gantlet.tool.context import AgentIdentity, RequestView, Surroundings, ToolContext, spot
from gantlet.tool.contract import (
    DEFAULT_MAX_RESULT_CHARS,
    TOOL_NAME,
    UNBOUNDED,
    AnyTool,
    McpIdentity,
    PathKind,
    Tool,
    parse,
)
from gantlet.tool.errors import Problem, Rejected, ToolDefinitionError, ToolError, UserError
from gantlet.tool.file_ports import (
    FILE_CHANGES,
    FILE_KNOWLEDGE,
    FileChange,
    FileChanges,
    FileKnowledge,
    FileState,
    Seen,
)
from gantlet.tool.inputs import Invalid, Parsed
from gantlet.tool.numbering import numbered
from gantlet.tool.ports import (
    ENVIRONMENT,
    TOOL_CATALOG,
    MissingPortError,
    Port,
    Ports,
    ToolCatalog,
)
from gantlet.tool.problems import InputProblem
from gantlet.tool.result import ContextModifier, ResultContent, ToolResult
from gantlet.tool.schema import clean, flattened
from gantlet.tool.traits import MOST_DANGEROUS, READS_ONLY, Interrupt, Traits, ask_traits
from gantlet.tool.vote import Allow, Ask, Covered, Deny, Mode, Proof, Vote
from gantlet.tool.withheld import (
    NOTHING_JUDGED,
    NOTHING_WITHHELD,
    Judged,
    NothingWithheld,
    Withheld,
)

if TYPE_CHECKING:  # fetched when first used: behind them stands pydantic
    from gantlet.tool.function import FunctionTool, tool
    from gantlet.tool.models import ToolInput

_MODULE_OF = {
    "FunctionTool": "gantlet.tool.function",
    "ToolInput": "gantlet.tool.models",
    "tool": "gantlet.tool.function",
}

__all__ = [
    "DEFAULT_MAX_RESULT_CHARS",
    "ENVIRONMENT",
    "EXCLUSIVE",
    "FILE_CHANGES",
    "FILE_KNOWLEDGE",
    "MOST_DANGEROUS",
    "NOTHING_JUDGED",
    "NOTHING_WITHHELD",
    "READS_ANYTHING",
    "READS_ONLY",
    "TOOL_CATALOG",
    "TOOL_NAME",
    "TOUCHES_NOTHING",
    "UNBOUNDED",
    "Access",
    "AgentIdentity",
    "Allow",
    "AnyTool",
    "Anything",
    "Ask",
    "ContextModifier",
    "Covered",
    "Deny",
    "File",
    "FileChange",
    "FileChanges",
    "FileKnowledge",
    "FileState",
    "Footprint",
    "FunctionTool",
    "InputProblem",
    "Interrupt",
    "Invalid",
    "Judged",
    "McpIdentity",
    "MissingPortError",
    "Mode",
    "Named",
    "NothingWithheld",
    "Parsed",
    "PathKind",
    "Port",
    "Ports",
    "Problem",
    "Proof",
    "Rejected",
    "RequestView",
    "Resource",
    "ResultContent",
    "Seen",
    "Surroundings",
    "Tool",
    "ToolCatalog",
    "ToolContext",
    "ToolDefinitionError",
    "ToolError",
    "ToolInput",
    "ToolResult",
    "Traits",
    "Tree",
    "UserError",
    "Vote",
    "Withheld",
    "as_content",
    "as_output",
    "as_text",
    "ask_traits",
    "clean",
    "flattened",
    "footprint",
    "numbered",
    "parse",
    "spot",
    "tool",
]


def __getattr__(name: str) -> object:
    """Fetch a name that needs pydantic when it is first used."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


class _Room(ModuleType):
    """This room bears the decorator's name, so `from gantlet import tool` finds the room.

    Calling it decorates.
    """

    def __call__(self, *args: object, **options: object) -> object:
        """Decorate."""
        return import_module("gantlet.tool.function").tool(*args, **options)


sys.modules[__name__].__class__ = _Room
