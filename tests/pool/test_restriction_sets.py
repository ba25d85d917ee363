"""Which tools a sub-agent gets: two versions of three sets, and what narrows them further."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.pool import (
    CURRENT,
    SEED,
    AgentScope,
    Pool,
    RestrictionSets,
    assemble,
    for_agent,
)
from gantlet.pool.restrictions import VERSIONS
from gantlet.system import Environment
from gantlet.tool import Mode
from pool.made_up_tools import MadeUp, names, of_server

NEVER = {
    "AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup",
    "TaskOutput", "WaitForMcpServers", "Workflow",
}  # fmt: skip
BACKGROUND = {
    "Read", "Grep", "Glob", "Bash", "PowerShell", "Edit", "Write", "NotebookEdit", "WebFetch",
    "WebSearch", "TodoWrite", "Skill", "ToolSearch", "EnterWorktree", "ExitWorktree", "Monitor",
    "TaskStop", "SendMessage", "Artifact",
}  # fmt: skip
TEAM = {
    "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "CronCreate", "CronDelete", "CronList",
}  # fmt: skip
SEED_NEVER = {"ExitPlanMode", "EnterPlanMode", "Task", "AskUserQuestion"}
SEED_BACKGROUND = {
    "Read", "Edit", "TodoWrite", "Grep", "WebSearch", "Glob", "Bash", "Skill", "SlashCommand",
    "WebFetch",
}  # fmt: skip
OTHERS = {"Config", "LSP", "ListAgents"}

OWN = [
    MadeUp(name, aliases=("Task",) if name == "Agent" else ())
    for name in {"Agent", "SlashCommand", *NEVER, *BACKGROUND, *TEAM, *OTHERS}
]
SERVED = [of_server("git", "log"), of_server("git", "push"), of_server("slack", "send")]
POOL = assemble(OWN, SERVED)
ALL = set(names(POOL.tools))
MCP = set(names(POOL.mcp))
NOWHERE = Environment()
MCP_ALLOWED = Environment(variables={"CLAUDE_CODE_ALLOW_MCP_TOOLS_FOR_SUBAGENTS": "1"})


def given_to(
    scope: AgentScope, sets: RestrictionSets = CURRENT, environment: Environment = NOWHERE
) -> set[str]:
    """Return the names of the tools an agent gets of the whole pool."""
    return set(names(for_agent(POOL, scope, environment, sets).tools))


def test_the_current_sets_are_those_of_the_documentation() -> None:
    expected = RestrictionSets(
        never=frozenset(NEVER),
        built_in_only=frozenset(),
        background=frozenset(BACKGROUND | {"Agent"}),
        team=frozenset(TEAM),
        mcp_in_background=True,
        at_depth_limit=frozenset({"Agent"}),
        plan_exit=frozenset({"ExitPlanMode"}),
    )

    assert expected == CURRENT


def test_the_seed_sets_are_those_of_the_first_description() -> None:
    expected = RestrictionSets(
        never=frozenset(SEED_NEVER),
        built_in_only=frozenset(SEED_NEVER),
        background=frozenset(SEED_BACKGROUND),
    )

    assert expected == SEED


def test_the_versions_go_by_their_names() -> None:
    assert VERSIONS == {"current": CURRENT, "seed": SEED}


def test_a_sub_agent_gets_all_but_what_is_never_given() -> None:
    assert given_to(AgentScope()) == ALL - NEVER


def test_an_agent_that_comes_with_the_program_gets_the_same_today() -> None:
    assert given_to(AgentScope(is_built_in=True)) == given_to(AgentScope())


def test_only_built_in_agents_get_what_is_for_them_only() -> None:
    sets = replace(CURRENT, built_in_only=frozenset({"Config"}))

    assert given_to(AgentScope(is_built_in=True), sets) == ALL - NEVER
    assert given_to(AgentScope(), sets) == ALL - NEVER - {"Config"}


def test_an_agent_in_the_background_gets_the_background_set_and_all_of_the_servers_tools() -> None:
    assert given_to(AgentScope(is_background=True)) == BACKGROUND | {"Agent"} | MCP


def test_a_member_of_a_team_in_the_background_gets_the_task_and_cron_tools_besides() -> None:
    member = AgentScope(is_background=True, is_team_member=True)

    assert given_to(member) == BACKGROUND | {"Agent"} | MCP | TEAM


def test_a_member_of_a_team_in_the_foreground_gets_what_others_get() -> None:
    assert given_to(AgentScope(is_team_member=True)) == given_to(AgentScope())


def test_a_fork_skips_both_filters() -> None:
    fork = AgentScope(is_fork=True, is_background=True, depth=9)

    assert given_to(fork) == ALL


def test_a_fork_is_still_held_to_its_own_lists() -> None:
    fork = AgentScope(is_fork=True, tools=["Read", "Bash", "Workflow"], disallowed=["Bash"])

    assert given_to(fork) == {"Read", "Workflow"}


@pytest.mark.parametrize(
    ("depth", "has_agent"), [(0, True), (1, True), (2, True), (3, False), (4, False)]
)
def test_an_agent_at_the_depth_limit_can_start_no_further_one(depth: int, has_agent: bool) -> None:
    scopes = [AgentScope(depth=depth), AgentScope(depth=depth, is_background=True)]

    assert ["Agent" in given_to(scope) for scope in scopes] == [has_agent] * 2


def test_an_agent_that_plans_may_leave_the_plan_mode_and_gets_nothing_else_by_it() -> None:
    for scope in (AgentScope(), AgentScope(is_background=True)):
        planning = replace(scope, mode=Mode.PLAN)

        assert given_to(planning) == given_to(scope) | {"ExitPlanMode"}


def test_in_the_first_description_a_task_is_never_given_whatever_its_tool_is_called_now() -> None:
    assert given_to(AgentScope(), SEED) == ALL - SEED_NEVER - {"Agent"}
    assert given_to(AgentScope(is_built_in=True), SEED) == ALL - SEED_NEVER - {"Agent"}
    assert given_to(AgentScope(mode=Mode.PLAN), SEED) == ALL - SEED_NEVER - {"Agent"}


def test_in_the_first_description_the_background_set_leaves_servers_tools_out() -> None:
    background = AgentScope(is_background=True)

    assert given_to(background, SEED) == SEED_BACKGROUND
    assert given_to(background, SEED, MCP_ALLOWED) == SEED_BACKGROUND | MCP


@pytest.mark.parametrize("value", ["", "0", "false", "off"])
def test_a_variable_that_says_no_allows_no_servers_tools(value: str) -> None:
    variables = {"CLAUDE_CODE_ALLOW_MCP_TOOLS_FOR_SUBAGENTS": value}

    given = given_to(AgentScope(is_background=True), SEED, Environment(variables=variables))

    assert given == SEED_BACKGROUND


def test_the_variable_does_not_give_what_the_agents_own_lists_take_away() -> None:
    scope = AgentScope(tools=["Read", "mcp__git"], disallowed=["mcp__git__push"])

    assert given_to(scope, SEED, MCP_ALLOWED) == {"Read", "mcp__git__log"}


LISTS: list[tuple[list[str], set[str]]] = [
    (["Read"], {"Read"}),
    (["Read", "Read", "Nope"], {"Read"}),
    ([], set()),
    (["Task"], {"Agent"}),
    (["Agent(explore, plan)"], {"Agent"}),
    (["Bash(git *)"], {"Bash"}),
    (["mcp__git"], {"mcp__git__log", "mcp__git__push"}),
    (["mcp__git__*"], {"mcp__git__log", "mcp__git__push"}),
    (["mcp__git__log"], {"mcp__git__log"}),
    (["mcp__gi"], set()),
    (["*"], ALL - NEVER),
    (["AskUserQuestion", "Read"], {"Read"}),
]


@pytest.mark.parametrize(("listed", "given"), LISTS)
def test_an_agent_with_a_list_of_tools_gets_those_of_them_it_may_have(
    listed: list[str], given: set[str]
) -> None:
    assert given_to(AgentScope(tools=listed)) == given


DISALLOWED: list[tuple[list[str], set[str]]] = [
    (["Bash"], {"Bash"}),
    (["Bash(*)"], {"Bash"}),
    (["Task"], {"Agent"}),
    (["Agent(explore, plan)"], set()),
    (["Bash(rm *)"], set()),
    (["mcp__git"], {"mcp__git__log", "mcp__git__push"}),
    (["mcp__git__*"], {"mcp__git__log", "mcp__git__push"}),
    (["mcp__*"], MCP),
    (["*"], ALL),
]


@pytest.mark.parametrize(("disallowed", "missing"), DISALLOWED)
def test_an_agent_does_not_get_what_is_disallowed_as_a_whole(
    disallowed: list[str], missing: set[str]
) -> None:
    assert given_to(AgentScope(disallowed=disallowed)) == ALL - NEVER - missing


def test_what_is_disallowed_stays_so_when_it_is_also_listed() -> None:
    scope = AgentScope(tools=["Read", "Bash", "mcp__git"], disallowed=["Bash", "mcp__git__push"])

    assert given_to(scope) == {"Read", "mcp__git__log"}


def test_a_single_entry_that_is_no_list_is_one_entry() -> None:
    assert given_to(AgentScope(tools="Read")) == {"Read"}
    assert given_to(AgentScope(disallowed="Bash")) == ALL - NEVER - {"Bash"}


def test_what_is_left_keeps_its_order_and_the_problems() -> None:
    pool = assemble([*OWN, MadeUp("Read")], SERVED)

    given = for_agent(pool, AgentScope(is_background=True), NOWHERE)

    assert names(given.own) == sorted(BACKGROUND | {"Agent"})
    assert names(given.mcp) == sorted(MCP)
    assert given.problems == pool.problems


entries = st.sampled_from([*sorted(ALL), "Task", "mcp__git", "mcp__*", "*", "Agent(x)", "Nope"])
scopes = st.builds(
    AgentScope,
    is_built_in=st.booleans(),
    is_background=st.booleans(),
    is_team_member=st.booleans(),
    is_fork=st.booleans(),
    depth=st.integers(0, 5),
    mode=st.sampled_from(Mode),
    tools=st.none() | st.lists(entries, max_size=4),
    disallowed=st.lists(entries, max_size=3),
)


@given(
    st.sets(st.sampled_from(sorted(ALL))),
    scopes,
    st.sampled_from([CURRENT, SEED]),
    st.sampled_from([NOWHERE, MCP_ALLOWED]),
)
def test_a_sub_agent_never_gets_a_tool_that_its_parent_lacks(
    parents: set[str], scope: AgentScope, sets: RestrictionSets, environment: Environment
) -> None:
    parent = POOL.kept(lambda tool: tool.name in parents)

    child = for_agent(parent, scope, environment, sets)
    grandchild = for_agent(child, scope, environment, sets)

    assert set(child) <= set(parent)
    assert grandchild == child


@given(scopes, st.sampled_from([CURRENT, SEED]))
def test_nobody_but_a_fork_or_a_planner_ever_gets_what_is_never_given(
    scope: AgentScope, sets: RestrictionSets
) -> None:
    scope = replace(scope, is_fork=False)

    given = given_to(scope, sets)

    allowed = sets.plan_exit if scope.mode is Mode.PLAN else frozenset()
    assert given & sets.never <= allowed


def test_an_empty_pool_stays_empty() -> None:
    assert for_agent(Pool(), AgentScope(), NOWHERE) == Pool()
