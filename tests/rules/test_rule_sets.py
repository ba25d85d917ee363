"""Rules are found by what they are about, and the strongest source is the one reported."""

from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import Behaviour
from gantlet.rules import (
    EDIT,
    READ,
    Anchors,
    BadRule,
    CommandPattern,
    PathParts,
    PathPattern,
    Rule,
    RuleSet,
    Source,
    SourceKind,
    parse_rule,
)


def rule(
    text: str, behaviour: Behaviour = Behaviour.DENY, kind: SourceKind = SourceKind.USER
) -> Rule:
    parsed = parse_rule(text, behaviour, Source(kind, anchors=Anchors.at("/app", home="/home/me")))
    assert isinstance(parsed, Rule), parsed
    return parsed


def test_the_strongest_source_is_reported() -> None:
    user, policy, project = (
        rule("Bash", kind=kind) for kind in (SourceKind.USER, SourceKind.POLICY, SourceKind.PROJECT)
    )

    assert RuleSet((user, project, policy)).whole(("Bash",)) is policy


def test_a_server_a_glob_and_a_name_all_name_a_tool() -> None:
    for text in ("mcp__db", "mcp__db__*", "mcp__*", "*", "mcp__db__query", "MCP__DB__QUERY"):
        assert RuleSet((rule(text),)).whole(("mcp__db__query",)) is not None, text
    for text in ("mcp__d", "mcp__dbx", "mcp__db__quer", "Bash"):
        assert RuleSet((rule(text),)).whole(("mcp__db__query",)) is None, text


def test_only_what_forbids_takes_a_tool_for_a_server_with_underscores() -> None:
    for text in ("mcp__db__query", "mcp__db", "mcp__db__query__all"):
        assert RuleSet((rule(text),)).whole(("mcp__db__query__all",)) is not None, text
    for text, is_meant in (("mcp__db__query", False), ("mcp__db", True)):
        allowed = RuleSet((rule(text, Behaviour.ALLOW),))
        assert (allowed.whole(("mcp__db__query__all",)) is not None) is is_meant, text


def test_an_allow_is_not_found_by_another_case() -> None:
    assert RuleSet((rule("mcp__DB__query", Behaviour.ALLOW),)).whole(("mcp__db__query",)) is None


def test_commands_are_found_for_the_shell_they_name() -> None:
    rules = RuleSet((rule("Bash(rm *)"), rule("Monitor(tail *)"), rule("Bash(*force*)")))

    assert rules.for_command(("Bash",), "rm -rf x") == rules.rules[0]
    assert rules.for_command(("Bash",), "git push --force") == rules.rules[2]
    assert rules.for_command(("Bash",), "tail x") is None
    assert rules.for_command(("Monitor", "Bash"), "tail x") == rules.rules[1]
    assert rules.has_commands(("Bash",))
    assert not rules.has_commands(("Other",))


def test_paths_are_found_for_reading_and_editing_apart() -> None:
    rules = RuleSet((rule("Read(.env)"), rule("Edit(src/**)"), rule("Read(*.pem)")))

    assert rules.for_path(READ, PathParts.of("/app/x/.env")) == rules.rules[0]
    assert rules.for_path(READ, PathParts.of("/app/key.pem")) == rules.rules[2]
    assert rules.for_path(EDIT, PathParts.of("/app/.env")) is None
    assert rules.for_path(EDIT, PathParts.of("/app/src/a")) == rules.rules[1]


def test_a_change_makes_a_new_set_and_nothing_is_added_twice() -> None:
    first, second = rule("Bash"), rule("Read")
    rules = RuleSet((first,))

    more = rules.added([first, second, second])

    assert rules.rules == (first,)
    assert more.rules == (first, second)
    assert rules.added([first]) is rules
    assert more.kept(lambda one: one is second).rules == (second,)
    assert more.from_source(SourceKind.POLICY) == ()


TEXTS = st.sampled_from(
    [
        "Bash", "Read", "Bash(a *)", "Bash(a b)", "Bash(*b)", "Bash(b:*)", "Bash(a*)",
        "Read(a)", "Read(a/**)", "Read(*.b)", "Edit(a/b)", "Read(//app/b)", "Read(~/a)",
        "mcp__a", "mcp__a__b", "mcp__*", "*", "Agent(model:a)",
    ]
)  # fmt: skip


@given(
    st.lists(st.tuples(TEXTS, st.sampled_from(Behaviour)), max_size=8),
    st.sampled_from(["a", "a b", "b a", "a.b", "b"]),
    st.sampled_from(["/app/a", "/app/a/b", "/app/b", "/app/x/a", "/home/me/a", "/app/x.b"]),
    st.sampled_from([("Bash",), ("Read",), ("mcp__a__b",), ("mcp__a__c",)]),
)
def test_an_index_finds_what_a_search_would_find(
    written: list[tuple[str, Behaviour]], command: str, path: str, names: tuple[str, ...]
) -> None:
    source = Source(SourceKind.USER, anchors=Anchors.at("/app", home="/home/me"))
    parsed = [parse_rule(text, behaviour, source) for text, behaviour in written]
    rules = RuleSet(tuple(one for one in parsed if not isinstance(one, BadRule)))
    parts = PathParts.of(path)

    by_command = [
        one
        for one in rules
        if one.tool.text == "Bash"
        and isinstance(one.spec, CommandPattern)
        and one.spec.matches(command)
    ]
    by_path = [
        one
        for one in rules
        if one.tool.text == "Read" and isinstance(one.spec, PathPattern) and one.spec.matches(parts)
    ]
    by_name = [one for one in rules if one.is_whole and one.tool.matches_any(names)]

    found = rules.for_command(("Bash",), command)
    assert (found in by_command) if by_command else found is None
    found = rules.for_path(READ, parts)
    assert (found in by_path) if by_path else found is None
    found = rules.whole(names)
    assert (found in by_name) if by_name else found is None
