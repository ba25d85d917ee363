"""The contract of a tool: what it declares, what it is given, what it hands back."""

import sys
from types import ModuleType

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
from gantlet.tool.function import TOOL_NAME, FunctionTool, tool
from gantlet.tool.inputs import Invalid, Parsed, ToolInput
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


class _Room(ModuleType):
    """This room bears the decorator's name, so `from gantlet import tool` finds the room.

    Calling it decorates.
    """

    __call__ = staticmethod(tool)


sys.modules[__name__].__class__ = _Room
