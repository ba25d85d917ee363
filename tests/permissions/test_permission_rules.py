"""Rules about hosts, names, fields, servers and whole tools decide about calls."""

from dataclasses import replace

import pytest

from gantlet.messages import Behaviour
from gantlet.permissions import AddRules, Destination
from gantlet.rules import SourceKind
from gantlet.tool import McpIdentity, Mode
from permissions.permission_kit import (
    AGENT_TOOL,
    ALLOW,
    ASK,
    DENY,
    SERVER_TOOL,
    Judge,
    NamedInput,
    NamedTool,
    context,
    judge,
    with_rules,
)


@pytest.mark.parametrize(
    ("rule", "url", "allowed", "denied"),
    [
        ("WebFetch(domain:good.test)", "https://good.test/x", ALLOW, DENY),
        ("WebFetch(domain:good.test)", "https://GOOD.test./x", ALLOW, DENY),
        ("WebFetch(domain:good.test)", "https://good.test.evil.test/", ASK, ASK),
        ("WebFetch(domain:good.test)", "https://good.test@evil.test/", ASK, DENY),
        ("WebFetch(domain:good.test)", "https://sub.good.test/", ASK, DENY),
        ("WebFetch(domain:*.good.test)", "https://sub.good.test/", ALLOW, DENY),
        ("WebFetch(domain:*.good.test)", "https://good.test/", ASK, ASK),
        ("WebFetch", "https://any.test/", ALLOW, DENY),
        ("WebFetch(domain:bad host)", "https://any.test/", ASK, DENY),
    ],
)
def test_rules_about_hosts(rule: str, url: str, allowed: Behaviour, denied: Behaviour) -> None:
    assert judge(allow=[rule]).fetch(url) is allowed
    assert judge(deny=[rule]).fetch(url) is denied


@pytest.mark.parametrize(
    ("rule", "name", "allowed", "denied"),
    [
        ("Agent(Explore)", "Explore", ALLOW, DENY),
        ("Task(Explore)", "Explore", ALLOW, DENY),
        ("Agent(Explore)", "Plan", ASK, ASK),
        ("Agent", "Plan", ALLOW, DENY),
        ("Task", "Plan", ALLOW, DENY),
        ("Agent(Explore)", "Explore fast", ASK, DENY),
        ("Agent(Explore *)", "Explore fast", ALLOW, DENY),
    ],
)
def test_rules_about_names(rule: str, name: str, allowed: Behaviour, denied: Behaviour) -> None:
    assert judge(allow=[rule]).verdict(AGENT_TOOL, name=name).behaviour is allowed
    assert judge(deny=[rule]).verdict(AGENT_TOOL, name=name).behaviour is denied


@pytest.mark.parametrize(
    ("rule", "model", "expected"),
    [
        ("Agent(model:opus)", "opus", DENY),
        ("Agent(model:opus)", "OPUS", DENY),
        ("Agent(model:op*)", "opus", DENY),
        ("Agent( model : opus )", "opus", DENY),
        ("Agent(model:opus)", "haiku", ASK),
    ],
)
def test_rules_about_one_field(rule: str, model: str, expected: Behaviour) -> None:
    assert judge(deny=[rule]).verdict(AGENT_TOOL, model=model).behaviour is expected


def test_a_field_that_is_left_out_is_never_meant() -> None:
    assert judge(deny=["Agent(model:*)"]).verdict(AGENT_TOOL).behaviour is ASK


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mcp__db", ALLOW),
        ("mcp__db__*", ALLOW),
        ("mcp__db__query", ALLOW),
        ("mcp__db__que*", ALLOW),
        ("mcp__d", ASK),
        ("mcp__*", ASK),
        ("*", ASK),
    ],
)
def test_rules_about_servers(rule: str, expected: Behaviour) -> None:
    assert judge(allow=[rule]).verdict(SERVER_TOOL).behaviour is expected
    denied = DENY if rule != "mcp__d" else ASK
    assert judge(deny=[rule]).verdict(SERVER_TOOL).behaviour is denied


def test_a_server_cannot_borrow_the_name_of_another_tool() -> None:
    thief = NamedTool("Read", aliases=("Edit",), mcp=McpIdentity("bad", "read"))

    assert judge(allow=["Read", "Edit"]).verdict(thief).behaviour is ASK
    assert judge(deny=["mcp__bad"]).verdict(thief).behaviour is DENY


def test_old_and_new_names_of_a_tool_are_one() -> None:
    stop = NamedTool("TaskStop", aliases=("KillShell",))

    for name in ("TaskStop", "KillShell", "KillBash"):
        assert judge(deny=[name]).verdict(stop).behaviour is DENY
        assert judge(allow=[name]).verdict(stop).behaviour is ALLOW


