"""Which tools a sub-agent may use. The sets are data, in two named versions."""

from collections.abc import Sequence

from gantlet.messages.value import value
from gantlet.pool.gate import names_of, whole_tools
from gantlet.pool.pool import Pool
from gantlet.rules import NamePattern, tool_part
from gantlet.system import Environment
from gantlet.tool import AnyTool, Mode

ALLOW_MCP_VARIABLE = "CLAUDE_CODE_ALLOW_MCP_TOOLS_FOR_SUBAGENTS"
MAX_DEPTH = 3


@value
class RestrictionSets:
    """Three sets of names, and how MCP tools are treated beside them.

    Attributes:
        never: For no sub-agent.
        built_in_only: Only for agents that come with the program.
        background: All that an agent in the background may use.
        team: What members of a team may use in the background besides.
        mcp_in_background: Whether MCP tools are exempt from the background set.
        at_depth_limit: Taken away where no further agent may be started.
        plan_exit: Given back to an agent that plans.
    """

    never: frozenset[str]
    built_in_only: frozenset[str]
    background: frozenset[str]
    team: frozenset[str] = frozenset()
    mcp_in_background: bool = False
    at_depth_limit: frozenset[str] = frozenset()
    plan_exit: frozenset[str] = frozenset()


_SEED_NEVER = frozenset({"ExitPlanMode", "EnterPlanMode", "Task", "AskUserQuestion"})

SEED = RestrictionSets(
    never=_SEED_NEVER,
    built_in_only=_SEED_NEVER,
    background=frozenset(
        {
            "Read", "Edit", "TodoWrite", "Grep", "WebSearch", "Glob", "Bash", "Skill",
            "SlashCommand",
            "WebFetch",
        }
    ),
)  # fmt: skip

CURRENT = RestrictionSets(
    never=frozenset(
        {
            "AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup",
            "TaskOutput", "WaitForMcpServers", "Workflow",
        }
    ),
    built_in_only=frozenset(),
    background=frozenset(
        {
            "Read", "Grep", "Glob", "Bash", "PowerShell", "Edit", "Write", "NotebookEdit",
            "WebFetch",
            "WebSearch", "TodoWrite", "Skill", "ToolSearch", "EnterWorktree", "ExitWorktree",
            "Monitor",
            "TaskStop", "SendMessage", "Artifact", "Agent",
        }
    ),
    team=frozenset(
        {
            "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "CronCreate", "CronDelete",
            "CronList",
        }
    ),
    mcp_in_background=True,
    at_depth_limit=frozenset({"Agent"}),
    plan_exit=frozenset({"ExitPlanMode"}),
)  # fmt: skip

VERSIONS = {"current": CURRENT, "seed": SEED}


@value
class AgentScope:
    """What kind of sub-agent asks for its tools.

    Attributes:
        tools: The only entries it may use; None means all that are available.
        disallowed: Entries it may not use; applied before `tools`.
    """

    is_built_in: bool = False
    is_background: bool = False
    is_team_member: bool = False
    is_fork: bool = False
    depth: int = 1
    max_depth: int = MAX_DEPTH
    mode: Mode = Mode.DEFAULT
    tools: Sequence[str] | None = None
    disallowed: Sequence[str] = ()


def for_agent(
    pool: Pool, scope: AgentScope, environment: Environment, sets: RestrictionSets = CURRENT
) -> Pool:
    """Return the part of `pool` that a sub-agent may use.

    `Agent(x)` in `disallowed` does not take `Agent` away; in `tools` it gives it.
    """
    always_mcp = environment.is_set(ALLOW_MCP_VARIABLE)
    disallowed = whole_tools(scope.disallowed)
    listed = None if scope.tools is None else [tool_part(entry) for entry in _each(scope.tools)]

    def wanted(tool: AnyTool) -> bool:
        names = names_of(tool)
        if _is_named(names, disallowed) or not (listed is None or _is_named(names, listed)):
            return False
        if scope.is_fork or (always_mcp and tool.mcp is not None):
            return True
        return _is_permitted(tool, frozenset(names), scope, sets)

    return pool.kept(wanted)


def _each(entries: Sequence[str]) -> Sequence[str]:
    """Return the entries; one text is one entry, not its letters."""
    return (entries,) if isinstance(entries, str) else entries


def _is_named(names: Sequence[str], patterns: Sequence[NamePattern]) -> bool:
    """Return whether a pattern means a tool with these names."""
    return any(pattern.matches_any(names) for pattern in patterns)


def _is_permitted(
    tool: AnyTool, names: frozenset[str], scope: AgentScope, sets: RestrictionSets
) -> bool:
    """Return whether the three sets leave `tool` to this agent."""
    exits_plan = scope.mode == Mode.PLAN and bool(names & sets.plan_exit)
    if names & sets.never and not exits_plan:
        return False
    if not scope.is_built_in and names & sets.built_in_only:
        return False
    if scope.depth >= scope.max_depth and names & sets.at_depth_limit:
        return False
    if not scope.is_background or exits_plan or (tool.mcp is not None and sets.mcp_in_background):
        return True
    usable = sets.background | sets.team if scope.is_team_member else sets.background
    return bool(names & usable)
