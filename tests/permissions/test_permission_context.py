"""The context is frozen; changes make new values; a sub-agent's is never wider."""

from dataclasses import FrozenInstanceError, replace

import pytest

from gantlet.messages import Behaviour
from gantlet.permissions import (
    AddDirectories,
    AddRules,
    ContextHolder,
    Destination,
    Directory,
    PermissionContext,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    SetMode,
    SubagentRequest,
    Update,
    Workspace,
    meet,
    read_mode,
    read_update,
    write_update,
)
from gantlet.rules import Anchors, RuleSet, Source, SourceKind, parse_rule
from gantlet.tool import Mode, UserError
from permissions.permission_kit import ALLOW, APP, ASK, DENY, HOME, WORKSPACE, context, with_rules


def texts(made: PermissionContext, behaviour: Behaviour) -> list[str]:
    return [rule.text for rule in made.rules(behaviour)]


def test_a_context_cannot_be_changed() -> None:
    made = context(deny=["Bash"])

    with pytest.raises(FrozenInstanceError):
        made.mode = Mode.BYPASS  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        made.deny.rules = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        made.workspace.cwd = Directory.at("/")  # type: ignore[misc]


def test_an_empty_context_is_the_careful_one() -> None:
    made = PermissionContext(WORKSPACE)

    assert (made.mode, made.allow, made.deny, made.ask) == (
        Mode.DEFAULT,
        RuleSet(),
        RuleSet(),
        RuleSet(),
    )
    assert (made.bypass_available, made.auto_available, made.is_trusted) == (False, False, False)


@pytest.mark.parametrize("mode", [Mode.BYPASS, Mode.AUTO])
def test_a_mode_that_is_not_available_cannot_be_entered(mode: Mode) -> None:
    made = PermissionContext(WORKSPACE)

    assert made.in_mode(mode) is made
    assert made.updated(SetMode(mode)) is made
    with pytest.raises(ValueError, match="is not available in this session"):
        PermissionContext(WORKSPACE, mode)


def test_leaving_plan_mode_goes_back_to_the_mode_before_it() -> None:
    planning = context(Mode.ACCEPT_EDITS).in_mode(Mode.PLAN)

    assert (planning.mode, planning.pre_plan_mode) == (Mode.PLAN, Mode.ACCEPT_EDITS)
    assert planning.in_mode(Mode.PLAN) is planning
    assert planning.left_plan() == context(Mode.ACCEPT_EDITS)
    assert context().left_plan() == context()
    assert replace(planning, pre_plan_mode=None).left_plan().mode is Mode.DEFAULT


def test_bypass_can_be_switched_off_for_good() -> None:
    planning = context(Mode.BYPASS).in_mode(Mode.PLAN)

    assert context(Mode.BYPASS).without_bypass().mode is Mode.DEFAULT
    assert planning.without_bypass().left_plan().mode is Mode.DEFAULT
    assert not planning.without_bypass().in_mode(Mode.BYPASS).bypass_available


def test_rules_are_added_replaced_and_removed_at_their_destination_only() -> None:
    user = context(allow=["Bash(a)"])

    added = user.updated(AddRules(("Bash(b)", "Bash(c)"), ALLOW, Destination.SESSION))
    replaced = added.updated(ReplaceRules(("Bash(d)",), ALLOW, Destination.SESSION))
    removed = added.updated(RemoveRules(("Bash(a)", "Bash(b)"), ALLOW, Destination.SESSION))

    assert texts(user, ALLOW) == ["Bash(a)"]
    assert texts(added, ALLOW) == ["Bash(a)", "Bash(b)", "Bash(c)"]
    assert texts(replaced, ALLOW) == ["Bash(a)", "Bash(d)"]
    assert texts(removed, ALLOW) == ["Bash(a)", "Bash(c)"]


def test_a_bad_rule_in_an_update_is_kept_as_a_problem_and_a_deny_still_holds() -> None:
    made = context().updated(AddRules(("Bash(rm",), DENY, Destination.SESSION))

    assert [rule.is_whole for rule in made.deny] == [True]
    assert [problem.text for problem in made.problems] == ["Bash(rm"]


@pytest.mark.parametrize(
    ("destination", "base"),
    [
        (Destination.USER, f"{HOME}/.claude"),
        (Destination.PROJECT, "/work"),
        (Destination.LOCAL, APP),
        (Destination.SESSION, APP),
        (Destination.COMMAND_LINE, APP),
    ],
)
def test_a_rule_is_anchored_where_its_destination_is(destination: Destination, base: str) -> None:
    workspace = replace(WORKSPACE, project=Directory.at("/work"), cwd=Directory.at("/elsewhere"))

    made = PermissionContext(workspace).updated(AddRules(("Edit(/x)",), DENY, destination))

    (rule,) = made.deny
    assert rule.source == Source(
        destination.kind,
        key="permissions.deny",
        anchors=Anchors((base,), (APP,), (HOME,)),
    )


def test_directories_are_added_and_removed() -> None:
    made = context().updated(AddDirectories(("/data", "~/notes", "sub/../lib")))

    assert [one.path for one in made.directories] == ["/data", f"{HOME}/notes", f"{APP}/lib"]
    assert made.updated(RemoveDirectories(("/data", "lib"))).directories == (
        Directory.at(f"{HOME}/notes"),
    )
    assert made.updated(RemoveDirectories(("/data",), Destination.LOCAL)) == made


def test_a_holder_finds_out_every_name_of_an_added_directory() -> None:
    holder = ContextHolder(context(), names_of=lambda path: (path, f"/real{path}"))
    before = holder.current

    holder.apply(AddDirectories(("/data",)))

    assert before.directories == ()
    assert holder.current.directories == (Directory(("/data", "/real/data")),)