def test_what_a_tool_cannot_compare_is_denied_by_a_deny_and_allowed_by_no_allow() -> None:
    own = NamedTool("Own")

    assert judge(deny=["Own(something)"]).verdict(own).behaviour is DENY
    assert judge(allow=["Own(something)"]).verdict(own).behaviour is ASK


class ComparingTool(NamedTool):
    """A tool that compares a rule's text itself."""

    def permission_matcher(self, args: NamedInput):  # type: ignore[no-untyped-def]  # noqa: ANN201
        """Compare the beginning."""
        return args.name.startswith


def test_a_tool_may_compare_a_rules_text_itself() -> None:
    own = ComparingTool("Own")

    assert judge(allow=["Own(ab)"]).verdict(own, name="abc").behaviour is ALLOW
    assert judge(deny=["Own(ab)"]).verdict(own, name="abc").behaviour is DENY
    assert judge(deny=["Own(x)"]).verdict(own, name="abc").behaviour is ASK


def test_deny_beats_ask_beats_allow_whatever_the_source() -> None:
    allowed = with_rules(context(), SourceKind.POLICY, allow=["Agent"])
    asked = with_rules(allowed, SourceKind.USER, ask=["Agent"])
    denied = with_rules(asked, SourceKind.SESSION, deny=["Agent"])

    assert Judge(allowed).verdict(AGENT_TOOL).behaviour is ALLOW
    assert Judge(asked).verdict(AGENT_TOOL).behaviour is ASK
    assert Judge(denied).verdict(AGENT_TOOL).behaviour is DENY


def test_the_rule_of_the_strongest_source_is_the_one_that_is_told() -> None:
    made = with_rules(context(deny=["Agent"]), SourceKind.POLICY, deny=["Agent(*)"])

    verdict = Judge(made).verdict(AGENT_TOOL)

    assert verdict.rule == "Agent(*)"
    assert verdict.file == "/policy.json"


@pytest.mark.parametrize("kind", [SourceKind.PROJECT, SourceKind.LOCAL])
def test_an_allow_of_the_repository_counts_only_with_trust_and_a_deny_always(
    kind: SourceKind,
) -> None:
    made = with_rules(context(), kind, allow=["Agent"])

    assert Judge(made).verdict(AGENT_TOOL).behaviour is ASK
    assert Judge(replace(made, is_trusted=True)).verdict(AGENT_TOOL).behaviour is ALLOW
    assert Judge(with_rules(made, kind, deny=["Agent"])).verdict(AGENT_TOOL).behaviour is DENY
    assert Judge(with_rules(context(), kind, ask=["Read"])).read("a") is ASK


def test_where_only_managed_rules_count_other_allows_do_not_and_other_denies_do() -> None:
    made = replace(context(allow=["Agent"], deny=["Read"]), managed_rules_only=True)

    assert Judge(made).verdict(AGENT_TOOL).behaviour is ASK
    assert Judge(made).verdict(AGENT_TOOL).suggestions == ()
    assert Judge(made).read("a") is DENY
    managed = with_rules(made, SourceKind.POLICY, allow=["Agent"])
    assert Judge(managed).verdict(AGENT_TOOL).behaviour is ALLOW


def test_a_deny_that_cannot_be_read_denies_the_whole_tool_and_is_kept_as_a_problem() -> None:
    made = context(Mode.BYPASS, deny=["Agent(model:)"])

    assert Judge(made).verdict(AGENT_TOOL).behaviour is DENY
    assert [problem.text for problem in made.problems] == ["Agent(model:)"]


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        (AGENT_TOOL, {"name": "Explore"}, "Agent(Explore)"),
        (SERVER_TOOL, {}, "mcp__db__query"),
        (NamedTool("Own"), {}, "Own"),
    ],
)
def test_a_suggestion_is_the_narrowest_rule_that_works(
    tool: NamedTool, given: dict[str, str], rule: str
) -> None:
    for trusted, kept in ((True, Destination.LOCAL), (False, Destination.SESSION)):
        made = context(is_trusted=trusted)

        (update,) = Judge(made).verdict(tool, **given).suggestions

        assert update == AddRules((rule,), ALLOW, kept)
        assert Judge(made.updated(update)).verdict(tool, **given).behaviour is ALLOW


def test_nothing_is_suggested_that_would_not_help() -> None:
    assert judge(ask=["Agent"]).verdict(AGENT_TOOL).suggestions == ()
