"""Tools that can be judged but not run: each declares what the real one of its name would."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from gantlet.messages import FrozenDict
from gantlet.rules import canonical
from gantlet.tool import READS_ONLY, AnyTool, Ask, McpIdentity, PathKind, Tool, Traits, Vote

_ANY_INPUT = FrozenDict(type="object")
_MCP = "mcp__"
#: What begins a pattern, up to the first name that holds a star.
_LITERAL = re.compile(r"(?:[^*?\[{]*/)?")
_LOOKS_AROUND = Traits(read_only=True)
_CHANGES_HERE = Traits(open_world=False)


class StandIn(Tool[Mapping[str, object]]):
    """A tool as permission sees it.

    Attributes:
        required: Fields without which a call makes no sense; each is a text.
        needs_user: A person must answer, whatever rules allow.
    """

    description = "Stands in for a tool of this name."
    input_schema = _ANY_INPUT

    def __init__(
        self,
        name: str,
        traits: Traits | None = None,
        *,
        required: Sequence[str] = (),
        path_fields: Sequence[str] = (),
        path_kind: PathKind = "read",
        rule_field: str = "",
        runs_shell: bool = False,
        needs_user: bool = False,
        mcp: McpIdentity | None = None,
    ) -> None:
        self.name = name
        self.required = required
        self.path_fields = path_fields
        self.path_kind = path_kind
        self.rule_field = rule_field
        self.runs_shell = runs_shell
        self.needs_user = needs_user
        self.mcp = mcp
        self._traits = traits or Traits()

    def traits(self, args: Mapping[str, object]) -> Traits:
        """Return what every call of it is like; a command is judged by what it says."""
        return self._traits

    @property
    def own_vote(self) -> Vote | None:
        """What the tool itself thinks of a call."""
        if not self.needs_user:
            return None
        return Ask(f"{self.name} is a question to the user.", "tool")

    def why_wrong(self, given: Mapping[str, object]) -> str:
        """Return what is wrong with an input, or nothing."""
        for name in self.required:
            if name not in given:
                return f"{self.name} needs {name!r} in its input."
        for name in (*self.required, *self.path_fields, self.rule_field):
            if name in given and not isinstance(given[name], str):
                return f"{name!r} of {self.name} must be a text."
        return ""


class _PatternTool(StandIn):
    """A search by a pattern of paths, which may itself lead elsewhere."""

    def paths(self, args: Mapping[str, object]) -> Sequence[str]:
        """Return where it searches: the directory, and where the pattern leads from there."""
        where = args.get("path")
        start = where if isinstance(where, str) else "."
        pattern = args.get("pattern")
        found = _LITERAL.match(pattern) if isinstance(pattern, str) else None
        lead = found.group() if found else ""
        if lead.startswith(("/", "~")):
            return [start, lead]
        return [start, f"{start}/{lead}"] if ".." in lead else [start]


class _SkillTool(StandIn):
    """A skill, which rules name with its args."""

    def rule_text(self, args: Mapping[str, object]) -> str | None:
        """Return the skill's name and its args."""
        name, given = args.get("skill", args.get("command")), args.get("args")
        if not isinstance(name, str):
            return None
        name = name.removeprefix("/")
        return f"{name} {given}".strip() if isinstance(given, str) else name


#: What needs no permission because it only looks, or only keeps our own house.
_HARMLESS = (
    "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop",
    "ToolSearch", "EnterPlanMode", "ExitWorktree", "ListAgents", "ListMcpResourcesTool",
    "ReadMcpResourceTool", "LSP", "PushNotification", "ReportFindings", "ScheduleWakeup",
    "SendMessage", "SendUserFile", "WaitForMcpServers", "CronCreate", "CronDelete", "CronList",
    "EndConversation", "RemoteTrigger",
)  # fmt: skip


def _edits(name: str, field: str = "file_path") -> StandIn:
    """Return a tool that changes one file."""
    return StandIn(name, _CHANGES_HERE, required=[field], path_fields=[field], path_kind="edit")


_BUILT_IN: Mapping[str, StandIn] = {
    tool.name: tool
    for tool in (
        StandIn("Bash", required=["command"], rule_field="command", runs_shell=True),
        StandIn("Monitor", required=["command"], rule_field="command", runs_shell=True),
        StandIn("PowerShell", required=["command"], rule_field="command"),
        StandIn("Read", READS_ONLY, required=["file_path"], path_fields=["file_path"]),
        StandIn(
            "NotebookRead", READS_ONLY, required=["notebook_path"], path_fields=["notebook_path"]
        ),
        StandIn("LS", READS_ONLY, path_fields=["path"]),
        StandIn("Grep", READS_ONLY, required=["pattern"], path_fields=["path"]),
        _PatternTool("Glob", READS_ONLY, required=["pattern"], path_fields=["path"]),
        *(_edits(name) for name in ("Write", "Edit", "MultiEdit")),
        _edits("NotebookEdit", "notebook_path"),
        StandIn("WebFetch", _LOOKS_AROUND, required=["url"], rule_field="url"),
        StandIn("WebSearch", _LOOKS_AROUND, required=["query"]),
        StandIn("Agent", READS_ONLY, rule_field="subagent_type"),
        _SkillTool("Skill"),
        StandIn("AskUserQuestion", READS_ONLY, needs_user=True),
        StandIn("ExitPlanMode", READS_ONLY, needs_user=True),
        *(StandIn(name, READS_ONLY) for name in _HARMLESS),
    )
}
BUILT_IN_NAMES = tuple(_BUILT_IN)


@lru_cache(maxsize=1024)
def stand_in(name: str) -> StandIn:
    """Return what stands in for the tool of a name; nothing is known of one with no such name."""
    known = _BUILT_IN.get(name) or _BUILT_IN.get(canonical(name))
    if known is not None:
        return known
    if name.startswith(_MCP):
        server, _, tool = name.removeprefix(_MCP).partition("__")
        return StandIn(name, mcp=McpIdentity(server, tool))
    return StandIn(name)


def main_field(tool: AnyTool) -> str:
    """Return the field a single word for a call goes into, or nothing."""
    if isinstance(tool, StandIn) and tool.required:
        return tool.required[0]
    return tool.rule_field or next(iter(tool.path_fields), "")