UPDATES: list[tuple[Update, dict[str, object]]] = [
    (
        AddRules(("Bash(git log *)", "Read"), ALLOW, Destination.LOCAL),
        {
            "type": "addRules",
            "rules": [{"toolName": "Bash", "ruleContent": "git log *"}, {"toolName": "Read"}],
            "behavior": "allow",
            "destination": "localSettings",
        },
    ),
    (
        ReplaceRules((), DENY, Destination.USER),
        {"type": "replaceRules", "rules": [], "behavior": "deny", "destination": "userSettings"},
    ),
    (
        RemoveRules(("Read(a)",), ASK, Destination.PROJECT),
        {
            "type": "removeRules",
            "rules": [{"toolName": "Read", "ruleContent": "a"}],
            "behavior": "ask",
            "destination": "projectSettings",
        },
    ),
    (
        SetMode(Mode.PLAN),
        {"type": "setMode", "mode": "plan", "destination": "session"},
    ),
    (
        AddDirectories(("/a",), Destination.COMMAND_LINE),
        {"type": "addDirectories", "directories": ["/a"], "destination": "cliArg"},
    ),
    (
        RemoveDirectories(("/a",)),
        {"type": "removeDirectories", "directories": ["/a"], "destination": "session"},
    ),
]


@pytest.mark.parametrize(("update", "wire"), UPDATES)
def test_an_update_is_read_and_written(update: Update, wire: dict[str, object]) -> None:
    assert read_update(wire) == update
    assert write_update(update) == wire


@pytest.mark.parametrize(
    "wire",
    [
        {},
        {"type": "addRules"},
        {"type": "explode", "destination": "session"},
        {"type": "setMode", "mode": "yolo", "destination": "session"},
        {"type": "setMode", "mode": "plan", "destination": "policySettings"},
        {"type": "addRules", "rules": "x", "behavior": "allow", "destination": "session"},
        {"type": "addRules", "rules": ["x"], "behavior": "allow", "destination": "session"},
        {"type": "addRules", "rules": [], "behavior": "maybe", "destination": "session"},
        {"type": "addDirectories", "directories": [1], "destination": "session"},
    ],
)
def test_what_is_no_update_is_refused_in_words(wire: dict[str, object]) -> None:
    with pytest.raises(UserError):
        read_update(wire)


def test_modes_are_read_by_name() -> None:
    assert read_mode("acceptEdits") is Mode.ACCEPT_EDITS
    assert read_mode("manual") is Mode.DEFAULT
    assert read_mode("yolo") is None


def test_the_meet_of_modes_is_symmetric_and_below_both() -> None:
    for first in Mode:
        assert meet(first, first) is first
        for second in Mode:
            assert meet(first, second) is meet(second, first)
    assert meet(Mode.BYPASS, Mode.PLAN) is Mode.PLAN
    assert meet(Mode.ACCEPT_EDITS, Mode.AUTO) is Mode.DEFAULT
    assert meet(Mode.DEFAULT, Mode.DONT_ASK) is Mode.DONT_ASK


def test_a_sub_agent_gets_the_meet_and_cannot_climb_out_of_it() -> None:
    source = Source(SourceKind.SESSION)
    wish = SubagentRequest(
        Mode.BYPASS,
        (
            parse_rule("Bash", ALLOW, source),
            parse_rule("Edit", DENY, source),
            parse_rule("Read(", DENY, source),
        ),
    )

    child = context(Mode.ACCEPT_EDITS).for_subagent(wish)

    assert child.mode is Mode.ACCEPT_EDITS
    assert texts(child, ALLOW) == []
    assert texts(child, DENY) == ["Edit", "Read("]
    assert child.in_mode(Mode.BYPASS).mode is Mode.ACCEPT_EDITS
    assert child.in_mode(Mode.AUTO).mode is Mode.ACCEPT_EDITS


def test_a_sub_agent_of_a_planner_plans_for_ever_and_a_planning_one_returns_to_its_parent() -> None:
    planning = context(Mode.BYPASS).in_mode(Mode.PLAN)

    assert planning.for_subagent(SubagentRequest()).left_plan().mode is Mode.PLAN
    child = context(Mode.ACCEPT_EDITS).for_subagent(SubagentRequest(Mode.PLAN))
    assert child.left_plan().mode is Mode.ACCEPT_EDITS


def test_a_sub_agent_gets_auto_mode_only_where_its_parent_could() -> None:
    wish = SubagentRequest(Mode.AUTO)

    assert context(Mode.BYPASS).for_subagent(wish).mode is Mode.AUTO
    assert context(Mode.BYPASS, auto_available=False).for_subagent(wish).mode is Mode.DEFAULT


def test_between_plan_and_dont_ask_nobody_is_asked_and_nothing_changed() -> None:
    child = context(Mode.DONT_ASK).for_subagent(SubagentRequest(Mode.PLAN))

    assert (child.mode, child.avoid_prompts) == (Mode.PLAN, True)


def test_a_directory_needs_an_absolute_name() -> None:
    with pytest.raises(ValueError, match="absolute names"):
        Directory.at("relative")


def test_a_workspace_without_a_home_has_no_anchor_for_it() -> None:
    anchors = Workspace.at("/x").anchors(SourceKind.USER)

    assert anchors == Anchors((), ("/x",), ())


def test_rules_of_all_sources_are_kept_apart() -> None:
    made = with_rules(context(deny=["Bash"]), SourceKind.POLICY, deny=["Bash"])

    assert len(made.deny) == 2
    assert len(made.deny.from_source(SourceKind.POLICY)) == 1
