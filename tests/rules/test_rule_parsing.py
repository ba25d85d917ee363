"""The text of a rule becomes the rule, or words about what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Behaviour
from gantlet.rules import (
    WHOLE_TOOL,
    Anchors,
    BadRule,
    CommandPattern,
    Fault,
    HostPattern,
    NamePattern,
    NameSpec,
    OwnSpec,
    ParamPattern,
    PathPattern,
    Rule,
    Source,
    SourceKind,
    parse_rule,
    whole_tool,
)

USER = Source(
    SourceKind.USER,
    "/home/me/.claude/settings.json",
    7,
    "permissions.deny[0]",
    Anchors.at("/work/app", base="/home/me/.claude", home="/home/me"),
)
ALLOW, ASK, DENY = Behaviour.ALLOW, Behaviour.ASK, Behaviour.DENY


def rule(text: str, behaviour: Behaviour = DENY) -> Rule:
    parsed = parse_rule(text, behaviour, USER)
    assert isinstance(parsed, Rule), parsed
    return parsed


def bad(text: str, behaviour: Behaviour = DENY) -> BadRule:
    parsed = parse_rule(text, behaviour, USER)
    assert isinstance(parsed, BadRule), parsed
    return parsed


@pytest.mark.parametrize("text", ["Bash", "Bash(*)", "Bash()", " Bash ", "Bash( * )"])
def test_a_bare_name_and_a_star_in_brackets_mean_the_whole_tool(text: str) -> None:
    parsed = rule(text, ALLOW)

    assert (parsed.tool, parsed.spec) == (NamePattern("Bash"), WHOLE_TOOL)
    assert parsed.is_whole


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("Task", "Agent"),
        ("KillShell", "TaskStop"),
        ("KillBash", "TaskStop"),
        ("BashOutput", "TaskOutput"),
        ("FileRead", "Read"),
        ("FileWrite", "Write"),
        ("FileEdit", "Edit"),
        ("SlashCommand", "Skill"),
    ],
)
def test_old_names_of_tools_are_understood(old: str, now: str) -> None:
    assert rule(old, ALLOW).tool == NamePattern(now)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("Bash(npm run build)", CommandPattern("npm run build")),
        ("Bash(git log *)", CommandPattern("git log *")),
        ("Bash(echo (a) b)", CommandPattern("echo (a) b")),
        ("Bash(timeout:*)", CommandPattern("timeout:*")),
        ("Bash(command:*)", CommandPattern("command:*")),
        ("Bash(npm run test:unit)", CommandPattern("npm run test:unit")),
        ("Monitor(tail *)", CommandPattern("tail *")),
        ("WebFetch(domain:example.com)", HostPattern("example.com", ("example", "com"))),
        ("Agent(Explore)", NameSpec(CommandPattern("Explore"))),
        ("Task(Explore)", NameSpec(CommandPattern("Explore"))),
        ("Agent(plugin:reviewer)", NameSpec(CommandPattern("plugin:reviewer"))),
        ("Skill(deploy *)", NameSpec(CommandPattern("deploy *"))),
        ("Own(whatever it is)", OwnSpec("whatever it is")),
    ],
)
def test_the_brackets_mean_what_the_tool_takes(text: str, spec: object) -> None:
    assert rule(text, ALLOW).spec == spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("Agent(model:opus)", ParamPattern("model", "opus")),
        ("Agent( model : opus )", ParamPattern("model", "opus")),
        ("Bash(run_in_background:true)", ParamPattern("run_in_background", "true")),
        ("Bash(timeout:6*)", ParamPattern("timeout", "6*")),
        ("WebSearch(query:*secret*)", ParamPattern("query", "*secret*")),
        ("mcp__db__query(table:users)", ParamPattern("table", "users")),
    ],
)
def test_one_field_can_be_denied_or_asked_about_and_never_allowed(text: str, spec: object) -> None:
    assert rule(text, DENY).spec == spec
    assert rule(text, ASK).spec == spec
    assert bad(text, ALLOW).fault is Fault.NEVER_MATCHES
    assert bad(text, ALLOW).stand_in is None


@pytest.mark.parametrize("text", ["Read(src/**)", "Edit(~/notes/*.md)", "Read(//etc/**)"])
def test_read_and_edit_take_paths(text: str) -> None:
    assert isinstance(rule(text).spec, PathPattern)


def test_a_path_rule_keeps_the_anchors_it_was_loaded_with() -> None:
    spec = rule("Edit(/agents/**)").spec

    assert isinstance(spec, PathPattern)
    assert spec.anchors == ("/home/me/.claude",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Bash(rm", "its bracket is never closed"),
        ("Bash)", "only brackets may follow a tool's name, as in Tool(…)"),
        ("Bash rm -rf", "only brackets may follow a tool's name, as in Tool(…)"),
        ("Bash(:*)", "it names no command; write the tool alone for every command"),
        ("Bash(* *)", "it names no command; write the tool alone for every command"),
        ("Read(!keep)", "a rule cannot be negated; write the opposite rule"),
        ("Read(a[b)", "a '[' is never closed; write '\\[' for the character itself"),
        ("WebFetch(example.com)", "write WebFetch(domain:host)"),
        ("WebFetch(domain:exa mple.com)", "'exa mple.com' can be no host"),
        ("WebFetch(domain:)", "'' can be no host"),
        ("WebSearch(cats)", "WebSearch takes nothing in brackets; write WebSearch"),
        ("Agent(model:)", "it names no value for 'model'"),
        ("Bash(a\0b)", "it holds a NUL character"),
    ],
)
def test_a_malformed_deny_denies_the_whole_tool_and_says_why(text: str, reason: str) -> None:
    broken = bad(text)

    assert (broken.fault, broken.reason) == (Fault.MALFORMED, reason)
    assert broken.stand_in is not None
    assert broken.stand_in.is_whole
    assert broken.stand_in.behaviour is DENY
    assert broken.stand_in.source == USER
    assert bad(text, ASK).stand_in is not None
    if ":" not in text or "Agent" not in text:
        assert bad(text, ALLOW).stand_in is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Write(secret/**)", "Edit(secret/**)"),
        ("MultiEdit(secret/**)", "Edit(secret/**)"),
        ("NotebookEdit(secret/**)", "Edit(secret/**)"),
        ("Glob(secret/**)", "Read(secret/**)"),
        ("Grep(secret/**)", "Read(secret/**)"),
        ("Bash(command:rm *)", "Bash(rm *)"),
        ("Read(file_path:.env)", "Read(.env)"),
    ],
)
def test_a_rule_that_could_never_match_is_told_and_forbids_what_its_author_meant(
    text: str, meant: str
) -> None:
    broken = bad(text)

    assert broken.fault is Fault.NEVER_MATCHES
    assert broken.stand_in == rule(meant)
    assert bad(text, ALLOW).stand_in is None


def test_a_deny_of_which_not_even_the_tool_can_be_read_asks_about_everything() -> None:
    broken = bad("(rm *)")

    assert broken.reason == "it does not begin with a tool's name"
    assert broken.stand_in == Rule("(rm *)", ASK, USER, NamePattern("*"))


def test_an_empty_text_is_told_and_means_nothing() -> None:
    assert bad("").stand_in is None
    assert bad("  ").reason == "it is empty"


def test_what_is_wrong_is_said_with_the_place_and_what_holds_instead() -> None:
    assert bad("Bash(rm").message == (
        "The rule 'Bash(rm' (deny, user settings (/home/me/.claude/settings.json:7,"
        " permissions.deny[0])): its bracket is never closed. Until it is mended, deny Bash holds."
    )
    assert bad("Write(x)").message.endswith(
        "paths of Write are never consulted; write Edit(x). Until it is mended, deny Edit(x) holds."
    )
    assert bad("Write(x)", ALLOW).message.endswith("It allows nothing.")


@pytest.mark.parametrize("text", ["mcp__db__*", "mcp__db__get_*", "mcp__my-db__*"])
def test_an_allow_may_hold_a_star_behind_a_servers_name(text: str) -> None:
    assert rule(text, ALLOW).tool == NamePattern(text)


@pytest.mark.parametrize("text", ["*", "mcp__*", "mcp__*__read", "Ba*", "mcp__d*__read"])
def test_an_allow_with_a_star_elsewhere_is_refused_and_a_deny_is_not(text: str) -> None:
    assert bad(text, ALLOW).fault is Fault.NEVER_MATCHES
    assert rule(text, DENY).tool == NamePattern(text)
    assert rule(text, ASK).tool == NamePattern(text)


@pytest.mark.parametrize("text", ["bash(rm *)", "BASH(rm *)"])
def test_a_wrong_case_does_not_save_a_tool_from_a_deny(text: str) -> None:
    assert rule(text, DENY).tool == NamePattern("Bash")
    assert rule(text, ALLOW).tool != NamePattern("Bash")


@pytest.mark.parametrize("text", ["Read(*)", "Edit(*)"])
def test_a_forbidden_star_of_paths_forbids_every_path(text: str) -> None:
    spec = rule(text, DENY).spec

    assert isinstance(spec, PathPattern)
    assert spec.is_everything
    assert rule(text, ALLOW).is_whole


@given(st.text(alphabet="ABashRed(*):/~!.[]\\ \0mcp_", max_size=24), st.sampled_from(Behaviour))
def test_reading_a_rule_never_raises_and_a_forbidding_one_never_vanishes(
    text: str, behaviour: Behaviour
) -> None:
    parsed = parse_rule(text, behaviour, USER)

    if isinstance(parsed, BadRule):
        assert parsed.message
        assert (parsed.stand_in is not None) == (behaviour is not ALLOW and bool(text.strip()))


@given(st.text(alphabet="ABash(*) ", max_size=12))
def test_what_the_pool_takes_for_a_whole_tool_is_a_whole_tool_here(text: str) -> None:
    pattern, parsed = whole_tool(text), parse_rule(text, DENY, USER)

    if pattern is not None and isinstance(parsed, Rule):
        assert parsed.is_whole
